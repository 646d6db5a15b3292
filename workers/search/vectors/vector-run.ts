import { endianness } from "node:os";
import { crc32 } from "node:zlib";
import { quantise, writeSigns } from "./quantise.ts";
import { bitBytesOf, rowBytesOf } from "./row-layout.ts";

/** A unit's number and vector: null for one that has none yet, of no length for one that is near nothing. */
export type VectorRow = readonly [number: number, vector: Float32Array | null];

/** Rows of packed vectors, as they lie in memory (packed-rows.ts), in the order of their units' numbers. */
export interface VectorRun {
  readonly numbers: Uint32Array;
  /** Of each row one by its length; 0 where it has no vector yet. */
  readonly scales: Float32Array;
  /** Row after row, `rowBytesOf` each, zeros behind the values. */
  readonly values: Uint8Array;
  /** Row after row, `bitBytesOf` each. */
  readonly bits: Uint8Array;
}

/** What bytes are the run of: the units from number `first` to `last`, of which those without a direction have no row. */
export interface RunHead {
  readonly first: number;
  readonly last: number;
  readonly units: number;
  readonly dimensions: number;
}

/** Of the encoding. Numbers are stored in the machine's order: a file that comes from one of the other is not read. */
export const RUN_FORMAT = endianness() === "LE" ? 1 : 2;

/** What a row takes, encoded. */
export function encodedRowBytes(dimensions: number): number {
  return rowBytesOf(dimensions) + bitBytesOf(dimensions) + 8;
}

/** Packs vectors as PackedRows.append does one by one: those without a direction are left out (K9.5). */
export function packRun(dimensions: number, rows: readonly VectorRow[]): VectorRun {
  const [rowBytes, bitBytes] = [rowBytesOf(dimensions), bitBytesOf(dimensions)];
  const run = emptyRun(dimensions, rows.length);
  let count = 0;
  for (const [number, vector] of rows) {
    if (vector !== null) {
      const values = new Int8Array(run.values.buffer, count * rowBytes, dimensions);
      const scale = quantise(vector, values);
      if (scale === 0) continue;
      writeSigns(values, new Int32Array(run.bits.buffer, count * bitBytes, bitBytes / 4));
      run.scales[count] = scale;
    }
    run.numbers[count++] = number;
  }
  return {
    numbers: run.numbers.subarray(0, count),
    scales: run.scales.subarray(0, count),
    values: run.values.subarray(0, count * rowBytes),
    bits: run.bits.subarray(0, count * bitBytes),
  };
}

/** Only the rows of units that are in `alive`. */
export function retainRows(dimensions: number, run: VectorRun, alive: ReadonlySet<number>): VectorRun {
  const [rowBytes, bitBytes] = [rowBytesOf(dimensions), bitBytesOf(dimensions)];
  const kept = [...run.numbers.keys()].filter((row) => alive.has(run.numbers[row]!));
  const fewer = emptyRun(dimensions, kept.length);
  kept.forEach((row, at) => {
    fewer.numbers[at] = run.numbers[row]!;
    fewer.scales[at] = run.scales[row]!;
    fewer.values.set(run.values.subarray(row * rowBytes, (row + 1) * rowBytes), at * rowBytes);
    fewer.bits.set(run.bits.subarray(row * bitBytes, (row + 1) * bitBytes), at * bitBytes);
  });
  return fewer;
}

/** Values, then signs, scales and numbers. */
export function encodeRun(run: VectorRun): Buffer {
  return Buffer.concat([run.values, run.bits, bytesOf(run.scales), bytesOf(run.numbers)]);
}

/** Of the bytes and of what is said of them. */
export function checksumOf(head: RunHead, bytes: Uint8Array): number {
  const { first, last, units, dimensions } = head;
  return crc32(`${RUN_FORMAT} ${dimensions} ${first} ${last} ${units}`, crc32(bytes));
}

/** Null for bytes that are not such a run. */
export function decodeRun(head: RunHead, checksum: number, bytes: Uint8Array): VectorRun | null {
  const { first, last, dimensions } = head;
  const rows = bytes.length / encodedRowBytes(dimensions);
  if (!Number.isInteger(rows) || checksumOf(head, bytes) !== checksum) return null;
  let end = 0;
  const take = (length: number): Uint8Array => bytes.subarray(end, (end += length));
  const run = {
    values: take(rows * rowBytesOf(dimensions)),
    bits: take(rows * bitBytesOf(dimensions)),
    scales: new Float32Array(aligned(take(rows * 4))),
    numbers: new Uint32Array(aligned(take(rows * 4))),
  };
  const ascends = run.numbers.every((number, at) => at === 0 || number > run.numbers[at - 1]!);
  const isWithin = rows === 0 || (run.numbers[0]! >= first && run.numbers.at(-1)! <= last);
  return ascends && isWithin ? run : null;
}

function emptyRun(dimensions: number, units: number) {
  return {
    numbers: new Uint32Array(units),
    scales: new Float32Array(units),
    values: new Uint8Array(units * rowBytesOf(dimensions)),
    bits: new Uint8Array(units * bitBytesOf(dimensions)),
  };
}

function bytesOf({ buffer, byteOffset, byteLength }: Float32Array | Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** A copy that begins where its memory does. */
function aligned(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}
