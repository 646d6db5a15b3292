/** One record of a binary part; its reading functions never leave it. */
export class BinaryRecord {
  readonly type: number;
  readonly #body: Buffer;

  constructor(type: number, body: Buffer) {
    this.type = type;
    this.#body = body;
  }

  byte(at: number): number {
    return this.#body[at] ?? 0;
  }

  /** 16 bits; 0 where the record ends before. */
  short(at: number): number {
    return at + 2 <= this.#body.length ? this.#body.readUInt16LE(at) : 0;
  }

  /** 32 bits; 0 where the record ends before. */
  int(at: number): number {
    return at + 4 <= this.#body.length ? this.#body.readUInt32LE(at) : 0;
  }

  /** 64 bits. */
  real(at: number): number {
    return at + 8 <= this.#body.length ? this.#body.readDoubleLE(at) : Number.NaN;
  }

  /** A number in 30 bits: whole, or the upper half of a real one; maybe in hundredths. */
  compactNumber(at: number): number {
    const bits = this.int(at);
    const half = Buffer.alloc(8);
    half.writeUInt32LE((bits & ~3) >>> 0, 4);
    const value = (bits & 2) === 0 ? half.readDoubleLE(0) : (bits | 0) >> 2;
    return (bits & 1) === 0 ? value : value / 100;
  }

  /** Four bytes of length, then two a character; what claims to be longer than the record is cut. */
  text(at: number): { readonly text: string; readonly end: number } {
    const length = this.int(at);
    // Stands for "none".
    if (length === 0xffffffff) return { text: "", end: at + 4 };
    const end = Math.min(at + 4 + 2 * length, this.#body.length);
    return { text: this.#body.toString("utf16le", at + 4, end), end };
  }
}

/**
 * Hands over the records of a binary part in their order. Numbers of types and lengths have seven bits a byte, the lowest first; the
 * highest bit says that more follow. Whether the part ends where a record does.
 */
export function walkRecords(bytes: Uint8Array, visit: (record: BinaryRecord) => void): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = 0;
  const number = (maxBytes: number): number => {
    let value = 0;
    for (let count = 0; count < maxBytes; count++) {
      const byte = buffer[at++] ?? 0;
      value += (byte & 0x7f) << (7 * count);
      if ((byte & 0x80) === 0) break;
    }
    return value;
  };
  while (at < buffer.length) {
    const type = number(2);
    const length = number(4);
    if (at + length > buffer.length) return false;
    visit(new BinaryRecord(type, buffer.subarray(at, at + length)));
    at += length;
  }
  return true;
}
