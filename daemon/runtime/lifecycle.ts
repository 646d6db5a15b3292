interface CloseReport {
  readonly failed: readonly { readonly name: string; readonly error: unknown }[];
  /** Those that had not ended when their time was up. */
  readonly timedOut: readonly string[];
}

export interface Lifecycle {
  /** What was opened last is closed first. Throws once closing has begun. */
  defer(name: string, close: () => void | Promise<void>): void;
  /**
   * Closes everything in turn, once: a second call gets the first one's report. One that fails or hangs stops no other:
   * `deadlineMs` bounds the whole, and each is given up after half of what is left of it (the last one after all of it).
   */
  close(deadlineMs: number): Promise<CloseReport>;
}

interface Entry {
  readonly name: string;
  readonly close: () => void | Promise<void>;
}

export function createLifecycle(): Lifecycle {
  const entries: Entry[] = [];
  let closing: Promise<CloseReport> | undefined;
  return {
    defer(name, close) {
      if (closing) throw new Error(`${name} was opened while everything is being closed`);
      entries.push({ name, close });
    },
    close(deadlineMs) {
      closing ??= closeAll(entries, deadlineMs);
      return closing;
    },
  };
}

async function closeAll(entries: Entry[], deadlineMs: number): Promise<CloseReport> {
  const failed: { name: string; error: unknown }[] = [];
  const timedOut: string[] = [];
  const end = performance.now() + deadlineMs;
  for (let entry = entries.pop(); entry; entry = entries.pop()) {
    const left = Math.max(0, end - performance.now());
    try {
      const inTime = await within(entry.close, entries.length > 0 ? left / 2 : left);
      if (!inTime) timedOut.push(entry.name);
    } catch (error) {
      failed.push({ name: entry.name, error });
    }
  }
  return { failed, timedOut };
}

/** Whether it ended in time. What it throws later has no reader any more. */
async function within(close: () => void | Promise<void>, ms: number): Promise<boolean> {
  const work = Promise.resolve(close()).then(() => true);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}
