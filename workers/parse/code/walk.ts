import type { Node, TreeCursor } from "web-tree-sitter";
import type { Grammar } from "./grammars.ts";
import { callHeading, constantName, nameOf, valueHeading } from "./names.ts";

/** Lines are 0-based; `endLine` is the line after the last. */
export interface LineSpan {
  readonly line: number;
  readonly endLine: number;
}

export interface SourceSymbol extends LineSpan {
  readonly heading: string;
}

/** What a walk finds, both in the order of their first lines. */
export interface Found {
  readonly symbols: readonly SourceSymbol[];
  /** Comments, decorators and attributes that stand on lines of their own. */
  readonly leads: readonly LineSpan[];
}

/** Symbols nested deeper are part of the one around them. */
const MAX_DEPTH = 96;
/** The time is looked at after this many steps. */
const STEPS = 512;
/** Nodes that belong to the symbol behind them, by type. */
const leadTypes: ReadonlySet<string> = new Set([
  "comment",
  "line_comment",
  "block_comment",
  "decorator",
  "attribute_item",
  "template_parameter_list",
]);
/** Nodes that give a value a name. */
const valueTypes: ReadonlySet<string> = new Set([
  "variable_declarator",
  "assignment_expression",
  "pair",
  "field_definition",
  "public_field_definition",
]);
/** How deep a value's name may stand to be one of the whole file. */
const constantDepths: Readonly<Record<string, number>> = { variable_declarator: 3, assignment: 2 };
const callTypes: ReadonlySet<string> = new Set(["call_expression", "call"]);

/** Looks into nodes that span lines, since one line is never cut. Null when it got late. */
export function findSymbols(root: Node, text: string, grammar: Grammar, isLate: () => boolean): Found | null {
  const symbols: SourceSymbol[] = [];
  const leads: LineSpan[] = [];
  const cursor = root.walk();
  try {
    for (let step = 1; ; step++) {
      if (step % STEPS === 0 && isLate()) return null;
      const type = cursor.nodeType;
      if (leadTypes.has(type)) addLead(cursor, text, leads);
      const heading = headingOf(cursor, type, grammar);
      if (heading !== null) symbols.push({ heading, ...linesOf(cursor) });
      if (!next(cursor)) return { symbols, leads };
    }
  } finally {
    cursor.delete();
  }
}

/** In document order; false at the end. */
function next(cursor: TreeCursor): boolean {
  const spansLines = cursor.startPosition.row !== cursor.endPosition.row;
  if (spansLines && cursor.currentDepth < MAX_DEPTH && cursor.gotoFirstChild()) return true;
  while (!cursor.gotoNextSibling()) if (!cursor.gotoParent()) return false;
  return true;
}

function headingOf(cursor: TreeCursor, type: string, grammar: Grammar): string | null {
  if (!cursor.nodeIsNamed) return null;
  const form = Object.hasOwn(grammar.symbols, type) ? grammar.symbols[type] : undefined;
  if (form !== undefined) {
    const name = nameOf(cursor.currentNode);
    return name === null ? null : `${form[0]}${name}${form[1]}`;
  }
  const isConstant = cursor.currentDepth <= (constantDepths[type] ?? -1);
  if (valueTypes.has(type) || isConstant) {
    return valueHeading(cursor.currentNode) ?? (isConstant ? constantName(cursor.currentNode) : null);
  }
  if (callTypes.has(type) && cursor.startPosition.row !== cursor.endPosition.row) {
    return callHeading(cursor.currentNode);
  }
  return null;
}

function linesOf(cursor: TreeCursor): LineSpan {
  const { row, column } = cursor.endPosition;
  const line = cursor.startPosition.row;
  // A comment of Rust ends with its line end, at the first column of the next line.
  return { line, endLine: column === 0 && row > line ? row : row + 1 };
}

function addLead(cursor: TreeCursor, text: string, leads: LineSpan[]): void {
  const start = cursor.startIndex;
  const column = cursor.startPosition.column;
  const before = text.slice(Math.max(0, start - Math.min(column, MAX_DEPTH * 8)), start).trim();
  if (before === "" || before === "template") leads.push(linesOf(cursor));
}
