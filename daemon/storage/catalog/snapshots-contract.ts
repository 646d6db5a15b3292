import type { CaptureForm, Validators } from "../../../workers/fetch/contract.ts";

/** What a captured URL came from. */
export interface Snapshot {
  readonly itemId: string;
  readonly form: CaptureForm;
  /** As it was given, trimmed. */
  readonly url: string;
  /** The one that was given, if any: a refresh keeps it. */
  readonly title: string | null;
  readonly allowPrivate: boolean;
  /** Of the last answer that was kept. */
  readonly validators: Validators;
  /** Of what was kept, without frontmatter. */
  readonly hash: string;
  readonly warnings: readonly string[];
  /** Null: fetched again when somebody asks for it. */
  readonly refreshEveryMs: number | null;
  /** Null exactly when refreshEveryMs is. */
  readonly refreshAt: number | null;
  /** Refreshes that failed since the last one that did not. */
  readonly failures: number;
}

export interface SnapshotStore {
  get(itemId: string): Snapshot | undefined;
  put(snapshot: Snapshot): void;
  /** A copy of an item comes from where the item does; nothing to do for what is no snapshot. */
  copy(fromItemId: string, toItemId: string): void;
  /** How many could not be refreshed when it was tried last. */
  failing(): number;
  /** Those that are due, the longest due first. */
  due(now: number, limit: number): Snapshot[];
}
