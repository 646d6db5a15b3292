import type { BaseModelStore } from "./base-models-contract.ts";
import type { ItemFilter, ItemPlace, VisibleItem } from "./item-filter.ts";
import type { LedgerStore } from "./ledger-contract.ts";
import type { ProcessedStore } from "./processed-contract.ts";
import type { SnapshotStore } from "./snapshots-contract.ts";
import type { TokenStore } from "./tokens-contract.ts";
import type { Base } from "../../../rpc/contract/bases.ts";
import type { Item, ItemFailure, ItemStatus, ItemType, TreeNode } from "../../../rpc/contract/items.ts";
import type { Job, JobKind, JobState } from "../../../rpc/contract/jobs.ts";
import type { Source, SourceState } from "../../../rpc/contract/sources.ts";
import type { Change } from "../../../rpc/contract/system.ts";

export interface PageRequest {
  readonly limit: number;
  readonly cursor?: string | undefined;
}
/** A list of what stands in several bases. */
export interface PageOfBases extends PageRequest {
  /** Only of these; null or left out for all. */
  readonly baseIds?: readonly string[] | null | undefined;
}
export interface Page<T> {
  readonly items: T[];
  readonly cursor?: string;
}

export type BaseInput = Omit<Base, "createdAt" | "updatedAt" | "status" | "error">;
export type BasePatch = Partial<Omit<Base, "id" | "createdAt" | "updatedAt">>;

export interface BaseStore {
  /** Throws INVALID_FIELD for what the database would refuse (K3.1), BASE_NAME_TAKEN for a name in use. */
  create(input: BaseInput): Base;
  get(id: string): Base | undefined;
  /** Throws BASE_NOT_FOUND. */
  require(id: string): Base;
  all(): Base[];
  list(page: PageOfBases): Page<Base>;
  update(id: string, patch: BasePatch): Base;
  /** Removes the row; items, sources, jobs of the base must be gone (they are removed here too, by cascade). */
  remove(id: string): void;
  /** Leaf items by status without deleting ones, chunks, stale ones; cheap enough to ask each second. */
  counts(id: string): {
    items: number;
    completed: number;
    /** Without skipped ones. */
    failed: number;
    skipped: number;
    /** Completed ones of which something could not be read. */
    warned: number;
    active: number;
    stale: number;
    chunks: number;
  };
}

export interface NewItem {
  readonly baseId: string;
  readonly groupId: string | null;
  readonly sourceId: string | null;
  readonly type: ItemType;
  readonly title: string;
  /** Wanted concept id; a `_N` suffix is put in when it is taken (K5.1, K2.3). */
  readonly conceptId: string;
  /** Absolute path in escaped form for watched files and folders, else null. */
  readonly path: string | null;
  /** What a conflict is found by (K5.4): source path, URL, or a note's first line. */
  readonly sourceKey: string | null;
  /** A processor will write the file's Markdown beside it: the `.md` slot is reserved too (K5.1). */
  readonly processed?: boolean;
}

export interface CompletedRevision {
  readonly format: string;
  readonly title: string;
  readonly contentHash: string;
  readonly chunkCount: number;
  readonly sizeBytes: number;
  readonly warnings: readonly string[];
  /** Fingerprint of the chunk settings it was made with; differs from the base's → stale (K3.3). */
  readonly fingerprint: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface ItemStore {
  /**
   * Creates a leaf in status idle, a directory, which is empty still, in completed (K4.3), reserving the concept id.
   * Throws BASE_NOT_FOUND, PATH_INVALID, ITEM_NOT_FOUND / ITEM_DELETING for a bad parent.
   */
  create(input: NewItem): Item;
  createMany(inputs: readonly NewItem[]): Item[];
  get(id: string): Item | undefined;
  require(id: string): Item;
  many(ids: readonly string[]): Map<string, Item>;
  list(
    query: {
      baseId: string;
      groupId?: string | null;
      type?: ItemType;
      status?: ItemStatus;
      warned?: boolean;
    } & PageRequest,
  ): Page<Item>;
  tree(baseId: string, limit: number): { nodes: TreeNode[]; truncated: boolean };
  byConceptId(baseId: string, conceptId: string): Item | undefined;
  byPath(path: string): Item[];
  bySourceKey(baseId: string, type: ItemType, sourceKey: string): Item | undefined;
  /** What conflicts with the item are found by (K5.4); null where nothing can conflict with it. */
  sourceKeyOf(id: string): string | null;
  /** Items that may be shown for these ids (K1.2): completed, not missing, of this base. */
  visible(baseId: string, ids: readonly string[]): Map<string, VisibleItem>;
  /** Where these stand, as far as they may be shown. */
  visiblePlaces(baseId: string, ids: readonly string[]): Map<string, ItemPlace>;
  /**
   * Ids of the base's visible leaf items that pass a filter, in no order; null when no filter narrows. Other work gets its
   * turn in between. Rejects with the signal's reason.
   */
  matching(baseId: string, filter: ItemFilter, signal: AbortSignal): Promise<string[] | null>;
  /** Where these items stand; those that are gone are left out. */
  places(ids: readonly string[]): ItemPlace[];
  /** Of the base's visible leaf items, or of those among them, the ones that were changed last, or first. */
  byTime(
    baseId: string,
    among: readonly string[] | null,
    options: { readonly order: "newest" | "oldest"; readonly limit: number; readonly signal: AbortSignal },
  ): Promise<{ id: string; changedAt: number }[]>;
  /** A page of a directory's children in the order of their concept ids, without deleting ones; the first is after "". */
  childrenAfter(
    id: string,
    after: string,
    limit: number,
  ): { id: string; isDirectory: boolean; conceptId: string }[];
  leavesOfBase(baseId: string, options?: { staleOnly?: boolean }): string[];
  /** The one setter of states (K4): refuses a transition that is not in the table; deleting ones are left alone (K4.1) and reported as not changed. Parents follow in the same transaction (K4.3). */
  setStatus(ids: readonly string[], status: ItemStatus): string[];
  complete(id: string, revision: CompletedRevision): boolean;
  completeMany(entries: readonly { id: string; revision: CompletedRevision }[]): void;
  /** Marks failed with a non-blank reason; false when the item is deleting or gone. */
  fail(
    id: string,
    reason: string,
    patch?: { failure?: ItemFailure | null; format?: string | null; sizeBytes?: number | null },
  ): boolean;
  /** The revision before still answers; says why the new one is not there (null clears). */
  setRefreshError(id: string, reason: string | null): void;
  setMissing(ids: readonly string[], since: number | null): void;
  /** A file moved: new path, concept id (with `_N` where taken), title; id stays (K11.1). Returns the item. */
  move(id: string, to: { path: string; conceptId: string; title: string; groupId: string | null }): Item;
  /** Marks the items and all below them deleting; answers, leaves first, what it marked, and the named ones in any case. */
  beginDelete(ids: readonly string[]): Item[];
  /** Rows gone, parents follow. Only for items in deleting. */
  remove(ids: readonly string[]): void;
  /** Some of a base's items that wait to be purged, no directory before what stands in it; `except` is passed over. */
  deleting(baseId: string, limit: number, except?: readonly string[]): Item[];
  /** Of these directory items, those that hold nothing any more, not even deleting children. */
  childless(ids: readonly string[]): string[];
  countFailed(sourceIds: readonly string[]): number;
  /** After a crash (K4.6): leaves in flight go back to idle, and are returned. */
  recoverInFlight(): string[];
  /** Idle leaves that no job stands for: what a crash cut off before it was queued (K4.6). */
  idleWithoutJob(): string[];
}

export interface SourceStore {
  create(
    input: Omit<
      Source,
      "id" | "createdAt" | "updatedAt" | "files" | "lastScanAt" | "state" | "stateReason"
    > & {
      /** A UUID v7; left out, one is made. */
      readonly id?: string;
    },
  ): Source;
  get(id: string): Source | undefined;
  require(id: string): Source;
  all(): Source[];
  list(query: PageOfBases): Page<Source>;
  update(id: string, patch: Partial<Omit<Source, "id" | "baseId" | "createdAt" | "files">>): Source;
  setState(id: string, state: SourceState, reason: string | null): void;
  /** Device and inode of the root when it was last seen well, as strings; null before. */
  rootIdentity(id: string): { dev: string; ino: string } | null;
  setRootIdentity(id: string, identity: { dev: string; ino: string }): void;
  remove(id: string): void;
}

export interface NewJob {
  readonly kind: JobKind;
  readonly baseId: string;
  readonly itemId: string;
  readonly sourceId: string | null;
  readonly priority: number;
  readonly runAfter: number;
}

/** A claimed job, with what its crash history says. */
export interface ClaimedJob extends Job {
  /** It was in flight when a host crashed or a deadline passed: run it alone. */
  readonly suspect: boolean;
  /** How often it was alone in a host that crashed. */
  readonly lonelyCrashes: number;
}

export interface JobCounts {
  queued: number;
  running: number;
  parked: number;
  failed: number;
}

export interface JobStore {
  /** One queued job per (kind, item): a second one only raises priority and moves runAfter (a burst is one job). Answers how many are new. */
  enqueue(jobs: readonly NewJob[]): number;
  /**
   * Jobs that wait for a person's word from the start. Answers those that now do so, one that was parked before included; an
   * item that is queued or worked on already is left to that.
   */
  enqueueParked(jobs: readonly NewJob[], error: string): Job[];
  /** Marks up to `limit` due jobs running, attempts + 1, in one transaction, best priority first, never two of one item, suspects only when `suspects` is set (then one). */
  claim(query: {
    now: number;
    limit: number;
    kind: JobKind;
    suspects: boolean;
    basesExcluded?: readonly string[];
  }): ClaimedJob[];
  /** The soonest runAfter of a queued job of this kind, or null. */
  nextDue(kind: JobKind): number | null;
  finish(ids: readonly number[]): void;
  retry(id: number, runAfter: number, error: string | null, options?: { attempt?: "keep" | "undo" }): void;
  markSuspects(ids: readonly number[], options: { lonely: boolean; error: string; runAfter: number }): void;
  fail(id: number, error: string): void;
  park(ids: readonly number[], error: string): void;
  get(id: number): Job | undefined;
  list(query: { state?: JobState } & PageOfBases): Page<Job>;
  cancel(id: number): void;
  cancelOfItems(itemIds: readonly string[]): number[];
  cancelOfBase(baseId: string): number[];
  retryAll(state: "failed" | "parked"): number;
  counts(): JobCounts;
  /** The same of these bases; costs what waits in all of them. */
  countsOf(baseIds: readonly string[]): JobCounts;
  /** Queued and running jobs that can go on now: those of a source that is unavailable wait until it is back (K11.2). */
  active(): number;
  /** The newest id given out so far; 0 before the first. */
  lastId(): number;
  /** Index jobs of these sources (null: of all) up to this id that are still to finish: waiting for the first time or running, and waiting after a failure. */
  outstanding(query: { sourceIds: readonly string[] | null; upToId: number }): {
    pending: number;
    failing: number;
  };
  /** After a crash: running → queued; those that were dispatched then are suspects. Answers how many. */
  recover(now: number): number;
}

export interface ChangeLog {
  /** Called inside the transaction that makes the change. */
  append(change: Omit<Change, "seq" | "at">): void;
  since(seq: number, limit: number): { changes: Change[]; seq: number; reset: boolean; more: boolean };
  lastSeq(): number;
  /** Rows that were written since the start, of whatever kind: while it stays the same, all that was read before still holds. */
  written(): number;
  /** Listeners hear each change after its transaction has committed, in order. */
  subscribe(listener: (changes: readonly Change[]) => void): () => void;
}

/** The catalogue: the only authority on what exists (K1.1). All calls are synchronous; each is one transaction unless joined. */
export interface Catalog {
  readonly bases: BaseStore;
  readonly baseModels: BaseModelStore;
  readonly items: ItemStore;
  readonly processed: ProcessedStore;
  readonly snapshots: SnapshotStore;
  readonly sources: SourceStore;
  readonly ledger: LedgerStore;
  readonly jobs: JobStore;
  readonly tokens: TokenStore;
  readonly changes: ChangeLog;
  transaction<T>(fn: () => T): T;
  /** True when the last daemon closed this catalogue in good order. */
  readonly closedCleanly: boolean;
  /** The readers (`<id>@<version>`) of the last daemon that looked whether there are new ones; null before the first. */
  readers(): readonly string[] | null;
  setReaders(names: readonly string[]): void;
  close(): void;
}
