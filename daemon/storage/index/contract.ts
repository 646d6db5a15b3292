import type { PreparedUnit } from "../../../workers/contract.ts";

/** One revision of one material, ready to be stored. */
export interface MaterialRevision {
  readonly materialId: string;
  readonly relativePath: string;
  /** The reader's name for the kind of text ("markdown", "code"): it decides how words are shaped. */
  readonly format: string;
  /** The document's title, tags and other names, which are words of each of its chunks. */
  readonly names?: readonly string[];
  readonly text: string;
  readonly contentHash: string;
  readonly units: readonly PreparedUnit[];
  /** New vectors by text hash; hashes that the index has already may be left out. Null in a base without a model. */
  readonly vectors: ReadonlyMap<string, Float32Array> | null;
}

/** Whose new revision is staged, and how its words are shaped. */
export type StagedHead = Pick<MaterialRevision, "materialId" | "relativePath" | "format" | "names">;

/** One piece of a text that is too long for one row; its offsets count from its own start. */
export interface StagedSegment {
  readonly text: string;
  readonly contentHash: string;
  /** Their indexes run on over the segments of the document. */
  readonly units: readonly PreparedUnit[];
  readonly vectors: MaterialRevision["vectors"];
}

/**
 * A revision that comes segment by segment and is seen as a whole: the one before answers until `commit` (K8.5). What is
 * discarded, or left by a crash, is removed in bounded steps.
 */
export interface Staging {
  /**
   * Takes in the next segment, all or nothing. Throws RevisionRejected (MissingVectors: embed them and try again), and
   * SqliteError.
   */
  add(segment: StagedSegment): Promise<void>;
  /** Puts it in the place of the revision before. Ends the staging. Answers the hash of the whole. */
  commit(): Promise<{ contentHash: string; units: number }>;
  /** Does nothing after a commit. */
  discard(): void;
}

/** ready: answers. rebuilding: was recreated empty, its material is on the way in again. */
export type IndexState = "ready" | "rebuilding";

/** A revision that can't be stored as it is: nothing of it was written. */
export class RevisionRejected extends Error {
  override readonly name: string = "RevisionRejected";
}

/** Coverage (K8.4): these text hashes have a vector neither in the revision nor in the index any more. Embed them and try again. */
export class MissingVectors extends RevisionRejected {
  override readonly name: string = "MissingVectors";
  readonly hashes: readonly string[];
  constructor(hashes: readonly string[]) {
    super(`${hashes.length} chunks have no vector`);
    this.hashes = hashes;
  }
}

export interface CommitOutcome {
  readonly materialId: string;
  /** Null when it is stored; else why it was not: RevisionRejected, or SQLite's own error (a full disk). The one before is in place. */
  readonly error: Error | null;
}

export interface CheckReport {
  readonly ok: boolean;
  readonly problems: { kind: string; count: number; example?: string }[];
  readonly units: number;
  readonly vectors: number;
}

/** A basis of latent vectors, without its numbers. */
export interface LatentHead {
  readonly version: number;
  /** sha256 of its bytes: an index that is made again counts its versions anew. */
  readonly fingerprint: string;
  /** Of the shaping of terms: a basis of another one is of no use any more. */
  readonly termsVersion: number;
  readonly dimensions: number;
  /** Units of the base when it was fitted. */
  readonly fittedUnits: number;
  /** Units up to this number have their vectors. */
  readonly foldedTo: number;
}

export interface LatentState {
  /** The one that searches use. */
  readonly current: LatentHead | null;
  /** The one that takes its place when it has a vector for each unit. */
  readonly filling: LatentHead | null;
  /** Vectors of a former one are still there. */
  readonly leftovers: boolean;
  readonly units: number;
  /** The lowest and the highest number that a unit has; 0 without units. */
  readonly oldest: number;
  readonly newest: number;
}

export interface LatentIndex {
  state(baseId: string): Promise<LatentState>;
  /** Encoded as it was begun; null when there is no such version any more. */
  basis(baseId: string, version: number): Promise<Uint8Array | null>;
  /** Takes in a new basis, in the place of one that is filling; answers its version. */
  begin(
    baseId: string,
    basis: Pick<LatentHead, "termsVersion" | "dimensions" | "fittedUnits"> & { readonly bytes: Uint8Array },
  ): Promise<number>;
  /**
   * Vectors of units, numbers.length × dimensions; units that are gone and vectors of zeros are left out. All up to foldedTo
   * are done then. False when there is no such version any more.
   */
  add(
    baseId: string,
    version: number,
    page: { readonly numbers: readonly number[]; readonly vectors: Int8Array; readonly foldedTo: number },
  ): Promise<boolean>;
  /** Makes the filling one current, if it has all vectors; the current one is old then. */
  swap(baseId: string, version: number): Promise<boolean>;
  /** Removes what is old; resolves when nothing is left of it. */
  sweep(baseId: string): Promise<void>;
}

/**
 * Every base's index, and the only way to write to one. Each writing call takes the base's mutex, works in slices of at
 * most sliceMs and yields to the event loop between them; calls for different bases run side by side.
 * Opening is lazy. A missing, corrupt or foreign index, or one of another schema version, is recreated empty and
 * `onRecreated` is told (K8.2). A destroyed base throws BASE_NOT_FOUND, a closed registry STOPPING.
 */
export interface IndexRegistry {
  indexPath(baseId: string): string;
  rawPath(baseId: string): string;
  state(baseId: string): IndexState;
  setState(baseId: string, state: IndexState): void;
  /** Makes folder and index of a new base. */
  create(baseId: string, options: { substring: boolean }): Promise<void>;
  /** Opens it now (else the first use does). */
  open(baseId: string): Promise<void>;
  /** Which of these text hashes have no vector yet, each once, in their order. */
  missingVectors(baseId: string, textHashes: readonly string[]): Promise<string[]>;
  /** Group commit: small revisions share transactions, a large one is written in slices inside its own; each is all or nothing. */
  commit(baseId: string, revisions: readonly MaterialRevision[]): Promise<CommitOutcome[]>;
  /** Begins a revision of many segments. */
  stage(baseId: string, head: StagedHead): Promise<Staging>;
  /** Removes materials in short steps (K8.6); safe to repeat (K8.8). */
  remove(baseId: string, materialIds: readonly string[], options?: { signal?: AbortSignal }): Promise<void>;
  /**
   * A material's path changed: path and the word index's title follow; units, text and vectors stay. A material that is
   * not in the index, or has that path, is left alone. One that still holds the path makes way until it is moved itself.
   */
  rename(baseId: string, materialId: string, relativePath: string): Promise<void>;
  /** All materials that can be seen, with the hash of their text, in slices, for comparison with the catalogue. */
  materials(
    baseId: string,
    visit: (slice: readonly { materialId: string; contentHash: string | null }[]) => void,
  ): Promise<void>;
  /**
   * Fills or drops the trigram table of a base (setting `substring`), in slices; safe to repeat. A later call with the
   * contrary ends it. What a stop has cut off goes on when the index is opened the next time.
   */
  setSubstring(baseId: string, substring: boolean): Promise<void>;
  /** Takes all vectors of a base away, in slices; safe to repeat. Texts and words stay. */
  dropVectors(baseId: string): Promise<void>;
  readonly latent: LatentIndex;
  /**
   * One bounded step of upkeep for idle moments (word index segments, packs of vectors, checkpoint); answers whether there is
   * more to do.
   */
  merge(baseId: string): Promise<boolean>;
  /** K8.7: checkpoint; optimize and VACUUM when free pages are ≥ 20 % and ≥ 8 MiB. `force` skips those two bounds. */
  reclaim(baseId: string, options?: { force?: boolean }): Promise<{ freedBytes: number }>;
  /** Reads everything there is in slices. A damaged file is reported and recreated empty; other problems are only reported. */
  check(baseId: string): Promise<CheckReport>;
  /** Puts the index aside and starts an empty one; `onRecreated` is told. */
  recreate(baseId: string, reason: string): Promise<void>;
  counts(baseId: string): Promise<{ materials: number; units: number }>;
  /** Closes the store and removes the base's whole folder (K3.5). */
  destroy(baseId: string): Promise<void>;
  /** Runs `fn` while nobody else writes to the base, for steps that tie index and files. `fn` may call this registry itself. */
  runExclusive<T>(baseId: string, fn: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}
