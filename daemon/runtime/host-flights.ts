import type { HostRequest, HostResponse } from "../../workers/contract.ts";
import { HostFailure } from "./host.ts";
import type { HostTask } from "./host-task.ts";

export interface FlightsDeps {
  /** Throws when structured clone refuses the message. */
  send(request: HostRequest): void;
  /** The child did not give a task up when it was told to. */
  onStuck(task: HostTask, why: "deadline" | "cancelled"): void;
  /** A task has left, with its slot. */
  onLanded(): void;
  /** How long the child may take to answer after it was told to give a task up. */
  readonly graceMs: number;
}

/** The tasks that the child is at work on. A cancelled one keeps its slot until the child says that it has let go. */
export interface Flights {
  readonly size: () => number;
  readonly holdsAlone: () => boolean;
  dispatch(task: HostTask): void;
  answer(response: HostResponse & { type: "done" | "error" }): void;
  /** The child is gone. */
  failAll(failure: (task: HostTask) => HostFailure): void;
}

interface Flight {
  readonly task: HostTask;
  timer: NodeJS.Timeout;
  late: boolean;
}

export function createFlights(deps: FlightsDeps): Flights {
  const flights = new Map<number, Flight>();
  let lastId = 0;

  function giveUp(id: number, flight: Flight, why: "deadline" | "cancelled"): void {
    if (flight.late) return;
    clearTimeout(flight.timer);
    flight.late = why === "deadline";
    flight.timer = setTimeout(() => {
      if (flight.late) flight.task.reject(deadlineFailure(flight.task));
      deps.onStuck(flight.task, why);
    }, deps.graceMs);
    deps.send({ type: "cancel", id });
  }

  function land(id: number): HostTask | undefined {
    const flight = flights.get(id);
    if (!flight) return undefined;
    clearTimeout(flight.timer);
    flights.delete(id);
    return flight.task;
  }

  return {
    size: () => flights.size,
    holdsAlone: () => [...flights.values()].some(({ task }) => task.alone),
    dispatch(task) {
      const id = ++lastId;
      const { name, input, deadlineMs } = task;
      try {
        deps.send({ type: "run", id, task: name, input, deadlineMs });
      } catch (error) {
        const { message } = error as Error;
        task.reject(new HostFailure("task", `${name}: its input can't be sent: ${message}`, "TASK_FAILED"));
        return;
      }
      const timer = setTimeout(() => giveUp(id, flight, "deadline"), deadlineMs);
      const flight: Flight = { task, timer, late: false };
      flights.set(id, flight);
      task.onCancel = () => giveUp(id, flight, "cancelled");
    },
    answer(response) {
      const task = land(response.id);
      if (!task) return;
      if (response.type === "done") task.resolve(response.output);
      else task.reject(failureOf(task, response));
      deps.onLanded();
    },
    failAll(failure) {
      for (const [id, { task, late }] of flights) {
        land(id);
        task.reject(late ? deadlineFailure(task) : failure(task));
      }
    },
  };
}

function deadlineFailure({ name, deadlineMs }: HostTask): HostFailure {
  return new HostFailure("deadline", `${name} was not done after ${deadlineMs} ms`, "TASK_DEADLINE");
}

function failureOf(task: HostTask, { name, message }: HostResponse & { type: "error" }): HostFailure {
  // The caller's own cancel has settled the task already, so an abort that gets here was the deadline's.
  if (name === "TASK_DEADLINE" || name === "TASK_ABORTED") return deadlineFailure(task);
  if (name === "THREAD_CRASHED") return new HostFailure("crashed", message, name);
  return new HostFailure("task", message, name);
}
