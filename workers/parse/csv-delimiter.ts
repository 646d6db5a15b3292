const candidates = [",", ";", "\t", "|"] as const;
const PREVIEW_CHARS = 16 * 1024;
const PREVIEW_ROWS = 40;

/** The delimiter that gives the first rows the most even number of cells, at least two. */
export function guessDelimiter(papa: typeof import("papaparse"), text: string, extension: string): string {
  const cut = text.length > PREVIEW_CHARS ? text.slice(0, PREVIEW_CHARS).replace(/\n[^\n]*$/, "") : text;
  let best = extension === "tsv" || extension === "tab" ? "\t" : extension === "psv" ? "|" : ",";
  let bestScore = 0;
  for (const delimiter of candidates) {
    const { data } = papa.parse<string[]>(cut, { delimiter, newline: "\n", preview: PREVIEW_ROWS });
    const score = evenness(data.filter((row) => row.some((cell) => cell !== "")).map((row) => row.length));
    if (score > bestScore) {
      best = delimiter;
      bestScore = score;
    }
  }
  return best;
}

/** Share of rows that have the most frequent width, a little more for wider rows; 0 when that is one cell. */
function evenness(widths: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const width of widths) counts.set(width, (counts.get(width) ?? 0) + 1);
  let best = 0;
  for (const [width, count] of counts) {
    if (width > 1) best = Math.max(best, count / widths.length + Math.min(width, 20) / 200);
  }
  return best;
}
