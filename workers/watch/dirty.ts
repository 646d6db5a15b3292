/** A directory in which something happened, and the names it happened to; null when they are not known or too many. */
export interface DirtyDirectory {
  readonly path: string;
  readonly names: ReadonlySet<string> | null;
}

/** Directories that wait for their comparison. Each waits `delayMs` from its first event, so a burst in it is one. */
export interface Dirty {
  mark(path: string, name: string): void;
  markAll(path: string): void;
  /** The oldest one that is due, taken out. */
  take(now: number): DirtyDirectory | undefined;
  /** When the oldest one is due; null when there is none. */
  nextDue(): number | null;
  size(): number;
  clear(): void;
}

/** Beyond this many names the whole directory is compared. */
const MAX_NAMES = 1_000;

export function createDirty(delayMs: number): Dirty {
  // The delay is the same for all, so the order of insertion is the order of due times.
  const waiting = new Map<string, { due: number; names: Set<string> | null }>();

  const entry = (path: string): { due: number; names: Set<string> | null } => {
    let found = waiting.get(path);
    if (!found) {
      found = { due: performance.now() + delayMs, names: new Set() };
      waiting.set(path, found);
    }
    return found;
  };

  return {
    mark(path, name) {
      const marked = entry(path);
      marked.names?.add(name);
      if ((marked.names?.size ?? 0) > MAX_NAMES) marked.names = null;
    },
    markAll(path) {
      entry(path).names = null;
    },
    take(now) {
      for (const [path, { due, names }] of waiting) {
        if (due > now) return undefined;
        waiting.delete(path);
        return { path, names };
      }
      return undefined;
    },
    nextDue() {
      for (const { due } of waiting.values()) return due;
      return null;
    },
    size: () => waiting.size,
    clear: () => waiting.clear(),
  };
}
