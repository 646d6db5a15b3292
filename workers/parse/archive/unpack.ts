import { inflateRawSync } from "node:zlib";
import { packedBytes, ZipDamage, type ZipEntry } from "./central-directory.ts";

/** Ways of packing; there are no others in files that people have. */
export const STORED = 0;
export const DEFLATED = 8;

/**
 * The unpacked bytes of an entry, whatever the archive says of its length. @throws ZipDamage when it is not where it should be,
 * cannot be unpacked, or is longer than `maxBytes`.
 */
export function unpackBytes(bytes: Uint8Array, entry: ZipEntry, maxBytes: number): Uint8Array {
  const { name, method } = entry;
  const packed = packedBytes(bytes, entry);
  if (method !== STORED && method !== DEFLATED)
    throw new ZipDamage(`${name} is packed in a way that is not read`);
  if (method === STORED || maxBytes === 0) return packed.subarray(0, maxBytes);
  try {
    return inflateRawSync(packed, { maxOutputLength: maxBytes });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const isLonger = "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
    throw new ZipDamage(`${name} ${isLonger ? "is longer than the archive says" : "cannot be unpacked"}`);
  }
}
