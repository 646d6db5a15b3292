import { createInflateRaw, constants, type InflateRaw } from "node:zlib";

/** How a stream is packed, in the order in which a reader takes it apart. */
export type Filter = "flate" | "lzw" | "runs" | "hex" | "base85";

/** At most so many bytes come of one. */
const ratios: Readonly<Record<Filter, number>> = { flate: 1032, lzw: 2560, runs: 64, hex: 0.5, base85: 4 };
/** The header that stands before what is deflated. */
const FLATE_HEADER = 2;
/** More of them on top of one another are of no use. */
const MAX_FLATE = 3;
const LZW_CLEAR = 256;
const LZW_END = 257;
const LZW_CODES = 4096;

/**
 * Whether a stream unpacks to no more than `limit` bytes; nothing of it is kept. False too for filters on top of one another
 * that no program writes. What can't be unpacked (encrypted, damaged) is the library's to judge.
 */
export async function unpacksWithin(
  packed: Uint8Array,
  filters: readonly Filter[],
  limit: number,
  earlyChange: boolean,
): Promise<boolean> {
  if (packed.length * filters.reduce((ratio, filter) => ratio * ratios[filter], 1) <= limit) return true;
  const [first] = filters;
  if (first === undefined) return packed.length <= limit;
  if (first === "hex") return unpacksWithin(hexBytes(packed), filters.slice(1), limit, earlyChange);
  if (first === "base85") return unpacksWithin(base85Bytes(packed), filters.slice(1), limit, earlyChange);
  if (filters.every((filter) => filter === "flate"))
    return filters.length <= MAX_FLATE && inflatesWithin(packed, filters.length, limit);
  if (filters.length > 1) return false;
  return first === "runs" ? runsWithin(packed, limit) : lzwWithin(packed, limit, earlyChange);
}

/** Checksums are not looked at: the library doesn't either. */
function inflatesWithin(packed: Uint8Array, times: number, limit: number): Promise<boolean> {
  const options = { finishFlush: constants.Z_SYNC_FLUSH };
  const chain = Array.from({ length: times }, () => createInflateRaw(options));
  return new Promise((resolve) => {
    let length = 0;
    const end = (fits: boolean): void => {
      for (const inflate of chain) inflate.destroy();
      resolve(fits);
    };
    for (const [index, inflate] of chain.entries()) {
      const next: InflateRaw | undefined = chain[index + 1];
      let header = next === undefined ? 0 : FLATE_HEADER;
      inflate.on("error", () => end(true));
      inflate.on("data", (chunk: Buffer) => {
        if (next === undefined) length += chunk.length;
        else if (chunk.length > header) next.write(chunk.subarray(header));
        header = Math.max(0, header - chunk.length);
        if (length > limit) end(false);
      });
      inflate.on("end", () => (next === undefined ? end(true) : next.end()));
    }
    chain[0]?.end(packed.subarray(FLATE_HEADER));
  });
}

/** Only the lengths of what its codes stand for are kept. */
function lzwWithin(packed: Uint8Array, limit: number, earlyChange: boolean): boolean {
  const lengths = new Int32Array(LZW_CODES).fill(1);
  const early = earlyChange ? 1 : 0;
  let width = 9;
  let next = LZW_END + 1;
  let before = 0;
  let total = 0;
  let bits = 0;
  let count = 0;
  for (const byte of packed) {
    bits = ((bits << 8) | byte) & 0xfffff;
    count += 8;
    if (count < width) continue;
    count -= width;
    const code = (bits >> count) & ((1 << width) - 1);
    if (code === LZW_END) break;
    if (code === LZW_CLEAR) {
      width = 9;
      next = LZW_END + 1;
      before = 0;
      continue;
    }
    const length = code < 256 ? 1 : code < next ? (lengths[code] ?? 1) : before + 1;
    if (before > 0) {
      if (next < LZW_CODES) lengths[next] = before + 1;
      next++;
      if (((next + early) & (next + early - 1)) === 0) width = Math.min(12, Math.log2(next + early) + 1);
    }
    before = length;
    total += length;
    if (total > limit) return false;
  }
  return true;
}

function runsWithin(packed: Uint8Array, limit: number): boolean {
  let total = 0;
  for (let at = 0; at < packed.length && total <= limit;) {
    const head = packed[at] ?? 128;
    if (head === 128) break;
    total += head < 128 ? head + 1 : 257 - head;
    at += head < 128 ? head + 2 : 2;
  }
  return total <= limit;
}

function hexBytes(packed: Uint8Array): Uint8Array {
  const text = Buffer.from(packed.buffer, packed.byteOffset, packed.length).toString("latin1");
  return Buffer.from(text.split(">", 1)[0]?.replaceAll(/[^\da-f]+/gi, "") ?? "", "hex");
}

/** Five signs make four bytes, `z` makes four zeros. */
function base85Bytes(packed: Uint8Array): Uint8Array {
  const out = Buffer.alloc(4 * packed.length);
  let length = 0;
  let value = 0;
  let signs = 0;
  for (const sign of packed) {
    if (sign === 0x7e) break;
    if (sign === 0x7a && signs === 0) length += 4;
    if (sign < 0x21 || sign > 0x75) continue;
    value = value * 85 + sign - 0x21;
    if (++signs < 5) continue;
    length = out.writeUInt32BE(value % 2 ** 32, length);
    value = 0;
    signs = 0;
  }
  return out.subarray(0, length);
}
