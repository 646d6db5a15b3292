const TAB_WIDTH = 4;
const TAB = 9;
const SPACE = 32;

/** A place in one line, with its column: tabs reach to the next multiple of four. */
export interface Cursor {
  readonly text: string;
  at: number;
  /** Where the line ends, its end mark not counted. */
  end: number;
  column: number;
}

export function openCursor(text: string): Cursor {
  return { text, at: 0, end: 0, column: 0 };
}

export function moveToLine(cursor: Cursor, start: number, next: number): void {
  let end = next;
  if (end > start && cursor.text.charCodeAt(end - 1) === 10) end--;
  if (end > start && cursor.text.charCodeAt(end - 1) === 13) end--;
  cursor.at = start;
  cursor.end = end;
  cursor.column = 0;
}

/** The code at `ahead` characters from the cursor, or -1 beyond the line. */
export function peek(cursor: Cursor, ahead = 0): number {
  return cursor.at + ahead < cursor.end ? cursor.text.charCodeAt(cursor.at + ahead) : -1;
}

export function advance(cursor: Cursor, count: number): void {
  for (let step = 0; step < count && cursor.at < cursor.end; step++) {
    cursor.column += widthOf(cursor.text.charCodeAt(cursor.at), cursor.column);
    cursor.at++;
  }
}

/** Columns of white space in front of what comes next; counted no further than `enough`. */
export function indentOf(cursor: Cursor, enough: number): number {
  let column = cursor.column;
  for (let at = cursor.at; at < cursor.end && column - cursor.column < enough; at++) {
    const code = cursor.text.charCodeAt(at);
    if (code !== SPACE && code !== TAB) break;
    column += widthOf(code, column);
  }
  return column - cursor.column;
}

/** Steps over white space, at most `columns` of it. */
export function skipIndent(cursor: Cursor, columns: number): void {
  const limit = cursor.column + columns;
  while (cursor.at < cursor.end && cursor.column < limit) {
    const code = cursor.text.charCodeAt(cursor.at);
    if (code !== SPACE && code !== TAB) return;
    cursor.column += widthOf(code, cursor.column);
    cursor.at++;
  }
}

export function isBlank(cursor: Cursor): boolean {
  for (let at = cursor.at; at < cursor.end; at++) {
    const code = cursor.text.charCodeAt(at);
    if (code !== SPACE && code !== TAB) return false;
  }
  return true;
}

/** How many times the character at the cursor repeats. */
export function runLength(cursor: Cursor): number {
  const code = peek(cursor);
  if (code === -1) return 0;
  let at = cursor.at + 1;
  while (at < cursor.end && cursor.text.charCodeAt(at) === code) at++;
  return at - cursor.at;
}

export function restOf(cursor: Cursor): string {
  return cursor.text.slice(cursor.at, cursor.end);
}

function widthOf(code: number, column: number): number {
  return code === TAB ? TAB_WIDTH - (column % TAB_WIDTH) : 1;
}
