import { isUtf8 } from "node:buffer";
import { decodeAs } from "../encodings.ts";
import { guessEncoding } from "../guess-encoding.ts";

/** One field of a header: lower-case name, value on one line. Values are bytes as Latin-1, encoded words still in them. */
export interface HeaderField {
  readonly name: string;
  readonly value: string;
}

/** `text/plain; charset=utf-8`: the value in lower case and its parameters. */
export interface StructuredValue {
  readonly value: string;
  readonly params: ReadonlyMap<string, string>;
}

export interface HeaderBlock {
  readonly fields: readonly HeaderField[];
  /** Offset of the first byte behind the header and its blank line. */
  readonly bodyStart: number;
}

/** Bytes of one header, and characters of one value, that are looked at. */
const MAX_HEADER_BYTES = 1024 * 1024;
const MAX_VALUE_LENGTH = 64 * 1024;
const fieldLine = /^([!-9;-~]{1,100})[ \t]*:/;

/** Whether a line can be a field of a header: a name, then a colon. */
export function isFieldLine(line: string): boolean {
  return fieldLine.test(line);
}

/**
 * The fields from `start` on, up to the first blank line; a line that can be none ends them too, since then the blank line
 * was lost.
 */
export function readHeader(bytes: Buffer, start: number, end: number): HeaderBlock {
  const fields: { name: string; pieces: string[] }[] = [];
  const limit = Math.min(end, start + MAX_HEADER_BYTES);
  let at = start;
  while (at < limit) {
    const newline = bytes.indexOf(10, at);
    const lineEnd = newline === -1 || newline > end ? end : newline;
    const line = bytes.toString("latin1", at, lineEnd).replace(/\r$/, "");
    if (line.trim() === "") return { fields: joined(fields), bodyStart: Math.min(end, lineEnd + 1) };
    const name = fieldLine.exec(line)?.[1];
    const open = fields.at(-1);
    if (/^[ \t]/.test(line) && open !== undefined) open.pieces.push(line.trim());
    else if (name !== undefined)
      fields.push({ name: name.toLowerCase(), pieces: [line.slice(line.indexOf(":") + 1).trim()] });
    // An envelope line that a program left in front of the header is none of its fields.
    else if (!(fields.length === 0 && /^>?From /.test(line)))
      return { fields: joined(fields), bodyStart: at };
    at = Math.min(end, lineEnd + 1);
  }
  return { fields: joined(fields), bodyStart: at };
}

function joined(fields: readonly { name: string; pieces: string[] }[]): HeaderField[] {
  return fields.map(({ name, pieces }) => ({ name, value: pieces.join(" ").slice(0, MAX_VALUE_LENGTH) }));
}

/** The first value of that name; empty when there is none. */
export function fieldValue(fields: readonly HeaderField[], name: string): string {
  return fields.find((field) => field.name === name)?.value ?? "";
}

/** A value's bytes as text: UTF-8 where they are it, else `fallback` or what they most likely are. */
export async function fieldText(value: string, fallback: string | null): Promise<string> {
  // oxlint-disable-next-line no-control-regex -- seven-bit values need no decoding, but for escape sequences
  if (!/[\x80-\xff\x1b]/.test(value)) return value;
  const bytes = Buffer.from(value, "latin1");
  if (value.includes("\x1b")) return (await decodeAs(bytes, "iso-2022-jp")) ?? value;
  if (isUtf8(bytes)) return bytes.toString("utf8");
  const declared = fallback === null ? null : await decodeAs(bytes, fallback);
  if (declared !== null && !declared.includes("\uFFFD")) return declared;
  return (await decodeAs(bytes, await guessEncoding(bytes))) ?? value;
}

/** Reads a structured value; comments are left out, parameters in pieces put together. One pass. */
export function parseStructured(text: string): StructuredValue {
  const items = splitItems(text);
  const params = new Map<string, string>();
  const pieces: Piece[] = [];
  for (const item of items.slice(1)) {
    const equals = item.indexOf("=");
    if (equals === -1) continue;
    const name = item.slice(0, equals).trim().toLowerCase();
    const value = item.slice(equals + 1).trim();
    const numbered = /^([^*]+)\*(?:(\d{1,4})(\*)?)?$/.exec(name);
    if (numbered?.[1] === undefined) {
      if (!params.has(name)) params.set(name, value);
    } else {
      const encoded = numbered[2] === undefined || numbered[3] !== undefined;
      pieces.push({ name: numbered[1], number: Number(numbered[2] ?? 0), encoded, value });
    }
  }
  for (const [name, value] of joinPieces(pieces)) params.set(name, value);
  return { value: (items[0] ?? "").trim().toLowerCase(), params };
}

/** Parts between semicolons, quotes taken off and comments left out. */
function splitItems(text: string): string[] {
  const items: string[] = [];
  let item: string[] = [];
  let quoted = false;
  let comment = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] ?? "";
    if (quoted) {
      if (sign === '"') quoted = false;
      else if (sign === "\\" && /["\\]/.test(text[at + 1] ?? "")) item.push(text[++at] ?? "");
      else item.push(sign);
    } else if (comment > 0) {
      if (sign === "(") comment++;
      else if (sign === ")") comment--;
    } else if (sign === '"') quoted = true;
    // Inside of a name of a file a bracket is part of it.
    else if (sign === "(" && (at === 0 || /[\s;]/.test(text[at - 1] ?? ""))) comment = 1;
    else if (sign === ";") {
      items.push(item.join(""));
      item = [];
    } else item.push(sign);
  }
  items.push(item.join(""));
  return items;
}

interface Piece {
  readonly name: string;
  readonly number: number;
  readonly encoded: boolean;
  readonly value: string;
}

/** RFC 2231: pieces in their order, percent signs decoded in the charset that the first names. */
function joinPieces(pieces: readonly Piece[]): Map<string, string> {
  const joint = new Map<string, string>();
  const groups = new Map<string, Piece[]>();
  for (const piece of pieces) {
    const group = groups.get(piece.name);
    if (group === undefined) groups.set(piece.name, [piece]);
    else group.push(piece);
  }
  for (const [name, group] of groups) {
    const own = group.toSorted((a, b) => a.number - b.number);
    let charset = "utf-8";
    const bytes: Buffer[] = [];
    for (const { number, encoded, value } of own) {
      const named = encoded && number === 0 ? /^([^']{0,100})'[^']{0,100}'/.exec(value) : null;
      if (named !== null) charset = named[1] ?? charset;
      bytes.push(
        encoded ? percentDecoded(value.slice(named?.[0].length ?? 0)) : Buffer.from(value, "latin1"),
      );
    }
    joint.set(name, inCharset(Buffer.concat(bytes), charset));
  }
  return joint;
}

function percentDecoded(value: string): Buffer {
  const plain = value.replaceAll(/%([\da-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(plain, "latin1");
}

function inCharset(bytes: Buffer, charset: string): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    // No encoding that is known here: a name of a file is still readable in parts.
    return bytes.toString("latin1");
  }
}
