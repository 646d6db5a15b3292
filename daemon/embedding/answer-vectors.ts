import { asRecord, errorOfAnswer } from "../endpoint/failures.ts";
import { createSlicer } from "../runtime/yielding.ts";

/** The body of a 2xx answer is no list of vectors. The message goes after "answered with". */
export class MalformedAnswer extends Error {
  override readonly name = "MalformedAnswer";
}

/** An answer whose vectors were taken out: each left its number in brackets behind. */
export interface TakenVectors {
  readonly rest: string;
  readonly vectors: readonly Float32Array[];
}

const SLICE_MS = 8;

/**
 * Reads the number lists of an answer one by one, with the event loop's turn in between: parsed as a whole, 256 texts of 3,072
 * numbers (17 MB) hold it for a quarter of a second. They stand behind each `key`, one a key, or (`rows`) as the rows of the
 * list there. Throws MalformedAnswer.
 */
export async function takeVectors(body: string, key: string, { rows = false } = {}): Promise<TakenVectors> {
  const slicer = createSlicer(SLICE_MS);
  // Only a key is written so: inside a string, the quotes would be escaped.
  const quoted = `"${key}"`;
  const parts: string[] = [];
  const vectors: Float32Array[] = [];
  let copied = 0;
  for (let at = body.indexOf(quoted); at >= 0; at = body.indexOf(quoted, at)) {
    at += quoted.length;
    const list = listAfter(body, at);
    if (list === null) continue;
    for (let start: number | null = rows ? rowAfter(body, list + 1) : list; start !== null;) {
      const end = body.indexOf("]", start) + 1;
      if (end === 0) break;
      parts.push(body.slice(copied, start), `[${vectors.length}]`);
      vectors.push(unitVector(numbersOf(body.slice(start, end))));
      copied = at = end;
      await slicer.pause();
      start = rows ? rowAfter(body, end) : null;
    }
  }
  return { rest: parts.join("") + body.slice(copied), vectors };
}

/** Every list of an answer was taken out: what stands there is its number. Throws MalformedAnswer. */
export function takenAt({ vectors }: TakenVectors, place: unknown): Float32Array {
  const [at] = Array.isArray(place) ? (place as unknown[]) : [];
  const vector = typeof at === "number" ? vectors[at] : undefined;
  if (!vector) throw new MalformedAnswer("an entry without a vector");
  return vector;
}

/** The list of an answer that stands behind `key`. Throws MalformedAnswer, with the endpoint's words where it says an error. */
export function listOfAnswer(body: string, key: string): unknown[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    // The parser's words would quote the body, which says no more.
    throw new MalformedAnswer("no valid JSON");
  }
  const list = asRecord(parsed)[key];
  if (Array.isArray(list)) return list;
  const { message } = errorOfAnswer(body);
  throw new MalformedAnswer(
    message === "" ? "no list of vectors" : `an error in place of vectors: ${message}`,
  );
}

/** The vector that stands in base64 as little-endian float32, of length one (or all zero). Throws MalformedAnswer. */
export function vectorOfBase64(text: string): Float32Array {
  const bytes = Buffer.from(text, "base64");
  // What is no base64 is passed over without a word: then there are fewer bytes than characters speak of.
  const expected = Math.floor((text.replace(/=+$/, "").length * 3) / 4);
  if (bytes.length === 0 || bytes.length % 4 !== 0 || bytes.length !== expected)
    throw new MalformedAnswer("a vector that is no base64 of numbers");
  return unitVector(new Float32Array(new Uint8Array(bytes).buffer));
}

/** Where the list begins that is the value of the key before `at`; null when its value is something else. */
function listAfter(body: string, at: number): number | null {
  const value = /\s*:\s*\[/y;
  value.lastIndex = at;
  return value.test(body) ? value.lastIndex - 1 : null;
}

/** Where the next row of a list begins, at or behind `at`; null at the list's end. */
function rowAfter(body: string, at: number): number | null {
  let place = at;
  while (BETWEEN_ROWS.includes(body.charAt(place)) && place < body.length) place++;
  return body.charAt(place) === "[" ? place : null;
}

const BETWEEN_ROWS = ", \n\r\t";

function numbersOf(list: string): readonly unknown[] {
  try {
    return JSON.parse(list) as unknown[];
  } catch {
    // Cut off at the first bracket, which a list of numbers has at its end.
    throw new MalformedAnswer("a vector with something that is no number");
  }
}

function unitVector(numbers: ArrayLike<unknown>): Float32Array {
  if (numbers.length === 0) throw new MalformedAnswer("an entry without a vector");
  let square = 0;
  for (let at = 0; at < numbers.length; at++) {
    const value = numbers[at];
    if (typeof value !== "number") throw new MalformedAnswer("a vector with something that is no number");
    square += value * value;
  }
  if (!Number.isFinite(square)) throw new MalformedAnswer("a vector whose numbers are too large");
  const factor = square === 0 ? 0 : 1 / Math.sqrt(square);
  const vector = new Float32Array(numbers.length);
  for (let at = 0; at < vector.length; at++) vector[at] = (numbers[at] as number) * factor;
  return vector;
}
