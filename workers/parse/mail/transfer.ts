import type { MimePart } from "./mime.ts";

const EQUALS = 0x3d;
const NEWLINE = 10;
/** Padding may stand in the middle, where a program encoded line by line; units of this many characters are whole. */
const BASE64_UNIT = 4;

/** A part's body without its transfer encoding; broken encodings give what can be read. Linear in the body. */
export function decodeBody({ body, transferEncoding }: MimePart): Buffer {
  switch (transferEncoding) {
    case "base64":
    case "b":
      return fromBase64(body);
    case "quoted-printable":
      return fromQuotedPrintable(body);
    case "x-uuencode":
    case "uuencode":
    case "x-uue":
      return fromUuencode(body);
    default:
      return body;
  }
}

function fromBase64(body: Buffer): Buffer {
  const text = body.toString("latin1");
  const inner = text.indexOf("=");
  if (inner === -1 || /^[=\s]*$/.test(text.slice(inner))) return Buffer.from(text, "base64");
  const pieces = text.split(/=+/).map((piece) => piece.replaceAll(/[^A-Za-z0-9+/]/g, ""));
  return Buffer.concat(
    pieces.map((piece) =>
      Buffer.from(piece.length % BASE64_UNIT === 1 ? piece.slice(0, -1) : piece, "base64"),
    ),
  );
}

function fromQuotedPrintable(body: Buffer): Buffer {
  const out = Buffer.allocUnsafe(body.length);
  let length = 0;
  let from = 0;
  for (let at = body.indexOf(EQUALS); at !== -1; at = body.indexOf(EQUALS, from)) {
    length += body.copy(out, length, from, at);
    const soft = softBreakEnd(body, at + 1);
    const value = soft === null ? hexPair(body, at + 1) : null;
    if (soft !== null) from = soft;
    else {
      out[length++] = value ?? EQUALS;
      from = value === null ? at + 1 : at + 3;
    }
  }
  length += body.copy(out, length, from);
  return out.subarray(0, length);
}

/** The offset behind a line end, with blanks before it; null when something else follows. */
function softBreakEnd(body: Buffer, at: number): number | null {
  let end = at;
  while (end < body.length && end < at + 100 && (body[end] === 32 || body[end] === 9 || body[end] === 13))
    end++;
  return end >= body.length || body[end] === NEWLINE ? Math.min(body.length, end + 1) : null;
}

function hexPair(body: Buffer, at: number): number | null {
  const high = hexDigit(body[at]);
  const low = hexDigit(body[at + 1]);
  return high === null || low === null ? null : high * 16 + low;
}

function hexDigit(byte: number | undefined): number | null {
  if (byte === undefined) return null;
  if (byte >= 48 && byte <= 57) return byte - 48;
  const letter = byte | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : null;
}

/** The lines between `begin` and `end`, each with its own length in front. */
function fromUuencode(body: Buffer): Buffer {
  const out = Buffer.allocUnsafe(body.length);
  let length = 0;
  for (const line of body.toString("latin1").split(/\r?\n/)) {
    if (/^begin(?:-base64)? \d/.test(line)) continue;
    if (line === "end") break;
    const wanted = uuValue(line, 0);
    const first = length;
    for (let at = 1; at < line.length && length - first < wanted; at += 4) {
      const bits =
        (uuValue(line, at) << 18) |
        (uuValue(line, at + 1) << 12) |
        (uuValue(line, at + 2) << 6) |
        uuValue(line, at + 3);
      for (let shift = 16; shift >= 0 && length - first < wanted; shift -= 8)
        out[length++] = (bits >> shift) & 255;
    }
  }
  return out.subarray(0, length);
}

function uuValue(line: string, at: number): number {
  const code = at < line.length ? line.charCodeAt(at) : 32;
  return code >= 32 && code <= 96 ? (code - 32) & 63 : 0;
}
