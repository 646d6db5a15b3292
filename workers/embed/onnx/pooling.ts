import type { Pooling } from "./contract.ts";

/** What a run gave: one vector a token (three dimensions), or one a text already (two). */
export interface RunOutput {
  readonly dims: readonly number[];
  readonly data: ArrayLike<number>;
}

/**
 * One vector a text, each of length one (or all zero). `lengths` are the texts' tokens; those behind are padding.
 * Throws an Error for numbers that are none, or an output of another shape.
 */
export function poolVectors(output: RunOutput, lengths: readonly number[], pooling: Pooling): Float32Array[] {
  const { dims, data } = output;
  const [texts, tokens, width] = dims.length === 2 ? [dims[0]!, 1, dims[1]!] : [dims[0]!, dims[1]!, dims[2]!];
  if ((dims.length !== 2 && dims.length !== 3) || texts !== lengths.length || width < 1)
    throw new Error(
      `the model's output has the shape ${dims.join(" × ")}, which is no vector a text or token`,
    );
  return lengths.map((length, text) => {
    const vector = new Float64Array(width);
    const [first, last] = dims.length === 2 ? [0, 0] : pickTokens(length, pooling);
    for (let token = first; token <= last; token++) {
      const from = (text * tokens + token) * width;
      for (let at = 0; at < width; at++) vector[at]! += data[from + at]!;
    }
    return unit(vector);
  });
}

function pickTokens(length: number, pooling: Pooling): [first: number, last: number] {
  if (pooling === "cls") return [0, 0];
  return pooling === "last" ? [length - 1, length - 1] : [0, length - 1];
}

function unit(vector: Float64Array): Float32Array {
  let square = 0;
  for (const value of vector) square += value * value;
  if (!Number.isFinite(square)) throw new Error("the model gave a vector with something that is no number");
  const factor = square === 0 ? 0 : 1 / Math.sqrt(square);
  return Float32Array.from(vector, (value) => value * factor);
}
