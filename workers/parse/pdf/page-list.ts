/** More ranges are counted only. */
const MAX_RANGES = 20;

/** [3, 7, 8, 9] → "pages 3, 7–9". Numbers come in rising order. */
export function pageList(pages: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const page of pages) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === page - 1) last[1] = page;
    else ranges.push([page, page]);
  }
  const named = ranges.slice(0, MAX_RANGES).map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`));
  let more = 0;
  for (const [from, to] of ranges.slice(MAX_RANGES)) more += to - from + 1;
  return `${pages.length === 1 ? "page" : "pages"} ${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
