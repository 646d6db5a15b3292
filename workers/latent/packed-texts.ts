/** Many texts in one run of bytes, which goes through a process as it is. */
export interface PackedTexts {
  /** UTF-8, one after the other. */
  readonly bytes: Uint8Array;
  /** Bytes of each. */
  readonly lengths: Uint32Array;
}

export function packTexts(texts: readonly string[]): PackedTexts {
  const packed = texts.map((text) => Buffer.from(text, "utf8"));
  return { bytes: Buffer.concat(packed), lengths: Uint32Array.from(packed, ({ length }) => length) };
}

/** Throws Error when the lengths are not those of the bytes. */
export function unpackTexts({ bytes, lengths }: PackedTexts): string[] {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (lengths.reduce((sum, length) => sum + length, 0) !== whole.length)
    throw new Error("a page of texts does not have the length that it says");
  let at = 0;
  return Array.from(lengths, (length) => whole.toString("utf8", at, (at += length)));
}
