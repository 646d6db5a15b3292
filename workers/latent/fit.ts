import type { LatentBasis } from "./basis.ts";
import { gram, orthonormalise, symmetricEigen } from "./dense.ts";
import { weighTexts, type TermMatrix } from "./term-matrix.ts";
import type { TermCounts } from "./terms.ts";

export interface FitOptions {
  readonly dimensions: number;
  readonly maxTerms: number;
}

/**
 * On abstracts of aerodynamics 96 measured .400 alone, 64 .390 and 200 .422 (nDCG@10); fused with the other lanes they
 * differ by less than .005. The terms bound memory and time: rarer ones tell little of their company.
 */
const FIT: FitOptions = { dimensions: 96, maxTerms: 20_000 };

/** Directions that are followed beside those that are kept, and rounds: more of either changed no figure. */
const SPARE = 8;
const ROUNDS = 2;
const SEED = 0x6b_6e_64;
/** Of the largest singular value: below it a direction is rounding. */
const NEGLIGIBLE = 1e-3;

/**
 * Latent semantic indexing: the strongest directions of the texts' weighted terms, by a randomised truncated singular value
 * decomposition (block power iteration). Equal texts give an equal basis. Null when the texts have too little in common.
 */
export function fitBasis(texts: readonly TermCounts[], options: FitOptions = FIT): LatentBasis | null {
  const matrix = weighTexts(texts, options.maxTerms);
  const { directions, count } = strongestDirections(matrix, options.dimensions);
  return count < 2 ? null : asBasis(matrix, directions, count);
}

/**
 * Right singular vectors of the matrix, the strongest first: terms × count, row after row. Fewer than are wanted where the
 * texts have no more directions.
 */
export function strongestDirections(
  { terms, texts }: TermMatrix,
  wanted: number,
): { directions: Float32Array; count: number } {
  const textCount = texts.starts.length - 1;
  const columns = Math.min(wanted + SPARE, terms.length, textCount);
  if (columns === 0) return { directions: new Float32Array(), count: 0 };
  const byTerm = randomNumbers(terms.length * columns);
  const byText = new Float32Array(textCount * columns);
  orthonormalise(byTerm, columns);
  for (let round = 0; round < ROUNDS; round++) {
    multiply(texts, byTerm, byText, columns);
    multiplyBack(texts, byText, byTerm, columns);
    orthonormalise(byTerm, columns);
  }
  multiply(texts, byTerm, byText, columns);
  const { values, vectors } = symmetricEigen(gram(byText, columns), columns);
  const least = (values[0] ?? 0) * NEGLIGIBLE ** 2;
  const count = Math.min(wanted, values.filter((value) => value > least).length);
  return { directions: turned(byTerm, vectors, columns, count), count };
}

/** byText = texts × byTerm. */
function multiply(
  { starts, terms, values }: TermMatrix["texts"],
  byTerm: Float32Array,
  byText: Float32Array,
  columns: number,
): void {
  byText.fill(0);
  for (let text = 0, to = 0; text + 1 < starts.length; text++, to += columns) {
    for (let at = starts[text]!; at < starts[text + 1]!; at++) {
      const from = terms[at]! * columns;
      const value = values[at]!;
      for (let column = 0; column < columns; column++) byText[to + column]! += value * byTerm[from + column]!;
    }
  }
}

/** byTerm = textsᵀ × byText. */
function multiplyBack(
  { starts, terms, values }: TermMatrix["texts"],
  byText: Float32Array,
  byTerm: Float32Array,
  columns: number,
): void {
  byTerm.fill(0);
  for (let text = 0, from = 0; text + 1 < starts.length; text++, from += columns) {
    for (let at = starts[text]!; at < starts[text + 1]!; at++) {
      const to = terms[at]! * columns;
      const value = values[at]!;
      for (let column = 0; column < columns; column++) byTerm[to + column]! += value * byText[from + column]!;
    }
  }
}

/** The first `count` columns of matrix × vectors. */
function turned(matrix: Float32Array, vectors: Float64Array, columns: number, count: number): Float32Array {
  const out = new Float32Array((matrix.length / columns) * count);
  for (let from = 0, to = 0; from < matrix.length; from += columns, to += count) {
    for (let column = 0; column < columns; column++) {
      const value = matrix[from + column]!;
      if (value === 0) continue;
      for (let at = 0; at < count; at++) out[to + at]! += value * vectors[column * columns + at]!;
    }
  }
  return out;
}

function asBasis({ terms, weights }: TermMatrix, directions: Float32Array, dimensions: number): LatentBasis {
  const rows = new Int8Array(directions.length);
  const scales = new Float32Array(terms.length);
  for (let term = 0; term < terms.length; term++) {
    const direction = directions.subarray(term * dimensions, (term + 1) * dimensions);
    const largest = direction.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    if (largest === 0) continue;
    direction.forEach((value, at) => (rows[term * dimensions + at] = Math.round((value * 127) / largest)));
    scales[term] = (largest / 127) * weights[term]!;
  }
  return { dimensions, terms: new Map(terms.map((term, row) => [term, row])), weights, rows, scales };
}

/** The same ones each time, between −1 and 1 (xorshift). */
function randomNumbers(length: number): Float32Array {
  let state = SEED;
  return new Float32Array(length).map(() => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state / 0x8000_0000;
  });
}
