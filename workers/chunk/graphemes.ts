const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * Whether a cut at `at` leaves every grapheme cluster whole (and so every surrogate pair). `known` is an offset before
 * `at` that is such a place; nothing in front of it is looked at.
 */
export function isClusterEdge(text: string, at: number, known: number): boolean {
  if (at <= known || at >= text.length) return true;
  if (isPlainPair(text, at)) return true;
  let from = at - 1;
  while (from > known && !isPlainPair(text, from)) from--;
  // One code point after the place decides with what stands before it.
  const around = segmenter.segment(text.slice(from, at + 2));
  return around.containing(at - from)?.index === at - from;
}

/** A cluster that goes on for more than this many units behind a cut is cut between its code points. */
const MAX_REACH = 1024;

/**
 * The last place in (known, at] that splits no grapheme cluster; where one cluster fills all of that, its end. Only a
 * cluster without end (thousands of combining marks) is cut, and no surrogate pair.
 */
export function clusterEdgeBefore(text: string, at: number, known: number): number {
  if (at >= text.length || isPlainPair(text, at)) return at;
  let from = at - 1;
  while (from > known && !isPlainPair(text, from)) from--;
  const around = segmenter.segment(text.slice(from, at + MAX_REACH)).containing(at - from);
  if (around === undefined) return at;
  if (from + around.index > known) return from + around.index;
  const end = from + around.index + around.segment.length;
  if (end < at + MAX_REACH) return end;
  if (!isLowSurrogate(text.charCodeAt(at))) return at;
  return at - 1 > known ? at - 1 : at + 1;
}

/** Two neighbours of which both are simple always part, but for CR LF. */
function isPlainPair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return isSimple(before) && isSimple(after) && !(before === 13 && after === 10);
}

/** Characters that no rule of cluster building joins to a neighbour of the same kind; far from all such. */
function isSimple(code: number): boolean {
  return (
    code < 0x300 ||
    (code >= 0x4e00 && code <= 0x9fff) ||
    (code >= 0x3041 && code <= 0x3096) ||
    (code >= 0x30a1 && code <= 0x30fa) ||
    (code >= 0x3001 && code <= 0x3029) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0x410 && code <= 0x44f) ||
    (code >= 0x391 && code <= 0x3c9)
  );
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
