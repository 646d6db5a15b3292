import type { ChangeOrigin } from "./contract.ts";

/** Files that were not found, until a second look concludes or clears it: a save that renames over passes in between. */
export interface Vanishing {
  note(path: string, origin: ChangeOrigin): void;
  /** It was seen again. */
  clear(path: string): void;
  /** Those due by `now`, taken out. */
  take(now: number): { readonly path: string; readonly origin: ChangeOrigin }[];
  nextDue(): number | null;
  size(): number;
  reset(): void;
}

export function createVanishing(confirmMs: number): Vanishing {
  // One delay for all: the order of insertion is the order of due times.
  const waiting = new Map<string, { due: number; origin: ChangeOrigin }>();
  return {
    note(path, origin) {
      if (!waiting.has(path)) waiting.set(path, { due: performance.now() + confirmMs, origin });
    },
    clear: (path) => void waiting.delete(path),
    take(now) {
      const due: { path: string; origin: ChangeOrigin }[] = [];
      for (const [path, entry] of waiting) {
        if (entry.due > now) break;
        due.push({ path, origin: entry.origin });
        waiting.delete(path);
      }
      return due;
    },
    nextDue() {
      for (const { due } of waiting.values()) return due;
      return null;
    },
    size: () => waiting.size,
    reset: () => waiting.clear(),
  };
}
