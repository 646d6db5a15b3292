import type { LineStructure } from "../line-structure.ts";
import {
  advance,
  type Cursor,
  indentOf,
  isBlank,
  moveToLine,
  openCursor,
  peek,
  restOf,
  skipIndent,
} from "./cursor.ts";
import { headingText } from "./heading-text.ts";
import {
  atxHeading,
  closesFence,
  type FenceOpening,
  fenceOpening,
  htmlOpening,
  isDelimiterRow,
  isRule,
  listMarker,
  setextLevel,
} from "./leaf-blocks.ts";

/** Four columns make indented code. */
const CODE_INDENT = 4;
/** Deeper quotes and lists are read as text. */
const MAX_DEPTH = 64;

/** A block quote, or a list item with the columns its lines are indented by. */
type Container = { readonly kind: "quote" } | { readonly kind: "item"; readonly indent: number };

interface Found {
  readonly headings: { line: number; level: number; text: string }[];
  readonly fences: [number, number][];
  readonly rules: number[];
  readonly listItems: number[];
  readonly tables: [number, number][];
}

interface State {
  readonly cursor: Cursor;
  readonly found: Found;
  containers: Container[];
  /** The fence that is open, with its first line. */
  fence: (FenceOpening & { readonly line: number }) | null;
  /** How the HTML block that is open ends. */
  html: RegExp | "blank" | null;
  /** The first line of the paragraph that is open. */
  paragraph: number | null;
  /** The table that is open: its header's line, and the paragraph that it is to the block rules. */
  table: { readonly line: number; readonly paragraph: number } | null;
  readonly lineStarts: Uint32Array;
}

/**
 * Headings, fences, rules and list items of Markdown, one pass over its lines by the block rules of CommonMark.
 * Headings and rules count where they stand in no quote or list. Front matter before `bodyStart` is passed over.
 */
export function markdownStructure(text: string, lineStarts: Uint32Array, bodyStart: number): LineStructure {
  const state: State = {
    cursor: openCursor(text),
    found: { headings: [], fences: [], rules: [], listItems: [], tables: [] },
    containers: [],
    fence: null,
    html: null,
    paragraph: null,
    table: null,
    lineStarts,
  };
  let line = 0;
  while (line < lineStarts.length && (lineStarts[line] ?? 0) < bodyStart) line++;
  for (; line < lineStarts.length; line++) {
    moveToLine(state.cursor, lineStarts[line] ?? 0, lineStarts[line + 1] ?? text.length);
    readLine(state, line);
    if (state.table !== null && state.paragraph !== state.table.paragraph) endTable(state, line);
  }
  endFence(state, lineStarts.length);
  endTable(state, lineStarts.length);
  return state.found;
}

function readLine(state: State, line: number): void {
  const { cursor } = state;
  const matched = matchContainers(state);
  const all = matched === state.containers.length;
  if (!all && (state.fence !== null || state.html !== null)) {
    endFence(state, line);
    state.html = null;
  }
  if (state.fence !== null) {
    if (indentOf(cursor, CODE_INDENT) < CODE_INDENT) skipIndent(cursor, CODE_INDENT);
    if (closesFence(cursor, state.fence)) endFence(state, line + 1);
    return;
  }
  if (state.html !== null) {
    if (state.html === "blank" ? isBlank(cursor) : state.html.test(restOf(cursor))) state.html = null;
    return;
  }
  if (isBlank(cursor)) {
    state.paragraph = null;
    state.containers.length = matched;
    return;
  }
  openBlocks(state, line, matched);
}

/** Steps over the marks of the containers that go on in this line; answers how many do. */
function matchContainers(state: State): number {
  const { cursor, containers } = state;
  let matched = 0;
  for (const container of containers) {
    if (container.kind === "item") {
      if (indentOf(cursor, container.indent) >= container.indent) skipIndent(cursor, container.indent);
      else if (!isBlank(cursor)) break;
    } else if (!stepOverQuoteMark(cursor)) break;
    matched++;
  }
  return matched;
}

function stepOverQuoteMark(cursor: Cursor): boolean {
  const { at, column } = cursor;
  if (indentOf(cursor, CODE_INDENT) < CODE_INDENT) skipIndent(cursor, CODE_INDENT);
  if (peek(cursor) === 0x3e) {
    advance(cursor, 1);
    if (peek(cursor) === 32) advance(cursor, 1);
    else if (peek(cursor) === 9) cursor.column++;
    return true;
  }
  cursor.at = at;
  cursor.column = column;
  return false;
}

/** Reads what stands after the containers that match: new containers, then one leaf block. */
function openBlocks(state: State, line: number, matched: number): void {
  const { cursor } = state;
  let lazy = matched < state.containers.length;
  const settle = (): void => {
    if (lazy) {
      state.containers.length = matched;
      lazy = false;
    }
  };
  for (;;) {
    const inParagraph = state.paragraph !== null;
    if (indentOf(cursor, CODE_INDENT) >= CODE_INDENT) {
      if (!inParagraph) settle();
      return;
    }
    if (state.containers.length < MAX_DEPTH && stepOverQuoteMark(cursor)) {
      settle();
      state.containers.push({ kind: "quote" });
      state.paragraph = null;
      if (isBlank(cursor)) return;
      continue;
    }
    const indent = indentOf(cursor, CODE_INDENT);
    skipIndent(cursor, CODE_INDENT);
    if (!lazy && inParagraph && readSetext(state)) return;
    if (!isRule(cursor) && openItem(state, indent, inParagraph && !lazy, settle)) {
      state.found.listItems.push(line);
      if (isBlank(cursor)) return;
      continue;
    }
    if (openLeaf(state, line, settle)) state.paragraph = null;
    else if (!inParagraph) {
      settle();
      state.paragraph = line;
    } else if (!lazy) openTable(state, line);
    return;
  }
}

/** The line under a paragraph that makes it a heading. */
function readSetext(state: State): boolean {
  const level = setextLevel(state.cursor);
  const first = state.paragraph;
  if (level === null || first === null) return false;
  if (state.containers.length === 0) {
    const { text, at } = state.cursor;
    addHeading(state, first, level, text.slice(state.lineStarts[first] ?? 0, text.lastIndexOf("\n", at - 1)));
  }
  state.paragraph = null;
  return true;
}

function openItem(state: State, indent: number, mustInterrupt: boolean, settle: () => void): boolean {
  const { cursor } = state;
  const marker = listMarker(cursor);
  if (marker === null || (mustInterrupt && !marker.interrupts) || state.containers.length >= MAX_DEPTH)
    return false;
  settle();
  advance(cursor, marker.width);
  const space = indentOf(cursor, CODE_INDENT + 1);
  // Five columns and more are one and indented code; an item that begins with an empty line has one too.
  const padding = isBlank(cursor) || space > CODE_INDENT ? 1 : space;
  skipIndent(cursor, padding);
  state.containers.push({ kind: "item", indent: indent + marker.width + padding });
  state.paragraph = null;
  return true;
}

/** A fence, heading, rule or HTML block; false for what is text of a paragraph. */
function openLeaf(state: State, line: number, settle: () => void): boolean {
  const { cursor } = state;
  const fence = fenceOpening(cursor);
  const heading = fence === null ? atxHeading(cursor) : null;
  const rule = isRule(cursor);
  const html = htmlOpening(cursor, state.paragraph !== null);
  if (fence === null && heading === null && !rule && html === null) return false;
  settle();
  if (fence !== null) state.fence = { ...fence, line };
  else if (heading !== null) addHeading(state, line, heading.level, heading.source);
  else if (rule && state.containers.length === 0) state.found.rules.push(line);
  else if (html !== null && (html === "blank" || !html.test(restOf(cursor)))) state.html = html;
  return true;
}

function addHeading(state: State, line: number, level: number, source: string): void {
  if (state.containers.length > 0) return;
  const text = headingText(source);
  if (text !== "") state.found.headings.push({ line, level, text });
}

function endFence(state: State, after: number): void {
  if (state.fence !== null) state.found.fences.push([state.fence.line, after]);
  state.fence = null;
}

/** The row of dashes under a header makes a table of both and the lines behind them. It stays a paragraph all the same. */
function openTable(state: State, line: number): void {
  if (state.table !== null || state.paragraph === null || !isDelimiterRow(state.cursor)) return;
  const { text } = state.cursor;
  const header = text.slice(state.lineStarts[line - 1] ?? 0, state.lineStarts[line] ?? 0);
  if (header.includes("|")) state.table = { line: line - 1, paragraph: state.paragraph };
}

function endTable(state: State, after: number): void {
  if (state.table !== null) state.found.tables.push([state.table.line, after]);
  state.table = null;
}
