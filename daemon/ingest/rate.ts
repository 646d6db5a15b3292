/** Counts what was done lately. */
export interface Rate {
  add(files: number): void;
  perSecond(): number;
}

export function createRate(windowMs: number): Rate {
  const entries: { at: number; files: number }[] = [];
  const forgetOld = (): void => {
    const since = performance.now() - windowMs;
    while (entries[0] && entries[0].at < since) entries.shift();
  };
  return {
    add(files) {
      // Here too: nobody may ask for weeks.
      forgetOld();
      if (files > 0) entries.push({ at: performance.now(), files });
    },
    perSecond() {
      forgetOld();
      return entries.reduce((sum, entry) => sum + entry.files, 0) / (windowMs / 1000);
    },
  };
}
