import { cleanText } from "./clean-text.ts";
import { probeFile } from "./probe.ts";
import {
  type EmbeddedFile,
  type ParsedFile,
  type Part,
  type Probe,
  type Reader,
  type ReadLimits,
  ReadProblem,
} from "./reader.ts";
import { chooseReader, parserName } from "./registry.ts";
import { type SnapshotText, stripSnapshot } from "./snapshot.ts";
import { titleFrom } from "./title.ts";

/** Files inside files inside files are not followed for ever. */
const MAX_NESTING = 4;
/** What an inner file is called that has no name of its own. */
const NAMELESS = "attachment";

export interface ParseInput {
  readonly bytes: Uint8Array;
  /** In escaped form; its last segment is the file's name. */
  readonly relativePath: string;
  readonly snapshot: boolean;
  /** Marks part the pages of the file that the text was made from: `<!-- page 2 -->`, alone on a line. */
  readonly pages?: boolean;
  readonly limits: ReadLimits;
  readonly signal: AbortSignal | undefined;
  /** Which readers may be chosen; all of them by default. */
  readonly readers?: readonly Reader[];
}

export interface ParsedDocument extends Omit<ParsedFile, "children"> {
  readonly format: string;
  /** `<reader id>@<version>`. */
  readonly parser: string;
}

/**
 * A file's bytes → its parts, with those of the files inside it behind its own.
 * @throws ReadProblem when it gives no document; anything else a reader throws is a defect of the reader.
 */
export function parseBytes(input: ParseInput): Promise<ParsedDocument> {
  return parseAtDepth(input, 0);
}

/** Name of the reader that would be chosen. @throws ReadProblem when there is none. */
export async function parserOf(bytes: Uint8Array, relativePath: string): Promise<string> {
  return parserName(chooseReader(await probeFile(bytes, relativePath)));
}

async function parseAtDepth(input: ParseInput, depth: number): Promise<ParsedDocument> {
  if (input.bytes.length === 0) throw new ReadProblem("empty", "The file is empty.");
  const probe = await probeFile(input.bytes, input.relativePath);
  if (probe.text !== null && probe.text.text.trim() === "") {
    throw new ReadProblem("empty", "The file holds nothing but white space.");
  }
  const snapshot = input.snapshot && probe.text !== null ? stripSnapshot(probe.text.text) : null;
  const reader = chooseReader(probe, input.readers);
  const parsed = await reader.read({
    ...withBody(probe, snapshot),
    limits: input.limits,
    snapshot: snapshot !== null,
    firstLine: snapshot?.firstLine ?? 1,
    signal: input.signal,
  });
  const { parts, warnings } = await withChildren(parsed, input, depth);
  checkParts(parts, input.limits);
  return {
    format: reader.format,
    parser: parserName(reader),
    title: titleFrom(snapshot?.fields["title"]) ?? parsed.title,
    parts: input.pages === true ? parts.flatMap(pagesOf) : parts,
    metadata: snapshot === null ? parsed.metadata : { ...parsed.metadata, snapshot: snapshot.fields },
    warnings,
  };
}

const pageMark = /^<!-- page (\d{1,6}) -->$/m;

/** A part whose text has page marks, page by page; lines of the text are none of the file's. */
function pagesOf(part: Part): Part[] {
  // The pattern's group stands between the pieces: text, number, text, number, text …
  const pieces = part.text.split(pageMark);
  const parts: Part[] = [];
  for (let at = 0; at < pieces.length; at += 2) {
    const text = (pieces[at] ?? "").replace(/^\n+/, "");
    const locator = at === 0 ? null : { page: Number(pieces[at - 1]) };
    if (text.trim() !== "") parts.push({ text, markup: part.markup, locator, lines: null });
  }
  return parts;
}

function withBody(probe: Probe, snapshot: SnapshotText | null): Probe {
  if (snapshot === null || probe.text === null) return probe;
  return { ...probe, text: { ...probe.text, text: cleanText(snapshot.body) } };
}

/** Its files inside have what it leaves of the room for text: one that does not fit is left out, the others are read. */
async function withChildren(
  parsed: ParsedFile,
  input: ParseInput,
  depth: number,
): Promise<{ parts: Part[]; warnings: string[] }> {
  const parts = [...parsed.parts];
  const warnings = [...parsed.warnings];
  let left = input.limits.maxTextChars - lengthOf(parts);
  for (const child of parsed.children ?? []) {
    input.signal?.throwIfAborted();
    const name = titleFrom(child.name) ?? NAMELESS;
    const limits = { ...input.limits, maxTextChars: Math.max(0, left) };
    try {
      const inner = await parseChild(child, { ...input, limits }, depth + 1);
      left -= lengthOf(inner.parts);
      for (const part of inner.parts)
        parts.push({
          ...part,
          headings: [...(child.headings ?? []), name, ...(part.headings ?? [])],
          locator: child.locator === undefined ? part.locator : { ...child.locator, ...part.locator },
        });
      for (const warning of inner.warnings) warnings.push(`${name}: ${warning}`);
    } catch (error) {
      if (!(error instanceof ReadProblem)) throw error;
      warnings.push(`${name} was left out: ${error.message}`);
    }
  }
  return { parts, warnings };
}

async function parseChild(child: EmbeddedFile, input: ParseInput, depth: number): Promise<ParsedDocument> {
  if (depth >= MAX_NESTING) throw new ReadProblem("too_complex", "it is nested too deep.");
  return parseAtDepth({ ...input, bytes: child.bytes, relativePath: child.name, snapshot: false }, depth);
}

function lengthOf(parts: readonly Part[]): number {
  let length = 0;
  for (const part of parts) length += part.text.length;
  return length;
}

/** What every reader promises, looked after here once. */
function checkParts(parts: readonly Part[], limits: ReadLimits): void {
  const length = lengthOf(parts);
  for (const part of parts) {
    if (part.text !== cleanText(part.text)) throw new TypeError("a reader gave text that was not cleaned");
  }
  if (length > limits.maxTextChars) {
    throw new ReadProblem(
      "too_complex",
      `Its text has ${length} characters, more than the ${limits.maxTextChars} that fit.`,
    );
  }
}
