import type { Locator, ReadFailure } from "../contract.ts";

/** How a part's text is built, which tells the chunker where it may be cut. */
export type Markup = "markdown" | "plain" | "code" | "table";

/** Which lines of the file the lines of a part's text come from; numbers are 1-based. */
export type LineMap =
  | { readonly kind: "same"; readonly first: number }
  | { readonly kind: "map"; readonly of: readonly number[] };

/** A heading that a reader knows of: a section's title, or a symbol of source code. */
export interface OutlineEntry {
  /** The line of the part's text that it begins with, 0-based. */
  readonly line: number;
  /** 1 is the outermost. */
  readonly level: number;
  readonly text: string;
  /** The line after its last one, where it ends before the next entry of its level or above; kept whole where it fits. */
  readonly endLine?: number;
}

/** One document of an item: a page, a sheet, a chapter, or the whole. Parts are chunked apart. */
export interface Part {
  readonly text: string;
  readonly markup: Markup;
  /** What all its chunks' locators have; lines are added to it. */
  readonly locator: Locator | null;
  /** Null where the file has no lines that a person would count. */
  readonly lines: LineMap | null;
  /** What stands above all its headings, outermost first. */
  readonly headings?: readonly string[];
  /** Where front matter ends: what stands before it has no headings. */
  readonly bodyStart?: number;
  /** Headings in the order of their lines, for any markup: they stand instead of those that the chunker would find. */
  readonly outline?: readonly OutlineEntry[];
}

/** A file inside the file (attachment, archive entry), still to be read. */
export interface EmbeddedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** What stands above it, outermost first: the message that it is attached to, say. */
  readonly headings?: readonly string[];
  /** Where in the outer file it belongs; its own parts add their places to it. */
  readonly locator?: Locator;
}

export interface ParsedFile {
  /** Null where the file names no title: then its first heading serves, else its name. */
  readonly title: string | null;
  readonly parts: readonly Part[];
  /** Plain data that structured clone and JSON can carry. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly warnings: readonly string[];
  readonly children?: readonly EmbeddedFile[];
}

/** A file's bytes as text: without BOM, NUL, lone surrogates and CR. */
export interface DecodedText {
  readonly text: string;
  /** Its WHATWG name, lower case. */
  readonly encoding: string;
  readonly warnings: readonly string[];
}

/** What is known of a file before a reader is chosen. Bytes decide; the name only helps. */
export interface Probe {
  readonly bytes: Uint8Array;
  /** The file's own name, for people. */
  readonly name: string;
  /** Lower case, without the dot; empty when there is none. */
  readonly extension: string;
  /** Null when the bytes are no text. */
  readonly text: DecodedText | null;
  /** Told by the bytes of a file that is no text; null when unknown. */
  readonly mediaType: string | null;
}

export interface ReadLimits {
  /** Characters of all parts together. */
  readonly maxTextChars: number;
  /** Tokens that a chunk aims at, for readers that group what they read. */
  readonly chunkTokens: number;
  /** On the clock of `performance.now()`: from then on a reader that can leaves it at what it has read. */
  readonly until?: number | undefined;
}

export interface ReadInput extends Probe {
  readonly limits: ReadLimits;
  /** The text comes out of a snapshot whose frontmatter is taken off already: none is looked for. */
  readonly snapshot: boolean;
  /** The line of the file that the text begins with, 1-based. */
  readonly firstLine: number;
  readonly signal: AbortSignal | undefined;
}

/** Turns one format into parts. Stateless; loads its libraries when it first reads. */
export interface Reader {
  readonly id: string;
  /** Raised when its output changes: files are then read again. */
  readonly version: number;
  /** The name of the format in results. */
  readonly format: string;
  /** What people call such files: "Word document". */
  readonly name: string;
  /** Usual extensions, lower case without the dot; bytes decide all the same. */
  readonly extensions: readonly string[];
  /** What does the work: a library with its version, or `own`. */
  readonly library: string;
  recognises(probe: Probe): boolean;
  /** @throws ReadProblem when the file gives no document. */
  read(input: ReadInput): Promise<ParsedFile> | ParsedFile;
}

/** Why a file gives no document, with a sentence for people. */
export class ReadProblem extends Error {
  override readonly name = "ReadProblem";
  readonly failure: ReadFailure;
  /** The same bytes will fail again. */
  readonly permanent: boolean;

  constructor(failure: ReadFailure, message: string, permanent = true) {
    super(message);
    this.failure = failure;
    this.permanent = permanent;
  }
}
