/** One connection's places for requests that are being worked on. */
export interface Slots {
  /** False when this connection has no place left. */
  readonly free: boolean;
  /** False when this connection, or the daemon as a whole, has no place left. */
  tryTake(): boolean;
  release(): void;
  /** Resolves at this connection's next release. */
  nextRelease(): Promise<void>;
}

export interface InFlight {
  readonly total: number;
  slots(): Slots;
}

export interface InFlightLimits {
  readonly maxInFlightPerConnection: number;
  readonly maxInFlight: number;
}

/** Counts the requests in flight: of each connection, and of all together. */
export function createInFlight(limits: InFlightLimits): InFlight {
  let total = 0;

  function slots(): Slots {
    let used = 0;
    let waiting: (() => void)[] = [];
    return {
      get free() {
        return used < limits.maxInFlightPerConnection;
      },
      tryTake() {
        if (used >= limits.maxInFlightPerConnection || total >= limits.maxInFlight) return false;
        used++;
        total++;
        return true;
      },
      release() {
        used--;
        total--;
        const woken = waiting;
        waiting = [];
        for (const wake of woken) wake();
      },
      nextRelease: () => new Promise((resolve) => waiting.push(resolve)),
    };
  }

  return {
    get total() {
      return total;
    },
    slots,
  };
}
