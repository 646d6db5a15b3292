import type { TermCounts } from "./terms.ts";

/** What a base's own words mean in it: a direction for each term. Texts that share company, not words, lie near each other. */
export interface LatentBasis {
  readonly dimensions: number;
  /** Term → row. */
  readonly terms: ReadonlyMap<string, number>;
  /** Term weights (idf), one a row. */
  readonly weights: Float32Array;
  /** Each row is scale × its numbers: the term's direction, as long as its weight says. */
  readonly rows: Int8Array;
  readonly scales: Float32Array;
}

/** A text in the basis. */
export interface Folded {
  /** Of length one, or all zero when no term is known. */
  readonly vector: Float32Array;
  /** What share of the text's terms, by weight, the basis knows; one that it does not counts like its rarest. */
  readonly share: number;
}

const FORMAT = 1;
const HEADER_BYTES = 16;

export function foldText(
  { dimensions, terms, weights, rows, scales }: LatentBasis,
  counts: TermCounts,
): Folded {
  const vector = new Float32Array(dimensions);
  let known = 0;
  let unknown = 0;
  for (const [term, count] of counts) {
    const row = terms.get(term);
    if (row === undefined) {
      unknown += count;
      continue;
    }
    known += count * weights[row]!;
    const factor = (1 + Math.log(count)) * scales[row]!;
    for (let at = 0, from = row * dimensions; at < dimensions; at++, from++)
      vector[at]! += factor * rows[from]!;
  }
  const rarest = unknown > 0 ? weights.reduce((most, weight) => Math.max(most, weight), 0) : 0;
  const all = known + unknown * rarest;
  return { vector: normalised(vector), share: all > 0 ? known / all : 0 };
}

/** As int8, the largest at 127: what is stored of a unit. All zero for a text without a known term. */
export function packVector(vector: Float32Array): Int8Array {
  const largest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return largest === 0
    ? new Int8Array(vector.length)
    : Int8Array.from(vector, (value) => Math.round((value * 127) / largest));
}

function normalised(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return length > 0 ? vector.map((value) => value / length) : vector;
}

/** Numbers are little-endian; terms follow as UTF-8, one a line. */
export function encodeBasis({ dimensions, terms, weights, rows, scales }: LatentBasis): Uint8Array {
  const names = Buffer.from([...terms.keys()].join("\n"), "utf8");
  const header = Buffer.alloc(HEADER_BYTES);
  [FORMAT, dimensions, terms.size, names.length].forEach((value, at) => header.writeUInt32LE(value, 4 * at));
  return Buffer.concat([header, bytesOf(scales), bytesOf(weights), bytesOf(rows), names]);
}

/** Throws Error for what is no basis. */
export function decodeBasis(bytes: Uint8Array): LatentBasis {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < HEADER_BYTES || view.getUint32(0, true) !== FORMAT)
    throw new Error("the latent basis is of another format");
  const [dimensions, count, nameBytes] = [4, 8, 12].map((at) => view.getUint32(at, true)) as [
    number,
    number,
    number,
  ];
  const rowsAt = HEADER_BYTES + 8 * count;
  const namesAt = rowsAt + count * dimensions;
  if (bytes.length !== namesAt + nameBytes) throw new Error("the latent basis is cut off");
  const part = (from: number, to: number): ArrayBuffer => Uint8Array.from(bytes.subarray(from, to)).buffer;
  const names = Buffer.from(part(namesAt, bytes.length)).toString("utf8");
  const terms = new Map((count === 0 ? [] : names.split("\n")).map((term, row) => [term, row]));
  if (terms.size !== count) throw new Error("the terms of the latent basis are damaged");
  return {
    dimensions,
    terms,
    scales: new Float32Array(part(HEADER_BYTES, HEADER_BYTES + 4 * count)),
    weights: new Float32Array(part(HEADER_BYTES + 4 * count, rowsAt)),
    rows: new Int8Array(part(rowsAt, namesAt)),
  };
}

function bytesOf({ buffer, byteOffset, byteLength }: Float32Array | Int8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
