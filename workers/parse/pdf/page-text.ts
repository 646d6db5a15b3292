import type { HeadingMark } from "./headings.ts";
import type { Block, Line } from "./page-blocks.ts";

export interface PageText {
  readonly text: string;
  readonly markdown: boolean;
}

const cjk = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\u3001-\u301f\uff01-\uff60]/u;
/** A longer word is none. */
const MAX_WORD = 40;
const MAX_COMPOUNDS = 50_000;

/** Blocks in reading order → the page's text. Headings and tables make it Markdown. */
export function pageText(
  blocks: readonly Block[],
  marks: readonly HeadingMark[],
  compounds: ReadonlySet<string>,
): PageText {
  const markdown = marks.length > 0 || blocks.some((block) => block.kind === "table");
  const starts = new Map(marks.map((mark) => [mark.first, mark]));
  const pieces: string[] = [];
  let above: Block | null = null;
  let afterHeading = false;
  for (let at = 0; at < blocks.length; at++) {
    const block = blocks[at];
    if (block === undefined) break;
    const heading = starts.get(at);
    if (above !== null) pieces.push(heading !== undefined || afterHeading ? "\n\n" : jointOf(above, block));
    afterHeading = heading !== undefined;
    if (heading !== undefined) {
      pieces.push(`${"#".repeat(heading.level)} ${heading.text}`);
      at += heading.count - 1;
    } else {
      pieces.push(block.kind === "table" ? tableText(block.rows) : lineOf(block, markdown));
    }
    above = blocks[at] ?? block;
  }
  return { text: joinWords(pieces.join(""), compounds), markdown };
}

function jointOf(above: Block, block: Block): string {
  if (above.kind === "table" || block.kind === "table" || block.opens) return "\n\n";
  return above.full && cjk.test(above.text.slice(-1)) && cjk.test(block.text.slice(0, 1)) ? "" : "\n";
}

function lineOf({ text }: Line, markdown: boolean): string {
  const item = text.replace(/^[•●▪■◦○‣⁃∙·] ?(?=\S)/u, "- ");
  return markdown ? item.replace(/^(?=#{1,6}(?:\s|$)|```|~~~|<|(?:-+|\*{3,}|_{3,})$)/u, "\\") : item;
}

function tableText(rows: readonly (readonly string[])[]): string {
  const [head = [], ...body] = rows;
  const line = (cells: readonly string[]): string => `| ${cells.map(cellText).join(" | ")} |`;
  return [line(head), `|${" --- |".repeat(head.length)}`, ...body.map(line)].join("\n");
}

function cellText(cell: string): string {
  return cell.replaceAll(/[\\|]/g, String.raw`\$&`);
}

/** Compounds that stand in a line with their hyphen, so that they keep it at a line's end too. */
export function compoundsOf(pages: readonly (readonly Block[])[]): ReadonlySet<string> {
  const compounds = new Set<string>();
  for (const block of pages.flat()) {
    if (block.kind !== "line" || !block.text.includes("-")) continue;
    for (const word of block.text.toLowerCase().split(/[^\p{L}-]+/u)) {
      const parts = word.length <= 2 * MAX_WORD ? word.split("-") : [];
      for (const [at, part] of parts.entries()) {
        const next = parts[at + 1];
        if (part !== "" && next !== undefined && next !== "")
          compounds.add(`${part}-${next}`).add(`-${next}`);
      }
    }
    if (compounds.size > MAX_COMPOUNDS) break;
  }
  return compounds;
}

/** Words divided at a line's end are joined, gaps inside them closed. */
export function joinWords(text: string, compounds: ReadonlySet<string> = new Set()): string {
  return text
    .replaceAll(/(?<=[\p{L}\p{N}])[-\u2010\u00ad]\n(?=\p{Ll})/gu, (_match, at: number, whole: string) =>
      keepsHyphen(whole, at, compounds) ? "-" : "",
    )
    .replaceAll(/\u00ad\n?/g, "")
    .replaceAll(/(\p{L}) (ffi|ffl|ff|fi|fl) (?=\p{Ll})/gu, "$1$2")
    .replaceAll(/\b(dif|ef|suf|coef|traf|inef|insuf|unaf|buf|bluf|scaf) (f[a-z]{2,})/gi, "$1$2")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}

function keepsHyphen(text: string, at: number, compounds: ReadonlySet<string>): boolean {
  const before = /[\p{L}\p{N}-]*$/u.exec(text.slice(Math.max(0, at - MAX_WORD), at))?.[0] ?? "";
  if (!/\p{Ll}$/u.test(before) || before.includes("-")) return true;
  const after = /^\p{L}*/u.exec(text.slice(at + 2, at + 2 + MAX_WORD))?.[0] ?? "";
  if (before.length === 1 || compounds.has(`${before}-${after}`.toLowerCase())) return true;
  // "low-dimensional" elsewhere tells that this one is "high-dimensional".
  return after.length > 4 && compounds.has(`-${after.toLowerCase()}`);
}
