/**
 * A large piece of memory that many entries share. Pieces for each word, made anew and dropped with each query, kept the
 * collector busy for a tenth of the time of a search in a million units.
 */
export interface Slab {
  readonly buffer: ArrayBuffer;
  /** What is free begins here. */
  end: number;
  readonly keys: string[];
  /** The snapshot in which something of it was last answered. */
  lentIn: number;
}

/** What one entry costs beside its postings. */
export const ENTRY_BYTES = 300;
/** The first slab of an index that is seldom searched; the next are as large as all before, until this many fill the bounds. */
const FIRST_BYTES = 1 << 16;
const SLABS = 8;
/** Into so many of the newest slabs something is put that they still have room for. */
const OPEN_SLABS = 3;

/** Slabs within bounds; an entry that needs more than these has one alone. */
export interface Slabs {
  /** One with room for an entry of so many bytes, if need be in place of the oldest. */
  roomFor(needed: number): Slab;
  bytes(): number;
  clear(): void;
}

/**
 * `snapshot` answers the number of the one that is under way. `giveWay` takes what is to stay out of a slab into another; both
 * may be the same memory, and room for so many bytes must be left.
 */
export function createSlabs(
  maxBytes: number,
  snapshot: () => number,
  giveWay: (from: Slab, into: Slab, needed: number) => void,
): Slabs {
  /** Oldest first. */
  let slabs: Slab[] = [];
  let bytes = 0;

  function roomFor(needed: number): Slab {
    const open = slabs.slice(-OPEN_SLABS).find((slab) => roomIn(slab) >= needed);
    if (open) return open;
    const usual = Math.min(Math.floor(maxBytes / SLABS), Math.max(FIRST_BYTES, bytes));
    const size = Math.max(usual, needed + ENTRY_BYTES);
    const old: Slab[] = [];
    while (slabs.length > 0 && bytes + size > maxBytes) {
      const [oldest] = slabs.splice(0, 1);
      bytes -= oldest!.buffer.byteLength;
      old.push(oldest!);
    }
    const [only] = old;
    const isFree = old.length === 1 && only!.buffer.byteLength === size && only!.lentIn < snapshot();
    const { buffer } = isFree ? only! : Buffer.allocUnsafeSlow(size);
    const slab: Slab = { buffer, end: 0, keys: [], lentIn: 0 };
    bytes += size;
    slabs.push(slab);
    for (const one of old) giveWay(one, slab, needed);
    return slab;
  }

  return {
    roomFor,
    bytes: () => bytes,
    clear() {
      slabs = [];
      bytes = 0;
    },
  };
}

/** Bytes that an entry of it can still have. */
export function roomIn({ buffer, end, keys }: Slab): number {
  return buffer.byteLength - end - (keys.length + 1) * ENTRY_BYTES;
}
