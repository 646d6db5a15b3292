import type { ChunkSettings, Locator } from "../contract.ts";
import type { Part } from "../parse/reader.ts";
import { type Boundaries, delimiterBoundaries, structuredBoundaries } from "./boundaries.ts";
import { cutText } from "./cut.ts";
import { isClusterEdge } from "./graphemes.ts";
import { createHeadingPath } from "./heading-path.ts";
import { lineAt } from "./lines.ts";
import { type Outline, outlineOf, type Span } from "./outline.ts";
import { decodeSeparator, hardPieces } from "./separator.ts";
import { createTokenScale, MAX_TOKENS_PER_UNIT, type TokenScale } from "./tokens.ts";

/** What parts of one item are joined by (K7.5). */
export const PART_JOINT = "\n\n";

export interface Chunk {
  readonly unitIndex: number;
  /** In the joined text; text.slice(charStart, charEnd) is the chunk (K7.1). */
  readonly charStart: number;
  readonly charEnd: number;
  /** The headings in force where it begins, outermost first, with one that it begins with; in code, the symbols that hold it. */
  readonly headings: readonly string[];
  readonly locator: Locator | null;
}

export interface ChunkedText {
  readonly text: string;
  readonly chunks: readonly Chunk[];
  /** The first heading of level 1 of any part; null where there is none. */
  readonly firstHeading: string | null;
}

/** Parts are cut apart and joined by a blank line; unit indexes run on (K7.5). Linear in the text. */
export function chunkParts(parts: readonly Part[], settings: ChunkSettings): ChunkedText {
  const chunks: Chunk[] = [];
  let offset = 0;
  let firstHeading: string | null = null;
  for (const part of parts) {
    const outline = outlineOf(part.text, part.markup, part.bodyStart ?? 0, part.outline ?? null);
    firstHeading ??= outline.headings.find((heading) => heading.level === 1)?.text ?? null;
    const path = createHeadingPath(outline.headings, part.headings ?? []);
    for (const span of spansOf(part.text, outline, settings)) {
      chunks.push({
        unitIndex: chunks.length,
        charStart: offset + span.start,
        charEnd: offset + span.end,
        headings: path(span),
        locator: locatorOf(part, outline, span),
      });
    }
    offset += part.text.length + PART_JOINT.length;
  }
  return { text: parts.map((part) => part.text).join(PART_JOINT), chunks, firstHeading };
}

/** Trimmed spans, in order; those that hold nothing new but white space are left out. */
function spansOf(text: string, outline: Outline, settings: ChunkSettings): Span[] {
  const size = Math.max(1, settings.chunkSize);
  const budget = { size, overlap: Math.max(0, Math.min(settings.chunkOverlap, size - 1)) };
  const separator = settings.strategy === "delimiter" ? decodeSeparator(settings.separator) : null;
  const spans: Span[] = [];
  const cut = (piece: string, boundariesOf: (scale: TokenScale) => Boundaries, offset: number): void => {
    const scale = createTokenScale(piece);
    let seen = 0;
    for (const span of cutText(piece, scale, boundariesOf(scale), budget)) {
      const trimmed = trimSpan(piece, span);
      if (trimmed !== null && trimmed.end > seen) {
        spans.push({ start: offset + trimmed.start, end: offset + trimmed.end });
        seen = trimmed.end;
      }
    }
  };
  if (separator === null) {
    const fits = (scale: TokenScale, { start, end }: Span): boolean =>
      (end - start) * MAX_TOKENS_PER_UNIT <= size || scale.at(end) - scale.at(start) <= size;
    cut(text, (scale) => structuredBoundaries(outline, (span) => fits(scale, span)), 0);
  } else if (settings.hard) {
    for (const { start, end } of hardPieces(text, separator)) {
      const piece = text.slice(start, end);
      cut(piece, () => delimiterBoundaries(piece, separator, new Uint32Array(1)), start);
    }
  } else {
    cut(text, () => delimiterBoundaries(text, separator, outline.lineStarts), 0);
  }
  return spans;
}

/** Without the white space at its edges; null when nothing else is there. Splits no grapheme cluster. */
export function trimSpan(text: string, span: Span): Span | null {
  const piece = text.slice(span.start, span.end);
  const lead = piece.length - piece.trimStart().length;
  if (lead === piece.length) return null;
  let start = span.start + lead;
  if (lead > 0 && !isClusterEdge(text, start, span.start)) start--;
  return { start, end: span.start + piece.trimEnd().length };
}

function locatorOf(part: Part, outline: Outline, span: Span): Locator | null {
  if (part.lines === null) return part.locator;
  const lines = part.lines;
  const original = (offset: number): number => {
    const line = lineAt(outline.lineStarts, offset);
    return lines.kind === "same" ? lines.first + line : (lines.of[line] ?? 1);
  };
  return { ...part.locator, lineStart: original(span.start), lineEnd: original(span.end - 1) };
}
