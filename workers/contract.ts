/**
 * What the main process asks of the worker host. Everything here is plain data that structured clone can carry.
 * Texts are UTF-16 strings, offsets are UTF-16 units, times are milliseconds, hashes are lower-case hex sha256.
 */
import type { CaptureInput, CaptureOutcome } from "./fetch/contract.ts";
import type { PackedTexts } from "./latent/packed-texts.ts";

export interface ChunkSettings {
  /** Tokens a chunk aims at, and tokens it repeats of the chunk before. */
  readonly chunkSize: number;
  readonly chunkOverlap: number;
  readonly strategy: "structured" | "delimiter";
  /** Escapes are not decoded yet. */
  readonly separator: string | null;
  readonly hard: boolean;
}

/** What tells one state of a file from another. Nanoseconds and inodes do not fit a double, hence strings. */
export interface FileStamp {
  readonly size: number;
  readonly mtimeNs: string;
  readonly ctimeNs: string;
  readonly ino: string;
  readonly dev: string;
}

export interface Locator {
  page?: number | undefined;
  lineStart?: number | undefined;
  lineEnd?: number | undefined;
  sheet?: string | undefined;
  range?: string | undefined;
  slide?: number | undefined;
  chapter?: string | undefined;
  timestampMs?: number | undefined;
  messageId?: string | undefined;
}

export interface ReadFileInput {
  /** Echoed in the outcome, so that a batch may be answered in any order. */
  readonly key: number;
  /** Absolute path in the escaped form of path-bytes.ts. */
  readonly path: string;
  /** The file's real path must lie within this real folder; null for files that the base owns. */
  readonly root: string | null;
  /** sha256 of the bytes that are indexed now: the same bytes again are answered with `unchanged`. */
  readonly knownHash: string | null;
  /** `<reader>@<version>` that read those bytes: when another reader or version would read them now, they are read again. */
  readonly knownParser: string | null;
  readonly maxBytes: number;
  readonly materialId: string;
  /** The concept id: its path inside the base. The last segment is the file's name for people. */
  readonly relativePath: string;
  readonly chunking: ChunkSettings;
  /** Strip OKF frontmatter (url and note items alone). */
  readonly snapshot: boolean;
  /** A larger file is read slice by slice where its format allows it; 8 MiB by default. */
  readonly longFileBytes?: number;
  /** A new path: where the text goes when it is too long for one message. Without it the answer holds all of it. */
  readonly spool?: string;
  /** Marks part the pages of the file that the text was made from: `<!-- page 2 -->`, alone on a line. */
  readonly pages?: boolean;
}

/** One chunk, ready to be stored: ids by K7.6, words shaped for the word index. `text` is text.slice(charStart, charEnd). */
export interface PreparedUnit {
  readonly unitId: string;
  readonly searchTextId: string;
  /** sha256 of what is embedded: the chunk's text. Equal texts share one vector (K8.5). */
  readonly textHash: string;
  readonly unitIndex: number;
  readonly charStart: number;
  readonly charEnd: number;
  readonly title: string;
  readonly headings: readonly string[];
  readonly locator: Locator | null;
  readonly wordsTitle: string;
  readonly wordsBody: string;
}

export interface PreparedDocument {
  readonly format: string;
  /** What each chunk is found by too: the document's title, tags and other names. */
  readonly names: readonly string[];
  /** `<reader id>@<version>`; a newer reader reads the file again. */
  readonly parser: string;
  readonly title: string;
  readonly text: string;
  readonly contentHash: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly warnings: readonly string[];
  readonly units: readonly PreparedUnit[];
}

/** One piece of a long document, stored as a text of its own: offsets of its units count from its start (K7.1). */
export interface PreparedSegment {
  readonly text: string;
  readonly contentHash: string;
  readonly units: readonly PreparedUnit[];
}

/** A document whose text waits in a file, segment by segment (see spool.ts); whoever gave the path removes it. */
export interface SpooledDocument extends Omit<PreparedDocument, "text" | "contentHash" | "units"> {
  readonly spool: string;
}

/** Where the reading of a long file has come to: any thread goes on from here. Plain data. */
export interface SliceCursor {
  /** Of the file when its first slice was read; bytes that are added behind its end later are not read. */
  readonly stamp: FileStamp;
  readonly byteHash: string;
  /** The id of the format's reader. */
  readonly reader: string;
  readonly encoding: string;
  readonly title: string;
  /** The next byte, and its line, 1-based. */
  readonly at: number;
  readonly line: number;
  /** Units so far. */
  readonly units: number;
  /** It was written to since: whether what is read is what was hashed is looked at once more at the end. */
  readonly touched: boolean;
  /** What the format's reader has to know. */
  readonly state: Readonly<Record<string, unknown>>;
}

export interface ReadSliceInput {
  readonly file: ReadFileInput;
  /** Null for the first slice. */
  readonly cursor: SliceCursor | null;
  /** Bytes that a slice takes, and bytes of a message that it may grow to; about 1 MiB and 32 MiB by default. */
  readonly sliceBytes?: number;
  readonly maxSliceBytes?: number;
}

/** The next piece of a long file. Format, parser and title are the same in each. */
export interface PreparedSlice {
  readonly format: string;
  readonly parser: string;
  readonly title: string;
  /** Of the file as far as it was read. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Of this slice alone. */
  readonly warnings: readonly string[];
  /** None where nothing in it is text; several where one message has a long text. */
  readonly segments: readonly PreparedSegment[];
  /** Null after the last slice. */
  readonly next: SliceCursor | null;
}

/** Why a file gave no document. `permanent`: the same bytes will fail again. `gone` and `io` say nothing about the bytes. */
export type ReadFailure =
  | "empty"
  | "no_text"
  | "no_text_layer"
  | "bad_text_layer"
  | "needs_password"
  | "corrupt"
  | "unsupported"
  | "too_large"
  | "too_complex"
  | "gone"
  | "not_regular"
  | "outside_root"
  | "permission"
  | "io"
  | "parser_error";

export type ReadOutcome =
  | {
      readonly kind: "document";
      readonly key: number;
      readonly byteHash: string;
      readonly stamp: FileStamp;
      readonly document: PreparedDocument;
    }
  | {
      readonly kind: "spooled";
      readonly key: number;
      readonly byteHash: string;
      readonly stamp: FileStamp;
      readonly document: SpooledDocument;
    }
  | { readonly kind: "unchanged"; readonly key: number; readonly byteHash: string; readonly stamp: FileStamp }
  /** It was being written while it was read. */
  | { readonly kind: "changing"; readonly key: number }
  /** There was no room for its spool: it is read again when there is. */
  | { readonly kind: "disk_full"; readonly key: number }
  /** It is large, and of a format that can be read slice by slice: ask for `files.readSlice`. */
  | { readonly kind: "long"; readonly key: number }
  | {
      readonly kind: "failed";
      readonly key: number;
      readonly failure: ReadFailure;
      /** A sentence for people: what is wrong and, where there is one, the way out. */
      readonly message: string;
      readonly permanent: boolean;
      readonly byteHash: string | null;
      readonly stamp: FileStamp | null;
    };

export type SliceOutcome =
  | {
      readonly kind: "slice";
      readonly key: number;
      readonly byteHash: string;
      readonly stamp: FileStamp;
      readonly slice: PreparedSlice;
    }
  | Exclude<ReadOutcome, { kind: "document" | "spooled" | "disk_full" | "long" }>;

export interface EmbedInput {
  /** Absolute paths of the model's two files. */
  readonly modelPath: string;
  readonly vocabularyPath: string;
  readonly texts: readonly string[];
}

export interface EmbedOutput {
  readonly dimensions: number;
  /** texts.length × dimensions, row after row, each normalised or all zero. */
  readonly vectors: Float32Array;
}

export interface FitLatentInput {
  readonly pages: readonly PackedTexts[];
}

export interface FitLatentOutput {
  /** Encoded (latent/basis.ts); null when the texts have too little in common. */
  readonly basis: { readonly dimensions: number; readonly bytes: Uint8Array } | null;
}

export interface FoldLatentInput {
  /** Names the basis, by its bytes: a thread keeps the one that it folded with last. */
  readonly key: string;
  /** Encoded; null asks a thread that has it. */
  readonly basis: Uint8Array | null;
  readonly page: PackedTexts;
}

export interface FoldLatentOutput {
  /** texts × dimensions, row after row, all zero for a text without a known term. Null: this thread needs the basis. */
  readonly vectors: Int8Array | null;
}

/** Each task of the worker host: its input and its output. */
export interface WorkerTasks {
  /** `deadlineMs`: what the task has, so that a reader can end before it with what it has read. */
  "files.read": {
    input: { files: readonly ReadFileInput[]; deadlineMs?: number };
    output: { outcomes: ReadOutcome[] };
  };
  "files.readSlice": { input: ReadSliceInput; output: SliceOutcome };
  "url.capture": { input: CaptureInput; output: CaptureOutcome };
  "texts.embed": { input: EmbedInput; output: EmbedOutput };
  "latent.fit": { input: FitLatentInput; output: FitLatentOutput };
  "latent.fold": { input: FoldLatentInput; output: FoldLatentOutput };
  /** Answers at once: proves that the pool's threads load. */
  ping: { input: Record<string, never>; output: { pid: number } };
}

export type WorkerTaskName = keyof WorkerTasks;

/** Main → host. Every host (worker and search) speaks these. */
export type HostRequest =
  | {
      readonly type: "run";
      readonly id: number;
      readonly task: string;
      readonly input: unknown;
      readonly deadlineMs: number;
    }
  | { readonly type: "cancel"; readonly id: number }
  | { readonly type: "stop" };

/** Host → main. `ready` comes once, when the host can take tasks; `fatal` when it never will. */
export type HostResponse =
  | { readonly type: "ready"; readonly pid: number }
  | { readonly type: "fatal"; readonly message: string }
  | { readonly type: "done"; readonly id: number; readonly output: unknown }
  | { readonly type: "error"; readonly id: number; readonly name: string; readonly message: string }
  | { readonly type: "memory"; readonly rssBytes: number };

/** Names of the errors a host answers with, beside those that a task throws itself. */
export type HostErrorName =
  | "TASK_FAILED"
  | "TASK_ABORTED"
  | "TASK_DEADLINE"
  | "THREAD_CRASHED"
  | "QUEUE_FULL"
  | "PATTERN_INVALID";
