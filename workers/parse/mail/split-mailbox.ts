import { isEnvelope } from "./envelope.ts";

/** One message of a mailbox. */
export interface MailboxEntry {
  /** What follows its envelope line, quoting of "From " undone. It may share memory with the chunk. */
  readonly bytes: Buffer;
  /** 1-based, of the file; the first is the envelope line. */
  readonly firstLine: number;
  readonly lastLine: number;
  /** It is longer than `maxMessageBytes`: `bytes` is its beginning. */
  readonly cut: boolean;
}

/** Splits a mailbox that comes in chunks; memory is bounded by the longest message and one chunk. */
export interface MailboxSplitter {
  /** The messages that end in the chunk; with `last`, those that are still open too. */
  push(chunk: Uint8Array, last: boolean): Generator<MailboxEntry>;
}

const NEWLINE = 10;
const RETURN = 13;
const separator = Buffer.from("\nFrom ", "latin1");
/** Bytes behind "\nFrom " in which the end of its line and the line after it must stand. */
const LOOK_AHEAD = 2048;
const DEFAULT_MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
const knownField =
  /^(?:received|return-path|from|to|date|subject|message-id|mime-version|delivered-to|content-[a-z-]+|x-[\w-]+|status):/i;
const contentLength = /^content-length:[ \t]*(\d{1,12})[ \t]*\r?$/im;
/** A message that says to be longer is not waited for: its length may be a lie. */
const MAX_COUNTED_BYTES = 16 * 1024 * 1024;
/** Bytes of a message in which its header and so its length is looked for. */
const HEADER_REACH = 16 * 1024;

/** `inside`: the first chunk begins inside a message. Its rest is given like a message. */
export function createMailboxSplitter(
  maxMessageBytes = DEFAULT_MAX_MESSAGE_BYTES,
  { inside = false }: { readonly inside?: boolean } = {},
): MailboxSplitter {
  return new Splitter(maxMessageBytes, inside);
}

class Splitter implements MailboxSplitter {
  readonly #maxMessageBytes: number;
  #buffer: Buffer = Buffer.alloc(0);
  /** The buffer is the caller's chunk. */
  #borrowed = false;
  /** In the buffer: the open message's envelope line, how far no message ends, and the end of what is known. */
  #start = 0;
  #scanned = 0;
  #length = 0;
  #line = 1;
  /** The open message was given already as far as it is taken. */
  #skipping = false;
  /** The open message's header is not at hand, and so neither is its word on its length. */
  #headless: boolean;

  constructor(maxMessageBytes: number, headless: boolean) {
    this.#maxMessageBytes = maxMessageBytes;
    this.#headless = headless;
  }

  *push(chunk: Uint8Array, last: boolean): Generator<MailboxEntry> {
    this.#append(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
    for (let end = this.#end(last); end !== null; end = this.#end(last)) yield* this.#entry(end, false);
    if (last && this.#start < this.#length) yield* this.#entry(this.#length, false);
    else if (this.#length - this.#start > this.#maxMessageBytes)
      yield* this.#entry(this.#length - LOOK_AHEAD, true);
    if (last) return;
    // What stays open is kept in memory of its own.
    if (this.#borrowed || this.#start > this.#length / 2) this.#move(this.#length - this.#start);
  }

  #append(chunk: Buffer): void {
    if (this.#length === 0) {
      this.#buffer = chunk;
      this.#borrowed = true;
      this.#length = chunk.length;
      return;
    }
    const needed = this.#length + chunk.length;
    if (needed > this.#buffer.length) this.#move(Math.max(needed, 2 * (this.#length - this.#start)));
    chunk.copy(this.#buffer, this.#length);
    this.#length += chunk.length;
  }

  /** Messages that were given keep the old memory. */
  #move(capacity: number): void {
    const own = Buffer.allocUnsafe(capacity);
    this.#buffer.copy(own, 0, this.#start, this.#length);
    this.#buffer = own;
    this.#borrowed = false;
    this.#length -= this.#start;
    this.#scanned = Math.max(0, this.#scanned - this.#start);
    this.#start = 0;
  }

  /** Where the open message ends; null while that is not known. */
  #end(last: boolean): number | null {
    const bytes = this.#buffer.subarray(0, this.#length);
    const counted = this.#skipping || this.#headless ? null : countedEnd(bytes, this.#start);
    if (counted !== null && counted > bytes.length - LOOK_AHEAD && !last) {
      if (counted - this.#start < MAX_COUNTED_BYTES) return null;
    } else if (counted !== null && followsMessage(bytes, counted)) {
      this.#scanned = counted;
      return counted;
    }
    const sure = last ? bytes.length : bytes.length - LOOK_AHEAD;
    let from = Math.max(this.#start, this.#scanned);
    for (
      let at = bytes.indexOf(separator, from);
      at !== -1 && at < sure;
      at = bytes.indexOf(separator, from)
    ) {
      from = at + 1;
      if (separates(bytes, at)) return (this.#scanned = from);
    }
    this.#scanned = Math.max(from, sure);
    return null;
  }

  *#entry(end: number, cut: boolean): Generator<MailboxEntry> {
    const whole = this.#buffer.subarray(this.#start, end);
    const firstLine = this.#line;
    const given = this.#skipping;
    this.#line += countLines(whole);
    this.#start = end;
    this.#skipping = cut;
    this.#headless = false;
    if (given || whole.length === 0) return;
    const lastLine = Math.max(firstLine, this.#line - 1);
    yield { bytes: unquoted(withoutEnvelope(whole)), firstLine, lastLine, cut };
  }
}

/** A line "From " that parts messages: with a time, or behind a blank line and in front of a header. */
function separates(bytes: Buffer, at: number): boolean {
  const lineEnd = bytes.indexOf(NEWLINE, at + 1);
  const end = lineEnd === -1 ? bytes.length : lineEnd;
  if (end - at > LOOK_AHEAD) return false;
  if (isEnvelope(bytes.toString("latin1", at + 1, end))) return true;
  const before = bytes[at - 1] === RETURN ? bytes[at - 2] : bytes[at - 1];
  if (at > 0 && before !== NEWLINE) return false;
  return knownField.test(bytes.toString("latin1", end + 1, Math.min(bytes.length, end + 100)));
}

/** Where the message ends by its own word (mboxcl2), blank lines with it; null when it says nothing. */
function countedEnd(bytes: Buffer, start: number): number | null {
  const head = bytes.subarray(start, start + HEADER_REACH);
  const short = head.indexOf("\n\n");
  const long = head.subarray(0, short === -1 ? head.length : short).indexOf("\n\r\n");
  const blank = long === -1 ? short : long;
  if (blank === -1) return null;
  const length = contentLength.exec(head.toString("latin1", 0, blank + 1))?.[1];
  if (length === undefined) return null;
  let end = start + blank + (long === -1 ? 2 : 3) + Number(length);
  for (let blanks = 0; blanks < 4 && (bytes[end] === NEWLINE || bytes[end] === RETURN); blanks++) end++;
  return end;
}

/** Whether another message begins there. */
function followsMessage(bytes: Buffer, end: number): boolean {
  const lineEnd = bytes.indexOf(NEWLINE, end);
  const line = bytes.toString("latin1", end, lineEnd === -1 ? end + LOOK_AHEAD : lineEnd);
  return end > 0 && bytes[end - 1] === NEWLINE && isEnvelope(line);
}

function withoutEnvelope(message: Buffer): Buffer {
  if (message.toString("latin1", 0, 5) !== "From ") return message;
  const end = message.indexOf(NEWLINE);
  return end === -1 ? message.subarray(message.length) : message.subarray(end + 1);
}

/** Takes one mark off each line of the form ">From ", ">>From " … (mboxrd, mboxo). */
function unquoted(message: Buffer): Buffer {
  if (!message.includes(">From ")) return message;
  const out = Buffer.allocUnsafe(message.length);
  let length = 0;
  let from = 0;
  for (let at = message.indexOf(">From "); at !== -1; at = message.indexOf(">From ", at + 1)) {
    let first = at;
    while (message[first - 1] === 0x3e) first--;
    if (first > 0 && message[first - 1] !== NEWLINE) continue;
    length += message.copy(out, length, from, first);
    from = first + 1;
  }
  length += message.copy(out, length, from);
  return out.subarray(0, length);
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) count++;
  return count;
}
