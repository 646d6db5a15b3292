import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";

export interface ScannedBytes {
  /** Lower-case hex sha256. */
  readonly hash: string;
  /** The first place, to within one read, where it is not UTF-8; null when all of it is. */
  readonly brokenAt: number | null;
}

const CHUNK_BYTES = 1024 * 1024;
/** A UTF-8 character that a read has cut through is carried over. */
const MAX_CARRIED = 3;

/** The first `size` bytes once, from front to back. `readAt` fills a buffer from a place and answers how much there was. */
export function scanBytes(
  readAt: (into: Buffer, position: number) => number,
  size: number,
  signal?: AbortSignal,
): ScannedBytes {
  const hash = createHash("sha256");
  const buffer = Buffer.allocUnsafeSlow(MAX_CARRIED + CHUNK_BYTES);
  let carried = 0;
  let brokenAt: number | null = null;
  for (let at = 0; at < size;) {
    signal?.throwIfAborted();
    const length = readAt(buffer.subarray(carried, carried + Math.min(CHUNK_BYTES, size - at)), at);
    if (length === 0) break;
    hash.update(buffer.subarray(carried, carried + length));
    const known = buffer.subarray(0, carried + length);
    at += length;
    if (brokenAt !== null) continue;
    const whole = at < size ? known.length - openBytes(known) : known.length;
    if (!isUtf8(known.subarray(0, whole))) brokenAt = at - known.length;
    carried = known.length - whole;
    known.copyWithin(0, whole);
    if (brokenAt !== null) carried = 0;
  }
  return { hash: hash.digest("hex"), brokenAt };
}

/** How many bytes at the end may belong to a character that goes on. */
function openBytes(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(MAX_CARRIED, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needed > back ? back : 0;
  }
  return 0;
}
