import { HEAVIEST } from "./quantise.ts";

/** Rows that are named and scored at a time, so that scratch memory does not grow with the rows. A multiple of sixteen. */
export const BATCH_ROWS = 8192;
const STEP_BYTES = 16;

/** Where in the kernel's buffer what lies. */
export interface Layout {
  readonly capacity: number;
  /** The query as values; its signs, and behind them what they weigh. */
  readonly query: number;
  readonly queryBits: number;
  /** A vector that is none of the rows. */
  readonly other: number;
  /** Scratch: how many rows there are of each distance; the rows of a batch that are named, and their products. */
  readonly counts: number;
  readonly named: number;
  readonly products: number;
  readonly values: number;
  readonly bits: number;
  readonly scales: number;
  readonly numbers: number;
  /** Scratch: of each row its distance. */
  readonly distances: number;
  readonly end: number;
}

export function layoutFor(dimensions: number, capacity: number): Layout {
  const rowBytes = rowBytesOf(dimensions);
  const bitBytes = bitBytesOf(dimensions);
  let end = 0;
  const take = (bytes: number): number => {
    const place = end;
    end += whole(bytes);
    return place;
  };
  return {
    capacity,
    query: take(rowBytes),
    queryBits: take(3 * bitBytes),
    other: take(rowBytes),
    counts: take(4 * distancesOf(dimensions)),
    named: take(4 * BATCH_ROWS),
    products: take(4 * BATCH_ROWS),
    values: take(capacity * rowBytes),
    bits: take(capacity * bitBytes),
    scales: take(4 * capacity),
    numbers: take(4 * capacity),
    // The kernel looks at eight at a time.
    distances: take(2 * capacity + STEP_BYTES),
    end,
  };
}

export function rowBytesOf(dimensions: number): number {
  return whole(dimensions);
}

export function bitBytesOf(dimensions: number): number {
  return whole(dimensions / 8);
}

/** Distances by signs that there may be, from 0 on. */
export function distancesOf(dimensions: number): number {
  return HEAVIEST * dimensions + 1;
}

/** What so many bytes take in steps of the kernel. */
function whole(bytes: number): number {
  return Math.ceil(bytes / STEP_BYTES) * STEP_BYTES;
}
