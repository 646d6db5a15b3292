import type { Block, Line } from "./page-blocks.ts";

/** Lines at the top and at the bottom of a page that may run through the document. */
const REACH = 3;
/** Shares of the page's height that hold them. */
const TOP = 0.8;
const BOTTOM = 0.2;
/** A running line stands at one height on all its pages, give or take this share of it. */
const SAME_HEIGHT = 0.015;
/** Pages on either side that are looked at: left and right pages may differ, and chapters. */
const NEAR = 4;
/** Of the pages near, at least so many have the line too. */
const MIN_NEAR = 2;
/** A header with a page number stands at least so many heights of its font away from the text. */
const APART = 1.7;
/** Longer lines are text. */
const MAX_LENGTH = 200;

const pageNumber =
  /^\P{L}*(?:(?:page|seite|p|pg|pág|página|pagina|стр|of|von|sur|de|di)\P{L}+)*$|[页頁]|ページ/u;

interface Edge {
  readonly page: number;
  readonly line: Line;
  readonly height: number;
  readonly key: string;
  readonly numbers: readonly number[];
  /** A gap parts it from the page's text. */
  readonly apart: boolean;
}

/** Takes page numbers, headers and footers out; what a header says stays where it is said first. */
export function dropRunningLines(pages: readonly (readonly Block[])[]): Block[][] {
  const edges = pages.flatMap((blocks, page) => edgesOf(blocks, page));
  const running = runningEdges(edges, pages.length);
  if (running.size === 0) return pages.map((blocks) => [...blocks]);
  const said = new Set(pages.flatMap((blocks) => blocks.flatMap((block) => saidBy(block, running))));
  const dropped = new Set<Block>();
  for (const edge of running.values()) {
    const { line } = edge;
    const words = wordsOf(line.text);
    if (words.length > 2 && !said.has(words) && !hasPageNumber(edge, edges)) said.add(words);
    else dropped.add(line);
  }
  const left = pages.map((blocks) => blocks.filter((block) => !dropped.has(block)));
  const emptied = left.filter((blocks, page) => blocks.length === 0 && (pages[page]?.length ?? 0) > 0).length;
  const filled = pages.filter((blocks) => blocks.length > 0).length;
  // Where hardly anything else is on the pages, these lines are what the document says.
  return 2 * emptied > filled ? pages.map((blocks) => [...blocks]) : left;
}

function saidBy(block: Block, running: ReadonlyMap<Block, Edge>): string[] {
  if (block.kind !== "line" || running.has(block) || block.text.length > MAX_LENGTH) return [];
  return [wordsOf(block.text)];
}

function edgesOf(blocks: readonly Block[], page: number): Edge[] {
  const lines = blocks
    .filter(
      (block): block is Line =>
        block.kind === "line" && block.height !== null && block.text.length <= MAX_LENGTH,
    )
    .sort((a, b) => (b.height ?? 0) - (a.height ?? 0));
  const edges: Edge[] = [];
  for (const [at, line] of lines.entries()) {
    const height = line.height ?? 0.5;
    const above = at < REACH && height >= TOP;
    if (!above && (at < lines.length - REACH || height > BOTTOM)) continue;
    const inner = lines[above ? at + 1 : at - 1];
    const apart =
      inner === undefined || Math.abs(inner.y - line.y) >= APART * Math.max(line.size, inner.size);
    edges.push({ page, line, height, apart, ...maskNumbers(line.text) });
  }
  return edges;
}

function runningEdges(edges: readonly Edge[], pages: number): Map<Block, Edge> {
  const byKey = new Map<string, Edge[]>();
  for (const edge of edges) {
    const same = byKey.get(edge.key);
    if (same === undefined) byKey.set(edge.key, [edge]);
    else same.push(edge);
  }
  const running = new Map<Block, Edge>();
  for (const edge of edges) {
    const same = byKey.get(edge.key) ?? [];
    const near = nearOf(edge, same).filter((other) => alike(edge, other));
    const needed = pages === 2 && !/\p{L}/u.test(edge.key) && edge.numbers.length > 0 ? 1 : MIN_NEAR;
    if (new Set(near.map((other) => other.page)).size >= needed) running.set(edge.line, edge);
  }
  return running;
}

/** `same` comes in the order of pages. */
function nearOf(edge: Edge, same: readonly Edge[]): Edge[] {
  const near: Edge[] = [];
  for (let at = firstFrom(same, edge.page - NEAR); at < same.length; at++) {
    const other = same[at];
    if (other === undefined || other.page > edge.page + NEAR) break;
    if (other.page !== edge.page && Math.abs(other.height - edge.height) <= SAME_HEIGHT) near.push(other);
  }
  return near;
}

function firstFrom(edges: readonly Edge[], page: number): number {
  let low = 0;
  let high = edges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((edges[middle]?.page ?? 0) < page) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The same line, or one whose number goes with the page's: figures that go otherwise are content. */
function alike(edge: Edge, other: Edge): boolean {
  return edge.line.text === other.line.text || goesWithPage(edge, other);
}

/** Where words are with the number, the line has to stand apart: "Result 7" under a heading is content. */
function goesWithPage(edge: Edge, other: Edge): boolean {
  if (!edge.apart && !pageNumber.test(edge.key)) return false;
  return edge.numbers.some(
    (number, at) => (other.numbers[at] ?? Number.NaN) - number === other.page - edge.page,
  );
}

function hasPageNumber(edge: Edge, edges: readonly Edge[]): boolean {
  return edges.some(
    (other) => other.page !== edge.page && other.key === edge.key && goesWithPage(edge, other),
  );
}

/** The line with 0 for each number; a Roman one counts at its ends. */
function maskNumbers(text: string): { key: string; numbers: number[] } {
  const numbers: number[] = [];
  const words = text.toLowerCase().split(/\s+/u);
  const key = words.map((word, at) => {
    const roman = at === 0 || at === words.length - 1 ? romanValue(word) : 0;
    if (roman > 0) {
      numbers.push(roman);
      return "0";
    }
    return word.replaceAll(/\d+/g, (digits) => {
      numbers.push(Number(digits));
      return "0";
    });
  });
  return { key: key.join(" "), numbers };
}

const romanDigits: Readonly<Record<string, number>> = { i: 1, v: 5, x: 10, l: 50, c: 100 };

/** 0 for what is no Roman number. */
function romanValue(word: string): number {
  if (!/^[ivxlc]{1,10}$/.test(word)) return 0;
  let value = 0;
  for (const [at, digit] of word.split("").entries()) {
    const own = romanDigits[digit] ?? 0;
    value += own < (romanDigits[word[at + 1] ?? ""] ?? 0) ? -own : own;
  }
  return value;
}

function wordsOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}]+/gu, " ")
    .trim();
}
