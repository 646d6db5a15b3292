import { cleanText } from "../clean-text.ts";

/** What the library says of one run of text. */
export interface TextRun {
  readonly str: string;
  readonly hasEOL: boolean;
  readonly height: number;
  /** a, b, c, d, x, y in units of the page, y upwards. */
  readonly transform: readonly number[];
}

/** A gap of more than this many line heights parts paragraphs. */
const PARAGRAPH_GAP = 1.7;

/** A page's runs as lines; an empty line parts paragraphs. */
export function pageLines(runs: readonly TextRun[]): string[] {
  const lines: string[] = [];
  let line = "";
  let lastY: number | null = null;
  let fresh = true;
  for (const run of runs) {
    const y = run.transform[5] ?? 0;
    if (fresh && run.str.trim() !== "") {
      if (lastY !== null && Math.abs(lastY - y) > PARAGRAPH_GAP * Math.max(run.height, 1)) lines.push("");
      lastY = y;
      fresh = false;
    }
    line += run.str;
    if (run.hasEOL) {
      lines.push(tidy(line));
      line = "";
      fresh = true;
    }
  }
  if (line.trim() !== "") lines.push(tidy(line));
  return lines;
}

/** Lines → text: words divided at a line's end are joined, ligatures taken apart, gaps inside them closed. */
export function joinLines(lines: readonly string[]): string {
  return lines
    .join("\n")
    .replaceAll(/(\p{Ll})[-\u2010\u00ad]\n(\p{Ll})/gu, "$1$2")
    .replaceAll(/\u00ad\n?/g, "")
    .replaceAll(/[\ufb00-\ufb06]/g, (ligature) => ligature.normalize("NFKC"))
    .replaceAll(/(\p{L}) (ffi|ffl|ff|fi|fl) (?=\p{Ll})/gu, "$1$2")
    .replaceAll(/\b(dif|ef|suf|coef|traf|inef|insuf|unaf|buf|bluf|scaf) (f[a-z]{2,})/gi, "$1$2")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}

function tidy(line: string): string {
  return cleanText(line)
    .replaceAll(/[ \t\n\u00a0]+/g, " ")
    .trimEnd();
}
