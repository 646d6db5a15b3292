/** Object identifiers of signed data and of plain data (RFC 5652), as their bytes. */
const SIGNED = "2a864886f70d010702";
const SEQUENCE = 0x30;
const CONTEXT = 0xa0;
const OCTETS = 0x04;
const CONSTRUCTED = 0x20;
/** Elements inside elements, and elements in all, that are looked at. */
const MAX_DEPTH = 12;
const MAX_ELEMENTS = 100_000;

interface Element {
  readonly tag: number;
  readonly start: number;
  /** Behind its content. */
  readonly end: number;
  /** Behind the marks of its end too. */
  readonly next: number;
}

/** The message inside of an opaque signature (CMS SignedData); null for what is no such, encrypted or broken. */
export function signedContent(bytes: Buffer): Buffer | null {
  const reading = new Reading(bytes);
  const outer = reading.element(0, bytes.length, 0);
  if (outer?.tag !== SEQUENCE) return null;
  const [kind, wrapped] = reading.children(outer);
  if (kind === undefined || bytes.toString("hex", kind.start, kind.end) !== SIGNED) return null;
  const signed = wrapped?.tag === CONTEXT ? reading.children(wrapped)[0] : undefined;
  // Version, algorithms, then the content with its kind in front.
  const content = signed === undefined ? undefined : reading.children(signed)[2];
  const holder = content === undefined ? undefined : reading.children(content)[1];
  const octets = holder?.tag === CONTEXT ? reading.children(holder)[0] : undefined;
  return octets === undefined ? null : Buffer.concat(reading.pieces(octets, 0));
}

/** DER, and BER as programs write it that don't know a length beforehand. */
class Reading {
  readonly #bytes: Buffer;
  #left = MAX_ELEMENTS;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Null where none can stand. */
  element(at: number, limit: number, depth: number): Element | null {
    const tag = this.#bytes[at];
    const first = this.#bytes[at + 1];
    if (tag === undefined || first === undefined || at + 2 > limit || depth > MAX_DEPTH || this.#left-- <= 0)
      return null;
    if (first === 0x80) return this.#endless(tag, at + 2, limit, depth);
    const width = first < 0x80 ? 0 : first & 0x7f;
    if (width > 4 || at + 2 + width > limit) return null;
    const start = at + 2 + width;
    const length = width === 0 ? first : this.#bytes.readUIntBE(at + 2, width);
    const end = start + length;
    return end > limit ? null : { tag, start, end, next: end };
  }

  /** Its content ends with two zeros. */
  #endless(tag: number, start: number, limit: number, depth: number): Element | null {
    let at = start;
    while (at + 2 <= limit && !(this.#bytes[at] === 0 && this.#bytes[at + 1] === 0)) {
      const inner = this.element(at, limit, depth + 1);
      if (inner === null) return null;
      at = inner.next;
    }
    return at + 2 > limit ? null : { tag, start, end: at, next: at + 2 };
  }

  children({ start, end }: Element): Element[] {
    const found: Element[] = [];
    for (let at = start; at < end;) {
      const child = this.element(at, end, 0);
      if (child === null) break;
      found.push(child);
      at = child.next;
    }
    return found;
  }

  /** A string of bytes, which may come in pieces. */
  pieces(element: Element, depth: number): Buffer[] {
    if (element.tag === OCTETS) return [this.#bytes.subarray(element.start, element.end)];
    if (element.tag !== (OCTETS | CONSTRUCTED) || depth > MAX_DEPTH) return [];
    return this.children(element).flatMap((child) => this.pieces(child, depth + 1));
  }
}
