import { type Chunk, type ChunkedText, trimSpan } from "../chunk/chunk.ts";
import type { PreparedSegment } from "../contract.ts";
import { sha256 } from "../ids.ts";
import { prepareUnits, type UnitHead } from "./prepare.ts";

/** Characters that are stored as one text at most, unless a chunk is longer. */
export const SEGMENT_CHARS = 1024 * 1024;

export interface SegmentHead extends Omit<UnitHead, "contentHash"> {
  /** Units before. */
  readonly firstUnit: number;
  /** What parts the text from what follows; empty at the end. */
  readonly joint: string;
  readonly maxChars?: number;
}

/**
 * A chunked text as texts of their own, one after the other, with their chunks named and shaped. It is cut between chunks,
 * where they share no text if there is such a place: behind any other cut a chunk goes without what it would have repeated.
 */
export function* cutSegments({ text, chunks }: ChunkedText, head: SegmentHead): Generator<PreparedSegment> {
  const { joint, maxChars = SEGMENT_CHARS } = head;
  let unitIndex = head.firstUnit;
  let next = 0;
  for (let from = 0; from < text.length;) {
    const { end, until } = cutAfter(text, chunks, next, from, maxChars);
    const piece = text.slice(from, end) + (end === text.length ? joint : "");
    const contentHash = sha256(piece);
    const inside: Chunk[] = [];
    for (; next < until; next++) {
      const chunk = chunkBehind(text, chunks[next], from);
      if (chunk !== null) inside.push({ ...chunk, unitIndex: unitIndex++ });
    }
    yield { text: piece, contentHash, units: prepareUnits(piece, inside, { ...head, contentHash }) };
    from = end;
  }
}

/** Where the segment that begins at `from` ends, and the first chunk that is not in it. */
function cutAfter(
  text: string,
  chunks: readonly Chunk[],
  first: number,
  from: number,
  maxChars: number,
): { end: number; until: number } {
  const limit = from + maxChars;
  let until = first;
  let apart = first;
  for (let chunk = chunks[until]; chunk !== undefined && chunk.charEnd <= limit; chunk = chunks[until]) {
    until++;
    const following = chunks[until];
    if (following === undefined || following.charStart >= chunk.charEnd) apart = until;
  }
  const following = chunks[until];
  if (following === undefined && text.length <= limit) return { end: text.length, until };
  if (until > first) {
    const half = chunks[apart - 1]?.charEnd ?? 0;
    if (half - from >= maxChars / 2) until = apart;
    return { end: chunks[until - 1]?.charEnd ?? limit, until };
  }
  // Nothing but white space and separators, or a chunk that is longer than a segment.
  if (following !== undefined && following.charStart <= from)
    return { end: following.charEnd, until: until + 1 };
  return { end: Math.min(following?.charStart ?? text.length, betweenCharacters(text, limit)), until };
}

/** The chunk, its offsets counted from `from`, without what lies before; null when nothing of it is left. */
function chunkBehind(text: string, chunk: Chunk | undefined, from: number): Chunk | null {
  if (chunk === undefined) return null;
  const { charStart, charEnd, locator } = chunk;
  if (charStart >= from) return { ...chunk, charStart: charStart - from, charEnd: charEnd - from };
  const span = trimSpan(text, { start: from, end: charEnd });
  if (span === null) return null;
  const place = { ...chunk, charStart: span.start - from, charEnd: span.end - from };
  if (locator?.lineStart === undefined) return place;
  const lines = text.slice(charStart, span.start).split("\n").length - 1;
  const lineStart = Math.min(locator.lineStart + lines, locator.lineEnd ?? Infinity);
  return { ...place, locator: { ...locator, lineStart } };
}

function betweenCharacters(text: string, place: number): number {
  const code = text.charCodeAt(place);
  return code >= 0xdc00 && code <= 0xdfff ? place - 1 : place;
}
