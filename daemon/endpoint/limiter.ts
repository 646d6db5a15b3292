interface LimiterRun {
  /** Ends the wait for a turn; a task that runs is not touched by it. */
  readonly signal: AbortSignal;
  /** Goes before all that is not urgent: somebody waits for a search. */
  readonly urgent: boolean;
}

export interface Limiter {
  /** Runs `task` when it is its turn. Rejects with the signal's reason when that comes first. */
  run<T>(task: () => Promise<T>, options: LimiterRun): Promise<T>;
  /** The other side asked for less: nothing starts for `pauseMs`, and half as much at a time afterwards. */
  slowDown(pauseMs: number): void;
  /** How much longer nothing starts. */
  pausedMs(): number;
}

/** At most `maxConcurrent` tasks at a time. After slowDown each success lets a little more through again, up to that bound. */
export function createLimiter(deps: {
  readonly maxConcurrent: number;
  /** Milliseconds of a clock that never jumps. */
  readonly now: () => number;
}): Limiter {
  const { maxConcurrent, now } = deps;
  const line = createLine();
  let allowed = maxConcurrent;
  let active = 0;
  let notBefore = 0;
  let timer: NodeJS.Timeout | undefined;

  const pump = (): void => {
    clearTimeout(timer);
    const waitMs = notBefore - now();
    if (waitMs > 0) {
      if (line.size() > 0) timer = setTimeout(pump, waitMs);
      return;
    }
    while (active < Math.floor(allowed) && line.letOneIn()) active++;
  };

  return {
    async run(task, { signal, urgent }) {
      const turn = line.wait(signal, urgent);
      pump();
      await turn;
      try {
        const value = await task();
        allowed = Math.min(maxConcurrent, allowed + 1 / allowed);
        return value;
      } finally {
        active--;
        pump();
      }
    },
    slowDown(pauseMs) {
      // Answers to one burst come together: they count as one.
      if (now() >= notBefore) allowed = Math.max(1, allowed / 2);
      notBefore = Math.max(notBefore, now() + pauseMs);
    },
    pausedMs: () => Math.max(0, notBefore - now()),
  };
}

interface Line {
  /** Resolves when it is let in; rejects with the signal's reason when that comes first. */
  wait(signal: AbortSignal, urgent: boolean): Promise<void>;
  /** False when nobody waits. */
  letOneIn(): boolean;
  size(): number;
}

function createLine(): Line {
  const urgentOnes: (() => void)[] = [];
  const patientOnes: (() => void)[] = [];
  return {
    wait: (signal, urgent) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const queue = urgent ? urgentOnes : patientOnes;
        const leave = (): void => {
          queue.splice(queue.indexOf(enter), 1);
          reject(signal.reason as Error);
        };
        const enter = (): void => {
          signal.removeEventListener("abort", leave);
          resolve();
        };
        signal.addEventListener("abort", leave, { once: true });
        queue.push(enter);
      }),
    letOneIn() {
      const enter = urgentOnes.shift() ?? patientOnes.shift();
      enter?.();
      return enter !== undefined;
    },
    size: () => urgentOnes.length + patientOnes.length,
  };
}
