/** A cell that is not empty. */
export interface TableCell {
  /** 0-based. */
  readonly column: number;
  /** On one line, without white space around it. */
  readonly text: string;
}

/** A row that is not empty. */
export interface TableRow {
  /** By column. */
  readonly cells: readonly TableCell[];
  /** As a person counts it, 1-based. */
  readonly number: number;
  /** The line of the file that it begins on, 1-based; null where the file has none. */
  readonly line: number | null;
}

/** White space but for single spaces between words. */
const uneven = /[^\S ]| {2}|^ | $/;

/** White space as a table can hold it. */
export function oneLine(text: string): string {
  if (!uneven.test(text)) return text;
  return text.replaceAll(/\s+/g, " ").trim();
}
