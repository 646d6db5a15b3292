/**
 * File names are bytes on Linux, and need not be UTF-8. A path is kept as a string that SQLite and JSON can hold and that
 * turns back into the same bytes: valid UTF-8 stays as it is, every other byte b (which is 0x80 or more) becomes the
 * private-use character U+F700 + b, and real characters of that range are escaped byte by byte too, so nothing is
 * ambiguous. No form stands for an ASCII byte: a separator is never hidden in one.
 */
const ESCAPE_BASE = 0xf700;
const escaped = /[\uF780-\uF7FF]/;
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A name or path as the system gave it → its escaped form. */
export function escapePath(bytes: Uint8Array): string {
  try {
    const text = decoder.decode(bytes);
    if (!escaped.test(text)) return text;
  } catch {
    // Not UTF-8: taken apart below.
  }
  let out = "";
  for (let at = 0; at < bytes.length;) {
    const length = sequenceLength(bytes, at);
    const piece = bytes.subarray(at, at + Math.max(1, length));
    const text = length > 0 ? decoder.decode(piece) : "";
    if (text !== "" && !escaped.test(text)) out += text;
    else for (const byte of piece) out += String.fromCharCode(ESCAPE_BASE + byte);
    at += piece.length;
  }
  return out;
}

/** The escaped form → what to hand to the file system: the string itself where it is plain, else its bytes. */
export function toSystemPath(path: string): string | Buffer {
  if (!escaped.test(path)) return path;
  const parts: Buffer[] = [];
  for (const piece of path.split(/([\uF780-\uF7FF])/)) {
    if (piece.length === 1 && escaped.test(piece))
      parts.push(Buffer.from([piece.charCodeAt(0) - ESCAPE_BASE]));
    else parts.push(Buffer.from(piece, "utf8"));
  }
  return Buffer.concat(parts);
}

/** For people: bytes that are no text show as the replacement character. */
export function displayPath(path: string): string {
  return escaped.test(path) ? Buffer.from(toSystemPath(path)).toString("utf8") : path;
}

/** How many bytes from `at` make one valid UTF-8 character; 0 when they make none. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  for (let length = 1; length <= 4 && at + length <= bytes.length; length++) {
    try {
      decoder.decode(bytes.subarray(at, at + length));
      return length;
    } catch {
      // Longer sequences are tried next.
    }
  }
  return 0;
}
