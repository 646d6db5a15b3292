/** The largest value of a quantised vector. */
const LARGEST = 127;
/** What the sign of a query's value weighs at most. */
export const HEAVIEST = 3;

/**
 * A vector as int8, its largest value at 127. Answers one by the length of what was written: two products with it and the
 * other's are the cosine. 0 for a vector without a direction (K9.5); then nothing is written.
 */
export function quantise(vector: Float32Array, into: Int8Array): number {
  let largest = 0;
  // Without a branch, and with a conversion that needs no call: twice as fast, which counts where a base's vectors are loaded.
  for (let at = 0; at < vector.length; at++) largest = Math.max(largest, Math.abs(vector[at]!));
  if (!Number.isFinite(largest) || largest === 0) return 0;
  const factor = LARGEST / largest;
  let square = 0;
  for (let at = 0; at < vector.length; at++) {
    // Rounded: what is above zero loses its fraction.
    const value = ((vector[at]! * factor + (LARGEST + 1.5)) | 0) - (LARGEST + 1);
    into[at] = value;
    square += value * value;
  }
  return 1 / Math.sqrt(square);
}

/** Which values are above zero, one bit each. */
export function writeSigns(values: Int8Array, into: Int32Array): void {
  into.fill(0);
  for (let at = 0; at < values.length; at++) if (values[at]! > 0) into[at >> 5]! |= 1 << (at & 31);
}

/**
 * How much the signs of a query tell: those of values near zero nothing, of one, two and three times their root mean square
 * so much. In two parts: what weighs one, and what weighs two.
 */
export function writeWeights(values: Int8Array, one: Int32Array, two: Int32Array): void {
  let square = 0;
  for (const value of values) square += value * value;
  const unit = Math.sqrt(square / values.length);
  const weights = values.map((value) => Math.min(HEAVIEST, Math.round(Math.abs(value) / unit)));
  writeSigns(
    weights.map((weight) => weight & 1),
    one,
  );
  writeSigns(
    weights.map((weight) => weight & 2),
    two,
  );
}
