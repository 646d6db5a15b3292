/** Counts what was done lately. */
export interface Rate {
  add(files: number): void;
  perSecond(): number;
}

export function createRate(windowMs: number): Rate {
  const entries: { at: number; files: number }[] = [];
  return {
    add(files) {
      if (files > 0) entries.push({ at: performance.now(), files });
    },
    perSecond() {
      const since = performance.now() - windowMs;
      while (entries[0] && entries[0].at < since) entries.shift();
      return entries.reduce((sum, entry) => sum + entry.files, 0) / (windowMs / 1000);
    },
  };
}
