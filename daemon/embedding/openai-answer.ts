/** The body of a 2xx answer is no list of vectors. The message goes after "answered with". */
export class MalformedAnswer extends Error {
  override readonly name = "MalformedAnswer";
}

/**
 * The vectors of an answer in the order of the texts, each of length one (or all zero).
 * Throws MalformedAnswer for anything else.
 */
export function vectorsOfAnswer(body: string, texts: number): Float32Array[] {
  const data = dataOf(body);
  if (data.length !== texts) throw malformed(`${data.length} vectors for ${texts} texts`);
  const vectors: (Float32Array | undefined)[] = Array.from({ length: texts }, () => undefined);
  for (const [position, entry] of data.entries()) {
    const { index = position, embedding } = asRecord(entry);
    if (typeof index !== "number" || !(index in vectors))
      throw malformed("a vector for a text that was not sent");
    if (vectors[index]) throw malformed(`two vectors for text ${index}`);
    vectors[index] = toUnitVector(embedding);
  }
  return vectors as Float32Array[];
}

/** What an endpoint says about an error, in whichever of the usual shapes. */
export function errorOfAnswer(body: string): { message: string; code: string } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    // Proxies answer in HTML or plain text: nothing to quote.
    return { message: "", code: "" };
  }
  const { error, message, detail } = asRecord(parsed);
  const inner = asRecord(error);
  const text = [inner["message"], error, message, detail].find((one) => typeof one === "string");
  return { message: text ?? "", code: typeof inner["code"] === "string" ? inner["code"] : "" };
}

function dataOf(body: string): unknown[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    // The parser's words would quote the body, which says no more.
    throw malformed("no valid JSON");
  }
  const { data } = asRecord(parsed);
  if (Array.isArray(data)) return data;
  const { message } = errorOfAnswer(body);
  throw malformed(message === "" ? "no list of vectors" : `an error in place of vectors: ${message}`);
}

function toUnitVector(embedding: unknown): Float32Array {
  if (!Array.isArray(embedding) || embedding.length === 0) throw malformed("an entry without a vector");
  const numbers = embedding as unknown[];
  let square = 0;
  for (const value of numbers) {
    if (typeof value !== "number") throw malformed("a vector with something that is no number");
    square += value * value;
  }
  if (!Number.isFinite(square)) throw malformed("a vector whose numbers are too large");
  const factor = square === 0 ? 0 : 1 / Math.sqrt(square);
  return Float32Array.from(numbers as number[], (value) => value * factor);
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function malformed(what: string): MalformedAnswer {
  return new MalformedAnswer(what);
}
