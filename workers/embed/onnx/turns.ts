/** One at a time; urgent ones go before all that wait. */
export interface Turns {
  /** Runs `fn` when it is its turn. Rejects with the signal's reason when that has come by then. */
  take<T>(urgent: boolean, signal: AbortSignal, fn: () => Promise<T>): Promise<T>;
}

export function createTurns(): Turns {
  const urgentOnes: (() => void)[] = [];
  const patientOnes: (() => void)[] = [];
  let isBusy = false;
  const next = (): void => {
    const enter = urgentOnes.shift() ?? patientOnes.shift();
    isBusy = enter !== undefined;
    enter?.();
  };
  return {
    async take(urgent, signal, fn) {
      if (isBusy) await new Promise<void>((enter) => (urgent ? urgentOnes : patientOnes).push(enter));
      isBusy = true;
      try {
        signal.throwIfAborted();
        return await fn();
      } finally {
        next();
      }
    },
  };
}
