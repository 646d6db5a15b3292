import type { Span } from "./outline.ts";

/**
 * The spans that are not to be cut: all fences, and of the wholes the outermost that fit a chunk. In order; none overlaps
 * another: where two do, the first stays.
 */
export function keptSpans(
  fences: readonly Span[],
  wholes: readonly Span[],
  fits: (span: Span) => boolean,
): readonly Span[] {
  if (wholes.length === 0) return fences;
  const kept: Span[] = [];
  const candidates = [...wholes.filter(fits), ...fences].sort((a, b) => a.start - b.start || b.end - a.end);
  for (const span of candidates) if (span.start >= (kept.at(-1)?.end ?? 0)) kept.push(span);
  return kept;
}

/** The span that `at` lies inside of (start < at < end), or null. Spans are in order and do not overlap. */
export function spanAround<T extends Span>(spans: readonly T[], at: number): T | null {
  let low = 0;
  let high = spans.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const span = spans[middle];
    if (span === undefined) return null;
    if (span.end <= at) low = middle + 1;
    else if (span.start >= at) high = middle - 1;
    else return span;
  }
  return null;
}
