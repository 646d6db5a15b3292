import type { Part, Reader, ReadLimits } from "../reader.ts";

/** Where a reader of a long file has come to: plain data, so that any thread may go on. */
export type StreamState = Readonly<Record<string, unknown>>;

/** The next bytes of a long file. */
export interface StreamInput {
  /** Where a window ends, a line, a row or a message may be cut through, but at the end of the file. */
  readonly window: Buffer;
  readonly atEnd: boolean;
  /** A window has no more than this many bytes: what does not fit is cut. */
  readonly isLongest: boolean;
  readonly encoding: string;
  /** The line of the file that the window begins with, 1-based. */
  readonly line: number;
  /** The file's own name, and its extension in lower case. */
  readonly name: string;
  readonly extension: string;
  readonly limits: ReadLimits;
  /** What the piece before has left; empty for the first. */
  readonly state: StreamState;
  readonly signal: AbortSignal | undefined;
}

/** What was read from the front of a window. The same bytes at the same place give the same piece, whatever follows. */
export interface StreamPiece {
  /** Bytes and lines that it takes, at least one byte. */
  readonly bytes: number;
  readonly lines: number;
  readonly parts: readonly Part[];
  /** What parts its last part from the next piece's first in the document's text. */
  readonly joint: string;
  /** Null where the file names none. */
  readonly title: string | null;
  /** Of the whole file as far as it was read. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly warnings: readonly string[];
  readonly state: StreamState;
}

/** Reads one format piece by piece, in memory that does not grow with the file. */
export interface StreamReader {
  /** What reads such files when they are short. */
  readonly reader: Reader;
  /** Null when nothing ends in the window and a longer one may help. */
  read(input: StreamInput): Promise<StreamPiece | null>;
}
