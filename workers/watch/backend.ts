/** What happened in a watched directory, as far as the system says. */
export interface Hint {
  /** Escaped name of the entry; null when it is not known. */
  readonly name: string | null;
  /** True when the entry may have come, gone or been replaced. */
  readonly renamed: boolean;
}

export type WatchOutcome =
  | { readonly kind: "live" }
  /** It is not there any more, or is no directory. */
  | { readonly kind: "absent" }
  /** The system has no more watches (ENOSPC), or no more inotify instances or descriptors (EMFILE). */
  | { readonly kind: "exhausted"; readonly code: "ENOSPC" | "EMFILE" }
  | { readonly kind: "failed"; readonly reason: string };

/** Watches single directories. Paths are absolute and escaped. */
export interface Backend {
  /**
   * Resolves when the directory is watched: what happens in it from then on gives a hint. `entries` is about how many it
   * has, as far as is known. After close() nothing is watched any more: "absent".
   */
  watch(path: string, onHint: (hint: Hint) => void, entries: number): Promise<WatchOutcome>;
  /** How many entries a watched directory turned out to have. */
  resize(path: string, entries: number): Promise<void>;
  unwatch(path: string): void;
  count(): number;
  close(): void;
}

export function outcomeOfError(error: unknown): WatchOutcome {
  const code = error instanceof Error && "code" in error ? error.code : "";
  if (code === "ENOENT" || code === "ENOTDIR") return { kind: "absent" };
  if (code === "ENOSPC" || code === "EMFILE") return { kind: "exhausted", code };
  return { kind: "failed", reason: error instanceof Error ? error.message : String(error) };
}
