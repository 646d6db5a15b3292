/** What a walk through RTF meets, in order. */
export interface RtfVisitor {
  openGroup(): void;
  closeGroup(): void;
  /** `parameter` is null where none is written; `starred`: a reader that does not know the word skips its group. */
  word(name: string, parameter: number | null, starred: boolean): void;
  /** A control sign: "~", "-", "_". */
  sign(sign: string): void;
  /** One byte of text, written as hexadecimal digits. */
  byte(byte: number): void;
  /** Bytes of text as they are, without line ends. */
  run(bytes: Uint8Array): void;
}

const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
/** Letters and digits of one control word; longer ones are cut. */
const MAX_WORD = 32;
const MAX_DIGITS = 10;

/** Linear in the bytes; nothing is a mistake. */
export function walkRtf(bytes: Uint8Array, visitor: RtfVisitor): void {
  let starred = false;
  for (let at = 0; at < bytes.length;) {
    const byte = bytes[at] ?? 0;
    if (byte === OPEN || byte === CLOSE) {
      starred = false;
      if (byte === OPEN) visitor.openGroup();
      else visitor.closeGroup();
      at++;
    } else if (byte !== BACKSLASH) {
      const end = endOfRun(bytes, at);
      if (end > at) visitor.run(bytes.subarray(at, end));
      at = Math.max(end, at + 1);
    } else if (bytes[at + 1] === 0x2a) {
      starred = true;
      at += 2;
    } else {
      at = control(bytes, at + 1, visitor, starred);
      starred = false;
    }
  }
}

/** Line ends and zeros are no text. */
function endOfRun(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length) {
    const byte = bytes[at] ?? 0;
    if (byte === BACKSLASH || byte === OPEN || byte === CLOSE || byte === 10 || byte === 13 || byte === 0)
      break;
    at++;
  }
  return at;
}

/** `from` is behind the backslash. Gives back where the next token begins. */
function control(bytes: Uint8Array, from: number, visitor: RtfVisitor, starred: boolean): number {
  const first = bytes[from] ?? 0;
  if (!isLetter(first)) return controlSign(bytes, from, first, visitor);
  let at = from;
  while (isLetter(bytes[at] ?? 0)) at++;
  const name = latin1(bytes, from, Math.min(at, from + MAX_WORD));
  const digits = bytes[at] === 0x2d ? at + 1 : at;
  let end = digits;
  while (isDigit(bytes[end] ?? 0)) end++;
  const parameter = end > digits ? Number(latin1(bytes, at, Math.min(end, digits + MAX_DIGITS))) : null;
  // One space belongs to the word.
  const next = (end > digits ? end : at) + (bytes[end > digits ? end : at] === 0x20 ? 1 : 0);
  if (name === "bin") return Math.min(bytes.length, next + Math.max(0, parameter ?? 0));
  visitor.word(name, parameter, starred);
  return next;
}

function controlSign(bytes: Uint8Array, from: number, first: number, visitor: RtfVisitor): number {
  if (first === 0x27) {
    const value = Number.parseInt(latin1(bytes, from + 1, from + 3), 16);
    if (!Number.isNaN(value)) visitor.byte(value);
    return from + 3;
  }
  // A line end behind the backslash ends the paragraph.
  if (first === 10 || first === 13) visitor.word("par", null, false);
  else if (first === BACKSLASH || first === OPEN || first === CLOSE)
    visitor.run(bytes.subarray(from, from + 1));
  else if (first !== 0) visitor.sign(String.fromCharCode(first));
  return from + 1;
}

function isLetter(byte: number): boolean {
  return (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a);
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

function latin1(bytes: Uint8Array, from: number, to: number): string {
  let text = "";
  for (let at = from; at < to && at < bytes.length; at++) text += String.fromCharCode(bytes[at] ?? 0);
  return text;
}
