import type { Socket } from "node:net";
import type { JSONRPCErrorResponse, JSONRPCID, JSONRPCRequest, JSONRPCResponse } from "json-rpc-2.0";
import { createJSONRPCErrorResponse, createJSONRPCNotification } from "json-rpc-2.0";
import type { Notifications } from "../contract/index.ts";
import { type CloseReason, type Connection, openConnection } from "./connection.ts";
import { invalidRequestAnswer, tableErrorAnswer } from "./error-answer.ts";
import type { EncodedJson } from "./encoded-frame.ts";
import type { InFlight, Slots } from "./in-flight.ts";
import type { WireLimits } from "./limits.ts";
import type { TokenGate } from "./pipe-token.ts";
import { readRequest } from "./request-check.ts";

/** A connected client, as the methods see it. */
export interface Peer {
  /** Never used again while the daemon runs. */
  readonly id: number;
  /** Aborts when the client is gone. */
  readonly closed: AbortSignal;
  /** Sends nothing to a client that is gone; a client that leaves too much unread is dropped. */
  notify<N extends keyof Notifications>(name: N, params: Notifications[N]): void;
  /** The same with params that are JSON already. */
  notifyEncoded(name: keyof Notifications, params: EncodedJson): void;
  /** Resolves when the client has taken what was sent, or is gone: whoever sends much waits for it in between. */
  drained(): Promise<void>;
}

export interface IncomingCall {
  /** Aborts when the request is cancelled, its client is gone or the daemon stops waiting for it. */
  readonly signal: AbortSignal;
  readonly peer: Peer;
}

/** Whoever answers requests. */
export interface Dispatcher {
  /** Never rejects; null for a notification. Answers promptly once the call's signal has aborted. */
  receive(request: JSONRPCRequest, call: IncomingCall): PromiseLike<JSONRPCResponse | null>;
  /** The answer to a request whose result can't be sent, which is a defect of the method. */
  unsendable(id: JSONRPCID, method: string, error: unknown): JSONRPCErrorResponse;
}

export interface EndpointDeps {
  readonly id: number;
  readonly socket: Socket;
  readonly limits: WireLimits;
  readonly inFlight: InFlight;
  readonly dispatcher: Dispatcher;
  /** Set where a client must show a token first. */
  readonly gate?: TokenGate | undefined;
  readonly onClose: (reason: CloseReason) => void;
}

/** The daemon's end of one connection. */
export interface Endpoint {
  readonly peer: Peer;
  /** Answers what is in flight, refuses what comes with STOPPING, and closes when nothing is left. */
  drain(): void;
  /** Aborts all requests in flight. */
  abort(reason: unknown): void;
  destroy(reason: CloseReason): void;
}

/** An answer or a batch of answers as JSON text; null when nothing is to be answered. */
type Answer = string | null;
type Admission = "single" | "batch";

/** How long a client that must show a token may take over it. */
const HELLO_MS = 3_000;

export function openEndpoint(deps: EndpointDeps): Endpoint {
  return new ServerEndpoint(deps);
}

class ServerEndpoint implements Endpoint {
  readonly peer: Peer;
  readonly #deps: EndpointDeps;
  readonly #connection: Connection;
  readonly #slots: Slots;
  readonly #closed = new AbortController();
  readonly #calls = new Set<AbortController>();
  readonly #callsById = new Map<string | number, AbortController>();
  readonly #gateTimer: NodeJS.Timeout | undefined;
  /** Messages whose answers have not been sent. */
  #open = 0;
  /** Requests of batches that wait for a slot. */
  #waiting = 0;
  /** draining: the daemon stops. ending: the client sends no more. Both close when nothing is open. */
  #phase: "serving" | "ending" | "draining" = "serving";

  constructor(deps: EndpointDeps) {
    this.#deps = deps;
    this.#slots = deps.inFlight.slots();
    this.peer = {
      id: deps.id,
      closed: this.#closed.signal,
      notify: (name, params) => {
        if (this.#isAdmitted) this.#connection.send(JSON.stringify(createJSONRPCNotification(name, params)));
      },
      notifyEncoded: (name, params) => {
        const opened = JSON.stringify(createJSONRPCNotification(name)).slice(0, -1);
        if (this.#isAdmitted) this.#connection.send({ utf8: [`${opened},"params":`, ...params.utf8, "}"] });
      },
      drained: () => this.#connection.drained(),
    };
    this.#connection = openConnection({
      socket: deps.socket,
      limits: deps.limits,
      onMessage: (value) => void this.#take(value),
      onFault: (fault) =>
        this.#connection.send(JSON.stringify(createJSONRPCErrorResponse(null, fault.code, fault.message))),
      onEnd: () => this.#leave("ending"),
      onClose: (reason) => this.#onClose(reason),
    });
    if (!this.#isAdmitted) this.#gateTimer = setTimeout(() => this.#closeUnlessAdmitted(), HELLO_MS);
  }

  drain(): void {
    this.#leave("draining");
  }

  abort(reason: unknown): void {
    for (const call of this.#calls) call.abort(reason);
  }

  destroy(reason: CloseReason): void {
    this.#connection.destroy(reason);
  }

  get #isAdmitted(): boolean {
    return this.#deps.gate?.open ?? true;
  }

  #closeUnlessAdmitted(): void {
    if (!this.#isAdmitted) this.#connection.destroy("slow-sender");
  }

  #leave(phase: "ending" | "draining"): void {
    if (this.#phase !== "draining") this.#phase = phase;
    this.#finishWhenDone();
  }

  #finishWhenDone(): void {
    if (this.#phase !== "serving" && this.#open === 0)
      this.#connection.finish(this.#phase === "ending" ? "finished" : "stopped");
  }

  #onClose(reason: CloseReason): void {
    clearTimeout(this.#gateTimer);
    const gone = new DOMException("The client is gone.", "AbortError");
    this.abort(gone);
    this.#closed.abort(gone);
    this.#deps.onClose(reason);
  }

  async #take(message: unknown): Promise<void> {
    if (!this.#isAdmitted) return this.#knock(message);
    this.#open++;
    const answer = await (Array.isArray(message) ? this.#batch(message) : this.#answer(message, "single"));
    if (answer !== null) this.#connection.send(answer);
    this.#open--;
    this.#finishWhenDone();
  }

  #knock(message: unknown): void {
    const response = this.#deps.gate?.knock(message);
    this.#connection.send(JSON.stringify(response));
    if (!this.#isAdmitted) this.#connection.finish("bad-frame");
  }

  async #batch(messages: readonly unknown[]): Promise<Answer> {
    const { maxBatch } = this.#deps.limits;
    if (messages.length === 0) return JSON.stringify(invalidRequestAnswer(null, "the batch is empty"));
    if (messages.length > maxBatch)
      return JSON.stringify(invalidRequestAnswer(null, `a batch may have ${maxBatch} requests at most`));
    const answers = await Promise.all(messages.map((message) => this.#answer(message, "batch")));
    const sent = answers.filter((answer) => answer !== null);
    return sent.length === 0 ? null : `[${sent.join(",")}]`;
  }

  async #answer(message: unknown, admission: Admission): Promise<Answer> {
    const { request, refusal } = readRequest(message);
    if (request === undefined) return JSON.stringify(refusal);
    const { id } = request;
    if (id === undefined && request.method.startsWith("$/")) {
      if (request.method === "$/cancel") this.#cancel(request.params);
      return null;
    }
    const response = await this.#admit(request, admission);
    return id === undefined || response === null ? null : this.#textOf(response, request.method);
  }

  #textOf(response: JSONRPCResponse, method: string): string {
    try {
      return JSON.stringify(response);
    } catch (error) {
      return JSON.stringify(this.#deps.dispatcher.unsendable(response.id, method, error));
    }
  }

  /** Runs a request once it has a slot. A single one does not wait for that; a batch's may, a batchful at most. */
  async #admit(request: JSONRPCRequest, admission: Admission): Promise<JSONRPCResponse | null> {
    const id = request.id ?? null;
    if (this.#phase === "draining") return tableErrorAnswer(id, "STOPPING");
    if (id !== null && this.#callsById.has(id))
      return invalidRequestAnswer(id, "a request with this id is in flight");
    const call = new AbortController();
    this.#calls.add(call);
    if (id !== null) this.#callsById.set(id, call);
    try {
      if (!(await this.#takeSlot(admission))) return tableErrorAnswer(id, "OVERLOADED");
      try {
        return await this.#deps.dispatcher.receive(request, { signal: call.signal, peer: this.peer });
      } finally {
        this.#slots.release();
      }
    } finally {
      this.#calls.delete(call);
      if (id !== null) this.#callsById.delete(id);
    }
  }

  async #takeSlot(admission: Admission): Promise<boolean> {
    let taken = this.#slots.tryTake();
    if (taken || admission === "single" || this.#waiting >= this.#deps.limits.maxBatch) return taken;
    this.#waiting++;
    // Only this connection's own requests are waited for; when all connections together are too many, none is.
    while (!taken && !this.#slots.free) {
      await this.#slots.nextRelease();
      taken = this.#slots.tryTake();
    }
    this.#waiting--;
    return taken;
  }

  #cancel(params: unknown): void {
    const id = (params as { id?: unknown } | undefined)?.id;
    if (typeof id !== "string" && typeof id !== "number") return;
    this.#callsById.get(id)?.abort(new DOMException("The request was cancelled.", "AbortError"));
  }
}
