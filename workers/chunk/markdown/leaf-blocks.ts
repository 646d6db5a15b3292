import { type Cursor, isBlank, peek, restOf, runLength } from "./cursor.ts";

/** The leaf blocks of CommonMark as one line shows them. Each looks from the first character that is no white space. */

export interface FenceOpening {
  readonly mark: number;
  readonly length: number;
}

const BACKTICK = 0x60;
const TILDE = 0x7e;
const HASH = 0x23;
const MAX_HEADING_MARKS = 6;

export function fenceOpening(cursor: Cursor): FenceOpening | null {
  const mark = peek(cursor);
  if (mark !== BACKTICK && mark !== TILDE) return null;
  const length = runLength(cursor);
  if (length < 3) return null;
  if (mark === BACKTICK && restOf(cursor).slice(length).includes("`")) return null;
  return { mark, length };
}

export function closesFence(cursor: Cursor, fence: FenceOpening): boolean {
  if (peek(cursor) !== fence.mark) return false;
  const length = runLength(cursor);
  return length >= fence.length && isBlank({ ...cursor, at: cursor.at + length });
}

export function atxHeading(cursor: Cursor): { level: number; source: string } | null {
  if (peek(cursor) !== HASH) return null;
  const level = runLength(cursor);
  const after = peek(cursor, level);
  if (level > MAX_HEADING_MARKS || !(after === -1 || after === 32 || after === 9)) return null;
  const source = restOf(cursor).slice(level).trim();
  return { level, source: source.replace(/(?:^|[ \t])#+$/, "") };
}

/** 1 for ===, 2 for ---, null for anything else. */
export function setextLevel(cursor: Cursor): 1 | 2 | null {
  const mark = peek(cursor);
  if (mark !== 0x3d && mark !== 0x2d) return null;
  if (!isBlank({ ...cursor, at: cursor.at + runLength(cursor) })) return null;
  return mark === 0x3d ? 1 : 2;
}

export function isRule(cursor: Cursor): boolean {
  const mark = peek(cursor);
  if (mark !== 0x2a && mark !== 0x2d && mark !== 0x5f) return false;
  let count = 0;
  for (let ahead = 0; ; ahead++) {
    const code = peek(cursor, ahead);
    if (code === -1) return count >= 3;
    if (code === mark) count++;
    else if (code !== 32 && code !== 9) return false;
  }
}

/** `| --- | :-: |`: the row under the header of a table. */
export function isDelimiterRow(cursor: Cursor): boolean {
  let bars = 0;
  let dashes = 0;
  for (let ahead = 0; ; ahead++) {
    const code = peek(cursor, ahead);
    if (code === -1) return bars > 0 && dashes > 0;
    if (code === 0x7c) bars++;
    else if (code === 0x2d) dashes++;
    else if (code !== 0x3a && code !== 32 && code !== 9) return false;
  }
}

export interface ListMarker {
  /** Characters of the marker itself. */
  readonly width: number;
  /** Whether it may stand in the middle of a paragraph. */
  readonly interrupts: boolean;
}

export function listMarker(cursor: Cursor): ListMarker | null {
  const mark = peek(cursor);
  let width = 1;
  let startsAtOne = true;
  if (mark >= 0x30 && mark <= 0x39) {
    let digits = 1;
    while (digits < 10 && peek(cursor, digits) >= 0x30 && peek(cursor, digits) <= 0x39) digits++;
    const closer = peek(cursor, digits);
    if (digits > 9 || (closer !== 0x2e && closer !== 0x29)) return null;
    startsAtOne = Number(restOf(cursor).slice(0, digits)) === 1;
    width = digits + 1;
  } else if (mark !== 0x2a && mark !== 0x2b && mark !== 0x2d) {
    return null;
  }
  const after = peek(cursor, width);
  if (after !== -1 && after !== 32 && after !== 9) return null;
  return { width, interrupts: startsAtOne && !isBlank({ ...cursor, at: cursor.at + width }) };
}

/** How an HTML block that begins here ends: at a text, or at a blank line; null when none begins. */
export function htmlOpening(cursor: Cursor, inParagraph: boolean): RegExp | "blank" | null {
  if (peek(cursor) !== 0x3c) return null;
  const rest = restOf(cursor).slice(0, 1000);
  if (/^<(?:script|pre|style|textarea)(?=\s|>|$)/i.test(rest)) return /<\/(?:script|pre|style|textarea)>/i;
  if (rest.startsWith("<!--")) return /-->/;
  if (rest.startsWith("<?")) return /\?>/;
  if (rest.startsWith("<![CDATA[")) return /\]\]>/;
  if (/^<![A-Z]/i.test(rest)) return />/;
  if (blockTag.test(rest)) return "blank";
  return !inParagraph && loneTag.test(rest) ? "blank" : null;
}

const blockTag =
  /^<\/?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)(?=\s|\/?>|$)/i;
const loneTag = /^(?:<[a-z][a-z0-9-]*(?:\s[^<>]*)?\/?>|<\/[a-z][a-z0-9-]*\s*>)\s*$/i;
