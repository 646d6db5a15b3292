/** Pages that are looked at on either side of a line's page are all of them; fewer pages have no running lines. */
const MIN_PAGES = 4;
/** Lines at the top and at the bottom of a page that may run through the document. */
const REACH = 2;
/** A line that stands on at least this share of the pages is no content of any. */
const MIN_SHARE = 0.5;

/** Takes headers and footers out that run through the document; digits may differ. */
export function dropRunningLines(pages: readonly string[][]): string[][] {
  if (pages.length < MIN_PAGES) return [...pages];
  const counts = new Map<string, number>();
  for (const lines of pages) {
    for (const key of new Set(edgeIndexes(lines).map((index) => keyOf(lines[index] ?? "")))) {
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  const limit = Math.max(MIN_PAGES - 1, pages.length * MIN_SHARE);
  return pages.map((lines) => {
    const edges = new Set(edgeIndexes(lines));
    return lines.filter((line, index) => !edges.has(index) || (counts.get(keyOf(line)) ?? 0) < limit);
  });
}

/** Indexes of the first and last lines that are not empty. */
function edgeIndexes(lines: readonly string[]): number[] {
  const filled = lines.flatMap((line, index) => (line.trim() === "" ? [] : [index]));
  return filled.length <= REACH ? filled : [...filled.slice(0, REACH), ...filled.slice(-REACH)];
}

function keyOf(line: string): string {
  return line.trim().toLowerCase().replaceAll(/\d+/g, "0").replaceAll(/\s+/g, " ");
}
