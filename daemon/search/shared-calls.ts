import { unlessAborted } from "../runtime/unless-aborted.ts";

/** Calls that several wait for: each key is asked for once at a time, and the call ends when nobody waits any more. */
export interface SharedCalls<T> {
  /** Joins the call that is under way for `key`, or begins it. Rejects with the signal's reason when that comes first. */
  join(key: string, signal: AbortSignal, begin: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

interface Flight<T> {
  readonly result: Promise<T>;
  readonly end: AbortController;
  waiting: number;
}

export function createSharedCalls<T>(): SharedCalls<T> {
  const flights = new Map<string, Flight<T>>();

  function start(key: string, begin: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const end = new AbortController();
    const flight: Flight<T> = { result: begin(end.signal), end, waiting: 0 };
    const land = (): void => {
      if (flights.get(key) === flight) flights.delete(key);
    };
    flight.result.then(land, land);
    flights.set(key, flight);
    return flight;
  }

  return {
    async join(key, signal, begin) {
      signal.throwIfAborted();
      const flight = flights.get(key) ?? start(key, begin);
      flight.waiting++;
      try {
        return await unlessAborted(flight.result, signal);
      } finally {
        flight.waiting--;
        // Who comes from now on must not join a call that is being ended.
        if (flight.waiting === 0 && flights.get(key) === flight) {
          flights.delete(key);
          flight.end.abort(signal.reason);
        }
      }
    },
  };
}
