/** What of a text tells whether another one is nearly the same. */
export interface Fingerprint {
  /** The lowest hashes of its shingles, ascending: all of them when there are fewer than SKETCH. */
  readonly sketch: Uint32Array;
  /** Of all numbers in it, in their order. */
  readonly numbers: number;
  /** Letters and digits. */
  readonly length: number;
}

/** Letters and digits that make a shingle: works for scripts with and without spaces. */
const SHINGLE = 6;
const SKETCH = 64;
/** Only so much of a text is looked at. */
const MAX_CHARACTERS = 4000;
/** Share of shingles in common from which two texts are nearly the same: a changed sentence in twenty, another file's name. */
const ALIKE = 0.9;
const FNV_START = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

const nothing = /[^\p{L}\p{N}]+/gu;
const number = /\p{N}+/gu;

/** White space, case and punctuation count for nothing. */
export function fingerprintOf(text: string): Fingerprint {
  const known = text.slice(0, MAX_CHARACTERS);
  const plain = known.toLowerCase().replace(nothing, "");
  const hashes = new Set<number>();
  for (let at = 0; at === 0 || at + SHINGLE <= plain.length; at++) {
    let hash = FNV_START;
    const end = Math.min(plain.length, at + SHINGLE);
    for (let of = at; of < end; of++) hash = Math.imul(hash ^ plain.charCodeAt(of), FNV_PRIME);
    hashes.add(mixed(hash));
  }
  const sketch = Uint32Array.from(hashes).sort().slice(0, SKETCH);
  let numbers = FNV_START;
  for (const [digits] of known.matchAll(number)) {
    for (let at = 0; at < digits.length; at++)
      numbers = Math.imul(numbers ^ digits.charCodeAt(at), FNV_PRIME);
    numbers = Math.imul(numbers ^ 32, FNV_PRIME);
  }
  return { sketch, numbers: numbers >>> 0, length: plain.length };
}

/**
 * True for texts of which at least nine tenths are the same (the Jaccard index of their shingles, estimated from the
 * lowest hashes of both), if all their numbers are: invoices that differ in date and sum are no duplicates.
 */
export function areNearDuplicates(a: Fingerprint, b: Fingerprint): boolean {
  if (a.numbers !== b.numbers) return false;
  if (Math.min(a.length, b.length) < ALIKE * Math.max(a.length, b.length)) return false;
  let [atA, atB, both, seen] = [0, 0, 0, 0];
  while (seen < SKETCH && (atA < a.sketch.length || atB < b.sketch.length)) {
    const [one, other] = [a.sketch[atA] ?? Infinity, b.sketch[atB] ?? Infinity];
    seen++;
    if (one === other) both++;
    if (one <= other) atA++;
    if (other <= one) atB++;
  }
  return both >= ALIKE * seen;
}

/** Spreads neighbouring hashes over all of 32 bits, so that the lowest are a fair sample. */
function mixed(hash: number): number {
  let value = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
