import { isClusterEdge } from "./graphemes.ts";
import { lineAt } from "./lines.ts";
import { keptSpans, spanAround } from "./kept-spans.ts";
import type { LineRange, Outline, Span } from "./outline.ts";

/** Where a text may well be cut. Windows are asked for from front to back. */
export interface Boundaries {
  /** The best place in [from, target], or null. `known` is an edge of a grapheme cluster at or before `from`. */
  best(from: number, target: number, known: number): number | null;
  /** The uncuttable span around `at` (start < at < end), or null. */
  spanAround(at: number): Span | null;
  readonly lineStarts: Uint32Array;
}

/** How much a place's score loses at the far end of the window. */
const DISTANCE_PENALTY = 0.7;

/** K7.2: headings, fences, rules, blank lines, list items and line ends. `fits` tells what one chunk can hold. */
export function structuredBoundaries(outline: Outline, fits: (span: Span) => boolean): Boundaries {
  const { lineStarts, lineRanges } = outline;
  const kept = keptSpans(outline.fences, outline.wholes, fits);
  const scores = kept === outline.fences ? outline.scores : scoresOutside(kept, outline);
  return {
    lineStarts,
    spanAround: (at) => spanAround(kept, at) ?? lineAround(lineRanges, lineStarts, at),
    best(from, target) {
      const choice = createChoice(from, target);
      let line = lineAt(lineStarts, from);
      if ((lineStarts[line] ?? 0) < from) line++;
      for (; line < lineStarts.length; line++) {
        const at = lineStarts[line] ?? 0;
        if (at > target) break;
        choice.offer(at, scores[line] ?? 0);
      }
      return choice.best();
    },
  };
}

function scoresOutside(kept: readonly Span[], { lineStarts, scores }: Outline): Uint8Array {
  const outside = scores.slice();
  for (const { start, end } of kept) {
    const first = lineAt(lineStarts, start) + 1;
    const last = lineAt(lineStarts, end - 1);
    if (first <= last) outside.fill(0, first, last + 1);
  }
  return outside;
}

function lineAround(ranges: readonly LineRange[], lineStarts: Uint32Array, at: number): Span | null {
  const range = spanAround(ranges, at);
  if (range === null) return null;
  if (at < range.headEnd) return { start: range.start, end: range.headEnd };
  const line = lineAt(lineStarts, at);
  const start = lineStarts[line] ?? 0;
  return start < at ? { start, end: lineStarts[line + 1] ?? range.end } : null;
}

/** K7.3: the separator, then the ends of paragraphs, lines, sentences and clauses. */
export function delimiterBoundaries(text: string, separator: string, lineStarts: Uint32Array): Boundaries {
  const marks: readonly (readonly [string, number])[] = [
    [separator, 100],
    ["\n\n", 20],
    ["\n", 12],
    ["。", 10],
    [". ", 8],
    [", ", 3],
  ];
  return {
    lineStarts,
    spanAround: () => null,
    best(from, target, known) {
      const choice = createChoice(from, target);
      for (const [mark, score] of marks) {
        offerAll(text, mark, score, from, target, (place) => isClusterEdge(text, place, known), choice);
      }
      return choice.best();
    },
  };
}

function offerAll(
  text: string,
  mark: string,
  score: number,
  from: number,
  target: number,
  isEdge: (place: number) => boolean,
  choice: Choice,
): void {
  const first = Math.max(0, from - mark.length);
  const window = text.slice(first, target);
  for (let at = window.indexOf(mark); at !== -1; at = window.indexOf(mark, at + 1)) {
    const place = first + at + mark.length;
    if (place >= from && choice.improves(place, score) && isEdge(place)) choice.offer(place, score);
  }
}

interface Choice {
  improves(at: number, score: number): boolean;
  offer(at: number, score: number): void;
  best(): number | null;
}

function createChoice(from: number, target: number): Choice {
  let best: number | null = null;
  let bestValue = 0;
  const width = Math.max(1, target - from);
  const value = (at: number, score: number): number => {
    const distance = (target - at) / width;
    return score * (1 - DISTANCE_PENALTY * distance * distance);
  };
  return {
    improves: (at, score) => value(at, score) >= bestValue && score > 0,
    offer(at, score) {
      if (score === 0 || value(at, score) < bestValue) return;
      best = at;
      bestValue = value(at, score);
    },
    best: () => best,
  };
}
