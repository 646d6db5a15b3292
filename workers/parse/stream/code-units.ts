import { decodeAs } from "../encodings.ts";
import { cleanText } from "../clean-text.ts";

/** Bytes as numbers that are an ASCII character's code wherever one stands. */
export interface CodeUnits {
  readonly codes: Uint8Array | Uint16Array;
  readonly unitBytes: 1 | 2;
}

const NEWLINE = 10;
const RETURN = 13;
/** A blank line this near to the end of a window is a better place than the end of the last line; share of the window. */
const NEAR_END = 0.1;
/** Where no line ends, a space or the like is looked for so far back. */
const REACH = 64 * 1024;

/** Encodings in which every byte below 0x30 is the ASCII character, and UTF-16: they may be cut without reading from the start. */
export function isStreamable(encoding: string): boolean {
  return !/^(?:utf-32|iso-2022|hz)/.test(encoding);
}

export function codeUnits(bytes: Buffer, encoding: string): CodeUnits {
  if (!encoding.startsWith("utf-16")) return { codes: bytes, unitBytes: 1 };
  const even = bytes.subarray(0, bytes.length - (bytes.length % 2));
  // A copy, for a view of two bytes must be aligned.
  const copy = Buffer.from(new Uint8Array(even).buffer);
  if (encoding === "utf-16be") copy.swap16();
  return { codes: new Uint16Array(copy.buffer, copy.byteOffset, copy.length / 2), unitBytes: 2 };
}

/** How many units to take so that the cut falls between two lines, where that can be. */
export function lineCut({ codes, unitBytes }: CodeUnits): number {
  const last = lastLineEnd(codes);
  if (last === 0) return plainCut(codes, unitBytes);
  for (let at = last; at > last - codes.length * NEAR_END; at--) {
    if (codes[at - 1] === NEWLINE && isBlankBefore(codes, at - 1)) return at;
  }
  return last;
}

export function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

/** Text as readers take it. */
export async function decodePiece(bytes: Buffer, encoding: string): Promise<string> {
  const text = encoding === "utf-8" ? bytes.toString("utf8") : await decodeAs(bytes, encoding);
  if (text === null) throw new TypeError(`there is no decoder for ${encoding}`);
  return cleanText(text);
}

/** The place behind the last line end; 0 when there is none. A carriage return at the very end may be half of one. */
function lastLineEnd(codes: Uint8Array | Uint16Array): number {
  const newline = codes.lastIndexOf(NEWLINE) + 1;
  if (newline > 0) return newline;
  return codes.lastIndexOf(RETURN, codes.length - 2) + 1;
}

function isBlankBefore(codes: Uint8Array | Uint16Array, newline: number): boolean {
  const before = codes[newline - 1];
  return before === NEWLINE || (before === RETURN && codes[newline - 2] === NEWLINE);
}

/** Within a line without end: behind a space or a sign, else between two characters. */
function plainCut(codes: Uint8Array | Uint16Array, unitBytes: 1 | 2): number {
  const end = codes.length;
  for (let at = end; at > Math.max(1, end - REACH); at--) {
    const code = codes[at - 1] ?? 0;
    if (code < 0x30 && code !== RETURN && (codes[at] ?? 0x20) < 0x80) return at;
  }
  for (let at = end; at > Math.max(1, end - REACH); at--) {
    if (startsCharacter(codes[at], codes[at - 1], unitBytes)) return at;
  }
  return end;
}

/** In UTF-8 a byte of the form 10xxxxxx goes on, in UTF-16 a low surrogate behind a high one. */
function startsCharacter(code: number | undefined, before: number | undefined, unitBytes: 1 | 2): boolean {
  if (code === undefined || before === undefined) return false;
  if (unitBytes === 2) return !(code >= 0xdc00 && code <= 0xdfff);
  return (code & 0xc0) !== 0x80;
}
