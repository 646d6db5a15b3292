import { packedBytes, readEntries, ZipDamage, type ZipEntry } from "./central-directory.ts";
import { DEFLATED, STORED } from "./unpack.ts";

/** Packed bytes that are unpacked at a time: they give 4 MB at most. */
const SLICE_BYTES = 4096;

/** Stops the unpacking when there is enough. */
class Enough extends Error {}

/**
 * The first bytes of an entry, for one that is too large to be unpacked whole; null when there is no such entry or it cannot
 * be unpacked. What the archive says of its length is not believed.
 */
export async function beginningOf(
  bytes: Uint8Array,
  name: string,
  maxBytes: number,
): Promise<Uint8Array | null> {
  try {
    const entry = findEntry(bytes, name);
    if (entry === null || entry.encrypted) return null;
    const packed = packedBytes(bytes, entry);
    if (entry.method === STORED) return packed.subarray(0, maxBytes);
    return entry.method === DEFLATED ? await inflateBeginning(packed, maxBytes) : null;
  } catch (error) {
    if (!(error instanceof ZipDamage)) throw error;
    return null;
  }
}

function findEntry(bytes: Uint8Array, name: string): ZipEntry | null {
  const wanted = name.toLowerCase();
  let found: ZipEntry | null = null;
  readEntries(bytes, (entry) => {
    if (entry.name.replace(/^\/+/, "").toLowerCase() === wanted) found ??= entry;
    return found === null;
  });
  return found;
}

async function inflateBeginning(packed: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  const { Inflate } = await import("fflate");
  const pieces: Uint8Array[] = [];
  let length = 0;
  const inflate = new Inflate((piece) => {
    pieces.push(piece);
    length += piece.length;
    if (length >= maxBytes) throw new Enough();
  });
  try {
    for (let at = 0; at < packed.length; at += SLICE_BYTES)
      inflate.push(packed.subarray(at, at + SLICE_BYTES), at + SLICE_BYTES >= packed.length);
  } catch {
    // There is enough, or the rest is damaged: what came before is what is asked for.
  }
  return Buffer.concat(pieces).subarray(0, maxBytes);
}
