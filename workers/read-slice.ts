import { chunkParts } from "./chunk/chunk.ts";
import type {
  FileStamp,
  PreparedSlice,
  ReadFileInput,
  ReadSliceInput,
  SliceCursor,
  SliceOutcome,
} from "./contract.ts";
import { FileRefused, isSameFile, type OpenedFile, sameStamp, withOpenFile } from "./parse/open-file.ts";
import { ReadProblem } from "./parse/reader.ts";
import { parserName } from "./parse/registry.ts";
import { cutSegments } from "./parse/segments.ts";
import {
  type ChosenStream,
  chooseStream,
  encodingOfPart,
  HEAD_BYTES,
  streamOf,
} from "./parse/stream/choose-stream.ts";
import { scanBytes } from "./parse/stream/scan-bytes.ts";
import type { StreamPiece, StreamReader } from "./parse/stream/stream-reader.ts";
import { titleFromName } from "./parse/title.ts";
import { displayPath } from "./path-bytes.ts";
import { readFailureOf } from "./read-failure.ts";

const SLICE_BYTES = 1024 * 1024;
/** Of a message with its attachments. */
const MAX_SLICE_BYTES = 32 * 1024 * 1024;
const WINDOW_GROWTH = 4;
/** Characters of text that one piece may give: what a mail's attachments hold beyond is left out. */
const MAX_PIECE_CHARS = 4 * 1024 * 1024;
/** Raised when what is cut, or how pieces are joined, changes. */
const SLICES_VERSION = 2;
const NOT_UTF8 = "Bytes that are not UTF-8 were replaced.";

/** The first slice knows nothing of the file yet; what it learns goes with the cursor. */
type Start = Omit<SliceCursor, "title"> & { readonly title: string | null };

/**
 * Reads the next slice of a long file. Any thread can: what is known of the file is in the cursor. What is wrong with the
 * file is the outcome. @throws only when `signal` aborts.
 */
export async function readSlice(input: ReadSliceInput, signal?: AbortSignal): Promise<SliceOutcome> {
  const { key } = input.file;
  const seen: { stamp: FileStamp | null; byteHash: string | null } = {
    stamp: input.cursor?.stamp ?? null,
    byteHash: input.cursor?.byteHash ?? null,
  };
  try {
    return await withOpenFile(input.file, async (opened) => {
      const { file, cursor } = input;
      const stream = cursor === null ? null : await streamOf(cursor.reader);
      if (cursor !== null && stream !== null) return await readNext(opened, stream, input, cursor, signal);
      const chosen = await chosenFor(opened, file);
      if (chosen === null)
        throw new ReadProblem("unsupported", "It is of a format that is not read piece by piece.");
      const start = await beginFile(opened, chosen, signal);
      [seen.stamp, seen.byteHash] = [start.stamp, start.byteHash];
      const { stamp, byteHash } = start;
      if (byteHash === file.knownHash && isReadAlike(file, chosen.stream))
        return start.touched ? { kind: "changing", key } : { kind: "unchanged", key, byteHash, stamp };
      return await readNext(opened, chosen.stream, input, start, signal);
    });
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof FileRefused) seen.stamp = error.stamp;
    return { kind: "failed", key, ...readFailureOf(error), ...seen };
  }
}

/** Whether the file's format allows reading it slice by slice. Says no where that can't be told. */
export async function isSliceable(file: ReadFileInput): Promise<boolean> {
  try {
    return await withOpenFile(file, async (opened) => (await chosenFor(opened, file)) !== null);
  } catch {
    // Reading it whole meets the same problem, and says it.
    return false;
  }
}

async function chosenFor(opened: OpenedFile, file: ReadFileInput): Promise<ChosenStream | null> {
  const head = Buffer.allocUnsafe(Math.min(HEAD_BYTES, opened.stamp.size));
  return await chooseStream(head.subarray(0, opened.readAt(head, 0)), file.relativePath);
}

function parserOfStream({ reader }: StreamReader): string {
  return `${parserName(reader)}+slices@${SLICES_VERSION}`;
}

function isReadAlike({ knownParser }: ReadFileInput, stream: StreamReader): boolean {
  return knownParser === null || knownParser === parserOfStream(stream);
}

async function beginFile(
  opened: OpenedFile,
  { stream, encoding }: ChosenStream,
  signal: AbortSignal | undefined,
): Promise<Start> {
  const { stamp } = opened;
  const { hash, brokenAt } = scanBytes((into, position) => opened.readAt(into, position), stamp.size, signal);
  const broken = encoding === "utf-8" && brokenAt !== null;
  return {
    stamp,
    byteHash: hash,
    reader: stream.reader.id,
    encoding: broken ? await encodingAround(opened, brokenAt) : encoding,
    title: null,
    at: 0,
    line: 1,
    units: 0,
    touched: !sameStamp(stamp, opened.stampNow()),
    state: {},
  };
}

/** The head was plain ASCII, say, and the first other character comes late. */
async function encodingAround(opened: OpenedFile, place: number): Promise<string> {
  const chunk = Buffer.allocUnsafe(1024 * 1024);
  const bytes = chunk.subarray(0, opened.readAt(chunk, place));
  let first = 0;
  while (first < bytes.length && (bytes[first] ?? 0) < 0x80) first++;
  const from = bytes.lastIndexOf(10, first) + 1;
  return await encodingOfPart(bytes.subarray(from, from + HEAD_BYTES));
}

async function readNext(
  opened: OpenedFile,
  stream: StreamReader,
  input: ReadSliceInput,
  from: Start,
  signal: AbortSignal | undefined,
): Promise<SliceOutcome> {
  const { file } = input;
  const { key } = file;
  const { stamp, byteHash } = from;
  const piece = await readPiece(opened, stream, input, from, signal);
  const now = opened.stampNow();
  if (piece === "cut short" || !isSameFile(now, stamp) || now.size < stamp.size)
    return { kind: "changing", key };
  const touched = from.touched || !sameStamp(now, stamp);
  const at = from.at + piece.bytes;
  const isLast = at >= stamp.size;
  if (isLast && touched && !stillHolds(opened, from, signal)) return { kind: "changing", key };
  const { parts, left } = withinBounds(piece.parts);
  const { reader } = stream;
  const chunked = chunkParts(parts, file.chunking);
  const { relativePath, materialId } = file;
  const title = from.title ?? piece.title ?? chunked.firstHeading ?? titleFromName(relativePath);
  const joint = isLast ? "" : piece.joint;
  const head = { materialId, relativePath, title, format: reader.format, firstUnit: from.units, joint };
  const segments = [...cutSegments(chunked, head)];
  const units = segments.reduce((sum, segment) => sum + segment.units.length, from.units);
  if (isLast && units === 0)
    throw new ReadProblem("no_text", "No extractable text: nothing in it is text to read.");
  const warnings = [...piece.warnings, ...left];
  if (from.encoding === "utf-8" && parts.some((part) => part.text.includes("\uFFFD")))
    warnings.push(NOT_UTF8);
  const line = from.line + piece.lines;
  const slice: PreparedSlice = {
    format: reader.format,
    parser: parserOfStream(stream),
    title,
    metadata: piece.metadata,
    warnings,
    segments,
    next: isLast ? null : { ...from, title, at, line, units, touched, state: piece.state },
  };
  return { kind: "slice", key, byteHash, stamp, slice };
}

/** A longer window is taken until something ends in it, up to a bound. */
async function readPiece(
  opened: OpenedFile,
  stream: StreamReader,
  { file, sliceBytes = SLICE_BYTES, maxSliceBytes = MAX_SLICE_BYTES }: ReadSliceInput,
  { stamp, at, encoding, line, state }: Start,
  signal: AbortSignal | undefined,
): Promise<StreamPiece | "cut short"> {
  const name = displayPath(file.relativePath.slice(file.relativePath.lastIndexOf("/") + 1));
  const dot = name.lastIndexOf(".");
  const extension = dot > 0 ? name.slice(dot + 1).toLowerCase() : "";
  const limits = { maxTextChars: MAX_PIECE_CHARS, chunkTokens: file.chunking.chunkSize };
  // UTF-16 takes two bytes a character.
  const unit = encoding.startsWith("utf-16") ? 2 : 1;
  for (let bytes = sliceBytes * unit; ; bytes = Math.min(bytes * WINDOW_GROWTH, maxSliceBytes)) {
    const window = Buffer.allocUnsafeSlow(Math.min(bytes, stamp.size - at));
    if (opened.readAt(window, at) < window.length) return "cut short";
    const atEnd = at + window.length >= stamp.size;
    const isLongest = atEnd || bytes >= maxSliceBytes;
    const common = { encoding, line, name, extension, limits, state, signal };
    const piece = await stream.read({ ...common, window, atEnd, isLongest });
    if (piece !== null) return piece;
    if (isLongest) throw new TypeError(`the ${stream.reader.id} reader took nothing of the longest window`);
  }
}

/** Whether the bytes that were hashed are still there, when the file was written to: what was added behind does not count. */
function stillHolds(
  opened: OpenedFile,
  { stamp, byteHash }: Start,
  signal: AbortSignal | undefined,
): boolean {
  return scanBytes((into, position) => opened.readAt(into, position), stamp.size, signal).hash === byteHash;
}

function withinBounds(parts: StreamPiece["parts"]): { parts: StreamPiece["parts"]; left: string[] } {
  let chars = 0;
  const end = parts.findIndex((part) => (chars += part.text.length) > MAX_PIECE_CHARS);
  if (end === -1) return { parts, left: [] };
  // The first part is kept in any case, as far as it fits.
  const [first] = parts;
  const kept = end > 0 || !first ? parts.slice(0, end) : [{ ...first, text: wellCut(first.text) }];
  return { parts: kept, left: ["A message has more text than fits; the rest of it was left out."] };
}

function wellCut(text: string): string {
  return text.slice(0, text.lastIndexOf("\n", MAX_PIECE_CHARS) + 1 || MAX_PIECE_CHARS - 1);
}
