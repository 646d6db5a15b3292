import type { Boundaries } from "./boundaries.ts";
import { clusterEdgeBefore, isClusterEdge } from "./graphemes.ts";
import { lineAt } from "./lines.ts";
import type { Span } from "./outline.ts";
import type { TokenScale } from "./tokens.ts";

/** A cut looks for a boundary in this last share of its budget (K7.2). */
const WINDOW = 0.22;
/** A word at the edge of a cut is kept whole when its start is this near; characters. */
const WORD_REACH = 48;
/** In front of a fence that fits no chunk, less than this share of a chunk is not cut off alone. */
const SMALL_SHARE = 0.25;

export interface CutSettings {
  /** In tokens; size ≥ 1, 0 ≤ overlap < size. */
  readonly size: number;
  readonly overlap: number;
}

/** What all steps of one text's cutting share. */
interface Cutting extends CutSettings {
  readonly text: string;
  readonly scale: TokenScale;
  readonly boundaries: Boundaries;
}

/**
 * Cuts [0, text.length) into overlapping spans: every character is in one, each ends later than the one before, none
 * begins or ends inside a grapheme cluster. Spans are not trimmed. Time is linear: a step looks at one chunk's characters.
 */
export function* cutText(
  text: string,
  scale: TokenScale,
  boundaries: Boundaries,
  settings: CutSettings,
): Generator<Span> {
  const cutting: Cutting = { ...settings, text, scale, boundaries };
  let start = 0;
  let cut = 0;
  while (cut < text.length) {
    const span = nextSpan(cutting, start, cut);
    yield span;
    cut = span.end;
    start = overlapStart(cutting, span);
  }
}

/** The span that begins at `start` (or later, if only so an uncuttable span fits) and ends after `lastCut`. */
function nextSpan(cutting: Cutting, start: number, lastCut: number): Span {
  const { text, scale, boundaries, size } = cutting;
  const begin = scale.at(start);
  const target = Math.max(scale.offsetAt(begin + size), lastCut + 1);
  if (target >= text.length) return { start, end: text.length };
  const windowStart = Math.max(scale.offsetAt(begin + size * (1 - WINDOW)), lastCut + 1);
  const boundary = boundaries.best(windowStart, target, start);
  if (boundary !== null) return { start, end: boundary };
  const fence = boundaries.spanAround(target);
  if (fence === null) return { start, end: plainCut(cutting, target, windowStart, lastCut) };
  const fits = scale.at(fence.end) - scale.at(fence.start) <= size;
  if (fence.start > lastCut && (fits || scale.at(fence.start) - begin >= size * SMALL_SHARE)) {
    return { start, end: fence.start };
  }
  if (fits) return { start: latestFit(cutting, start, fence), end: fence.end };
  const line = boundaries.lineStarts[lineAt(boundaries.lineStarts, target)] ?? 0;
  return { start, end: line > lastCut ? line : plainCut(cutting, target, windowStart, lastCut) };
}

/** The target, moved back to the end of a word that is near, and in any case to the edge of a grapheme cluster. */
function plainCut(cutting: Cutting, target: number, windowStart: number, lastCut: number): number {
  const { text } = cutting;
  for (let at = target; at >= Math.max(windowStart, target - WORD_REACH); at--) {
    if (isSpace(text, at - 1) && isClusterEdge(text, at, lastCut)) return at;
  }
  return clusterEdgeBefore(text, target, lastCut);
}

/** Where the span that ends with the fence has to begin to stay within its budget: at the fence's start at the latest. */
function latestFit(cutting: Cutting, start: number, fence: Span): number {
  const { scale, text, boundaries } = cutting;
  const earliest = scale.offsetAt(scale.at(fence.end) - cutting.size) + 1;
  if (earliest <= start) return start;
  if (earliest >= fence.start) return fence.start;
  const other = boundaries.spanAround(earliest);
  return other?.end ?? wordStart(text, clusterEdgeBefore(text, earliest, start), fence.start, start);
}

/** The next span begins `overlap` tokens before the cut; never inside a fence that the cut has left behind. */
function overlapStart(cutting: Cutting, last: Span): number {
  const { text, scale, boundaries, overlap } = cutting;
  const cut = last.end;
  if (overlap === 0 || cut >= text.length) return cut;
  const back = Math.max(scale.offsetAt(scale.at(cut) - overlap), last.start + 1);
  const fence = boundaries.spanAround(back);
  if (fence === null) return wordStart(text, clusterEdgeBefore(text, back, last.start), cut, last.start);
  if (fence.end <= cut) return fence.end;
  const line = lineAt(boundaries.lineStarts, back);
  const next = boundaries.lineStarts[line + 1] ?? cut;
  return Math.min(next, cut);
}

/** The first start of a word in [at, at + reach], as long as it is before `limit`; else `at`. */
function wordStart(text: string, at: number, limit: number, known: number): number {
  if (at === 0 || isSpace(text, at - 1)) return at;
  for (let next = at + 1; next <= Math.min(limit, at + WORD_REACH); next++) {
    if (isSpace(text, next - 1) && isClusterEdge(text, next, known)) return next;
  }
  return at;
}

function isSpace(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 32 || (code >= 9 && code <= 13) || code === 0x3000;
}
