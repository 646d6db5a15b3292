import type { Heading, Span } from "./outline.ts";

/** The path of headings of a span; spans are asked for from front to back. */
export type HeadingPath = (span: Span) => readonly string[];

/**
 * Headings of sections: those in force where the span begins, outermost first. Headings that know their end (symbols of
 * source code) are many to a chunk and most end before the chunk does: those count that hold at least half of it.
 */
export function createHeadingPath(headings: readonly Heading[], base: readonly string[]): HeadingPath {
  const stackAt = createStack(headings);
  if (!headings.some(({ end }) => end !== null)) {
    let last: readonly Heading[] = [];
    let path = base;
    return ({ start }) => {
      const stack = stackAt(start);
      if (stack !== last) path = [...base, ...stack.map(({ text }) => text)];
      last = stack;
      return path;
    };
  }
  return (span) => {
    const middle = (span.start + span.end) >> 1;
    const holding = stackAt(middle).filter(
      (heading) => sharedLength(heading, span) * 2 >= span.end - span.start,
    );
    return [...base, ...holding.map(({ text }) => text)];
  };
}

/** The headings in force at an offset; offsets rise. The same array as before where nothing has changed. */
function createStack(headings: readonly Heading[]): (offset: number) => readonly Heading[] {
  let stack: Heading[] = [];
  let next = 0;
  const endsBy = (heading: Heading | undefined, offset: number): boolean =>
    (heading?.end ?? Infinity) <= offset;
  return (offset) => {
    let changed: Heading[] | null = null;
    for (; next < headings.length; next++) {
      const heading = headings[next];
      if (heading === undefined || heading.start > offset) break;
      changed ??= [...stack];
      while ((changed.at(-1)?.level ?? 0) >= heading.level) changed.pop();
      changed.push(heading);
    }
    while (endsBy((changed ?? stack).at(-1), offset)) {
      changed ??= [...stack];
      changed.pop();
    }
    return (stack = changed ?? stack);
  };
}

function sharedLength(heading: Heading, span: Span): number {
  return Math.min(heading.end ?? span.end, span.end) - Math.max(heading.start, span.start);
}
