export type Span = readonly [start: number, end: number];

export interface Snippet {
  readonly text: string;
  /** Highlights inside the snippet's text. */
  readonly spans: readonly Span[];
}

/**
 * The stretch of a passage that shows most of what matched: the window of at most `width` characters with the most
 * highlights, cut at spaces, white space folded to one line.
 */
export function snippetOf(text: string, highlights: readonly Span[], width: number): Snippet {
  const [from, to] = bestWindow(text, highlights, width);
  const start = from === 0 ? 0 : nextWord(text, from, highlights.find((span) => span[0] >= from)?.[0] ?? to);
  const inside = highlights.filter((span) => span[0] >= start && span[1] <= to);
  return fold(
    text.slice(start, to),
    inside.map(([a, b]) => [a - start, b - start] as const),
    start > 0,
    to < text.length,
  );
}

/** Which line of a passage holds most of what matched, counted from 0; the first of equals. */
export function bestLine(text: string, highlights: readonly Span[]): number {
  let best = 0;
  let most = 0;
  let line = 0;
  let lineEnd = text.indexOf("\n");
  let count = 0;
  for (const [start] of highlights) {
    while (lineEnd >= 0 && start > lineEnd) {
      line++;
      count = 0;
      lineEnd = text.indexOf("\n", lineEnd + 1);
    }
    if (++count > most) {
      most = count;
      best = line;
    }
  }
  return best;
}

/** The snippet with each highlight passed through `mark`. */
export function markSnippet(snippet: Snippet, mark: (matched: string) => string): string {
  let marked = "";
  let at = 0;
  for (const [start, end] of snippet.spans) {
    if (start < at) continue;
    marked += snippet.text.slice(at, start) + mark(snippet.text.slice(start, end));
    at = end;
  }
  return marked + snippet.text.slice(at);
}

function bestWindow(text: string, highlights: readonly Span[], width: number): Span {
  if (text.length <= width) return [0, text.length];
  let best = 0;
  let most = 0;
  let right = 0;
  highlights.forEach((span, left) => {
    while (right < highlights.length && (highlights[right]?.[1] ?? Infinity) <= span[0] + width * 0.85)
      right++;
    if (right - left > most) {
      most = right - left;
      best = span[0];
    }
  });
  const start = Math.min(Math.max(0, best - Math.floor(width * 0.15)), text.length - width);
  return [characterStart(text, start), characterStart(text, start + width)];
}

/** The place itself, or the one before it where it stands between the two halves of a character. */
function characterStart(text: string, at: number): number {
  const isSecondHalf = /[\uDC00-\uDFFF]/.test(text.charAt(at)) && /[\uD800-\uDBFF]/.test(text.charAt(at - 1));
  return isSecondHalf ? at - 1 : at;
}

/** A cut in the middle of a word moves on to the next one, unless that would cut into the first highlight. */
function nextWord(text: string, from: number, limit: number): number {
  const space = text.indexOf(" ", from);
  return space >= 0 && space + 1 <= limit ? space + 1 : from;
}

function fold(text: string, spans: readonly Span[], cutBefore: boolean, cutAfter: boolean): Snippet {
  let folded = cutBefore ? "…" : "";
  const moved: Span[] = [];
  const map: number[] = [];
  let blank = true;
  for (let at = 0; at < text.length; at++) {
    map[at] = folded.length;
    const isSpace = /\s/.test(text.charAt(at));
    if (!isSpace) folded += text.charAt(at);
    else if (!blank) folded += " ";
    blank = isSpace;
  }
  map[text.length] = folded.length;
  for (const [start, end] of spans) moved.push([map[start] ?? 0, map[end] ?? folded.length]);
  return { text: folded + (cutAfter ? "…" : ""), spans: moved };
}
