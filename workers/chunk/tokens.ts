/**
 * Token counts are estimated, per script: a run of Latin prose costs about a quarter token a character, Han and kana one,
 * digits and punctuation more than letters. Exact counts would cost a hundred times the time and differ by model.
 */

/** Weights are in 1/64 token, so that sums stay exact integers. */
const UNIT = 64;
/** A white-space character after another one: tokenizers take runs of it together. */
const REPEATED_SPACE = 2;
/** No UTF-16 unit counts for more. */
export const MAX_TOKENS_PER_UNIT = 1.1;
const weights = buildWeights();

/** One sum is kept for this many characters; the rest is counted when asked. */
const STRIDE = 512;

/** Tokens of one text by offset, in linear time: 512 steps an answer at most. */
export interface TokenScale {
  /** Tokens of text.slice(0, offset). */
  at(offset: number): number;
  /** The largest offset with at(offset) ≤ tokens. */
  offsetAt(tokens: number): number;
}

/** About how many tokens the text is, at least 1 for a text that is not empty. */
export function estimateTokens(text: string): number {
  return text === "" ? 0 : Math.max(1, Math.ceil(sum(text, 0, text.length) / UNIT));
}

export function createTokenScale(text: string): TokenScale {
  const sums = new Float64Array(Math.floor(text.length / STRIDE) + 1);
  for (let block = 1; block < sums.length; block++) {
    sums[block] = (sums[block - 1] ?? 0) + sum(text, (block - 1) * STRIDE, block * STRIDE);
  }
  return {
    at(offset) {
      const block = Math.floor(offset / STRIDE);
      return ((sums[block] ?? 0) + sum(text, block * STRIDE, offset)) / UNIT;
    },
    offsetAt(tokens) {
      const wanted = tokens * UNIT;
      const block = lastAtMost(sums, wanted);
      let total = sums[block] ?? 0;
      let at = block * STRIDE;
      for (; at < text.length; at++) {
        total += weightAt(text, at);
        if (total > wanted) break;
      }
      return at;
    },
  };
}

function sum(text: string, from: number, to: number): number {
  let total = 0;
  for (let at = from; at < to; at++) total += weightAt(text, at);
  return total;
}

function weightAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code <= 32 && at > 0 && text.charCodeAt(at - 1) <= 32) return REPEATED_SPACE;
  return weights[code] ?? UNIT;
}

/** The last index whose value is at most `wanted`; values rise. */
function lastAtMost(values: Float64Array, wanted: number): number {
  let low = 0;
  let high = values.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((values[middle] ?? 0) <= wanted) low = middle;
    else high = middle - 1;
  }
  return low;
}

function buildWeights(): Uint8Array {
  const table = new Uint8Array(0x10000).fill(UNIT);
  const set = (from: number, to: number, tokens: number): void => {
    table.fill(Math.round(tokens * UNIT), from, to + 1);
  };
  set(0x00, 0x20, 0.2);
  set(0x21, 0x7e, 0.5);
  set(0x30, 0x39, 0.4);
  set(0x41, 0x5a, 0.25);
  set(0x61, 0x7a, 0.25);
  set(0xa0, 0x24f, 0.45);
  set(0x250, 0x36f, 0.7);
  set(0x370, 0x3ff, 0.5);
  set(0x400, 0x52f, 0.4);
  set(0x530, 0x5ff, 0.55);
  set(0x600, 0x6ff, 0.5);
  set(0x700, 0x1fff, 0.75);
  set(0x2000, 0x206f, 0.5);
  set(0x3000, 0x30ff, 1);
  set(0x3400, 0x9fff, MAX_TOKENS_PER_UNIT);
  set(0xac00, 0xd7a3, MAX_TOKENS_PER_UNIT);
  return table;
}
