import { createSlicer } from "../runtime/yielding.ts";

/** What stands where a vector should, and why it is none. */
export class NoVector extends Error {
  override readonly name = "NoVector";
}

/** An answer whose vectors were taken out: each left its number in brackets behind. */
export interface TakenVectors {
  readonly rest: string;
  readonly vectors: readonly Float32Array[];
}

const SLICE_MS = 8;
/** Only a key is written so: inside a string, the quotes would be escaped. */
const KEY = '"embedding"';

/**
 * Reads the number lists of an answer one by one, with the event loop's turn in between: parsed as a whole, 256 texts of 3,072
 * numbers (17 MB) hold it for a quarter of a second. Throws NoVector.
 */
export async function takeVectors(body: string): Promise<TakenVectors> {
  const slicer = createSlicer(SLICE_MS);
  const parts: string[] = [];
  const vectors: Float32Array[] = [];
  let copied = 0;
  for (let at = body.indexOf(KEY); at >= 0; at = body.indexOf(KEY, at)) {
    at += KEY.length;
    const start = listAfter(body, at);
    if (start === null) continue;
    const end = body.indexOf("]", start) + 1;
    if (end === 0) break;
    parts.push(body.slice(copied, start), `[${vectors.length}]`);
    vectors.push(unitVector(numbersOf(body.slice(start, end))));
    copied = at = end;
    await slicer.pause();
  }
  return { rest: parts.join("") + body.slice(copied), vectors };
}

/** The vector that stands in base64 as little-endian float32, of length one (or all zero). Throws NoVector. */
export function vectorOfBase64(text: string): Float32Array {
  const bytes = Buffer.from(text, "base64");
  // What is no base64 is passed over without a word: then there are fewer bytes than characters speak of.
  const expected = Math.floor((text.replace(/=+$/, "").length * 3) / 4);
  if (bytes.length === 0 || bytes.length % 4 !== 0 || bytes.length !== expected)
    throw new NoVector("a vector that is no base64 of numbers");
  return unitVector(new Float32Array(new Uint8Array(bytes).buffer));
}

/** Where the list begins that is the value of the key before `at`; null when its value is something else. */
function listAfter(body: string, at: number): number | null {
  const value = /\s*:\s*\[/y;
  value.lastIndex = at;
  return value.test(body) ? value.lastIndex - 1 : null;
}

function numbersOf(list: string): readonly unknown[] {
  try {
    return JSON.parse(list) as unknown[];
  } catch {
    // Cut off at the first bracket, which a list of numbers has at its end.
    throw new NoVector("a vector with something that is no number");
  }
}

function unitVector(numbers: ArrayLike<unknown>): Float32Array {
  if (numbers.length === 0) throw new NoVector("an entry without a vector");
  let square = 0;
  for (let at = 0; at < numbers.length; at++) {
    const value = numbers[at];
    if (typeof value !== "number") throw new NoVector("a vector with something that is no number");
    square += value * value;
  }
  if (!Number.isFinite(square)) throw new NoVector("a vector whose numbers are too large");
  const factor = square === 0 ? 0 : 1 / Math.sqrt(square);
  const vector = new Float32Array(numbers.length);
  for (let at = 0; at < vector.length; at++) vector[at] = (numbers[at] as number) * factor;
  return vector;
}
