import type { Locator } from "../../contract.ts";
import type { Part, ReadLimits } from "../reader.ts";
import { namesOthers, readsLikeNames, standsUnder } from "./header.ts";
import { tokensOf } from "./piece.ts";
import type { TableRow } from "./row.ts";
import { RowGroups, type RowGroupsOptions } from "./row-groups.ts";

/** Share of a chunk that one group of rows fills at most, and tokens it never passes: short groups rank better. */
const GROUP_SHARE = 0.8;
const MAX_GROUP_TOKENS = 400;
/** Share of a group that the names of the columns may take. */
const MAX_HEADER_SHARE = 0.5;
/** A table that begins so many rows below is a part of its own: its place is easier to find. */
const FAR_ROWS = 100;

export interface TableWriterOptions extends Omit<RowGroupsOptions, "budget"> {
  readonly limits: ReadLimits;
}

export interface TableWriter {
  /** Rows come in their order. False when there is no more room: it was left out, and those after it are to be. */
  add(row: TableRow): boolean;
  /** Texts that stand in no cell, each a line at the end. */
  addLines(texts: readonly string[], locator: Locator): void;
  /** `names`: of the columns of the first table. */
  end(): { readonly parts: readonly Part[]; readonly chars: number; readonly names: TableRow | null };
}

/**
 * Rows in groups of about a chunk, each a part: Markdown tables under the names of their columns, which every group repeats
 * where they are short. A row that is not next to the one before it, or that reads like other names, begins another table. A
 * cell that stands alone is a line of text.
 */
export function createTableWriter({ limits, ...options }: TableWriterOptions): TableWriter {
  const budget = Math.min(MAX_GROUP_TOKENS, Math.floor(limits.chunkTokens * GROUP_SHARE));
  const groups = new RowGroups({ ...options, budget });
  let header: TableRow | null = null;
  let names: TableRow | null = null;
  /** Reads like names; whether it is, the next row tells. */
  let candidate: TableRow | null = null;
  let inTable = false;
  let last = Number.NEGATIVE_INFINITY;
  /** Whether it was the names of columns: the row that follows it stands under it. */
  const settle = (next: TableRow | null): boolean => {
    const held = candidate;
    if (held === null) return false;
    candidate = null;
    const isNames =
      next !== null && (next.number === last + 1 || (next.cells.length > 1 && standsUnder(next, held)));
    if (isNames) names ??= held;
    // Names that would crowd the rows out are a row like the others: repeated, they would be most of the text.
    header = isNames && tokensOf(held) <= budget * MAX_HEADER_SHARE ? held : null;
    if (header === null) groups.add("table", null, held);
    return isNames;
  };
  const begin = (row: TableRow): void => {
    inTable = row.cells.length > 1;
    groups.breakOff();
    if (!inTable) groups.add("lines", null, row);
    else if (readsLikeNames(row) && (header === null || namesOthers(row, header))) candidate = row;
    else {
      if (header !== null && !standsUnder(row, header)) header = null;
      groups.add("table", header, row);
    }
  };
  return {
    add(row) {
      if (!groups.hasRoom(row)) return false;
      const isNext = settle(row) || row.number === last + 1;
      if (row.number - last > FAR_ROWS) groups.close();
      last = row.number;
      if (!isNext || (!inTable && row.cells.length > 1)) begin(row);
      else if (inTable) groups.add("table", header, row);
      else groups.add("lines", null, row);
      return true;
    },
    addLines(texts, locator) {
      settle(null);
      groups.addLines(texts, locator);
    },
    end() {
      settle(null);
      groups.close();
      return { parts: groups.parts, chars: groups.chars, names };
    },
  };
}
