import { createSlicer } from "../runtime/yielding.ts";
import { NoVector, type TakenVectors, takeVectors, vectorOfBase64 } from "./answer-vectors.ts";

const SLICE_MS = 8;

/** The body of a 2xx answer is no list of vectors. The message goes after "answered with". */
export class MalformedAnswer extends Error {
  override readonly name = "MalformedAnswer";
}

/**
 * The vectors of an answer, in base64 or as numbers, in the order of the texts, each of length one (or all zero). The event
 * loop has its turn in between. Rejects with MalformedAnswer for anything else.
 */
export async function vectorsOfAnswer(body: string, texts: number): Promise<Float32Array[]> {
  try {
    return await readVectors(body, texts);
  } catch (error) {
    throw error instanceof NoVector ? malformed(error.message) : error;
  }
}

async function readVectors(body: string, texts: number): Promise<Float32Array[]> {
  const taken = await takeVectors(body);
  const data = dataOf(taken.rest);
  if (data.length !== texts) throw malformed(`${data.length} vectors for ${texts} texts`);
  const slicer = createSlicer(SLICE_MS);
  const vectors: (Float32Array | undefined)[] = Array.from({ length: texts }, () => undefined);
  for (const [position, entry] of data.entries()) {
    const { index = position, embedding } = asRecord(entry);
    if (typeof index !== "number" || !(index in vectors))
      throw malformed("a vector for a text that was not sent");
    if (vectors[index]) throw malformed(`two vectors for text ${index}`);
    vectors[index] = typeof embedding === "string" ? vectorOfBase64(embedding) : takenAt(taken, embedding);
    await slicer.pause();
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

/** Every list of an answer was taken out: what stands there is its number. */
function takenAt({ vectors }: TakenVectors, embedding: unknown): Float32Array {
  const [at] = Array.isArray(embedding) ? (embedding as unknown[]) : [];
  const vector = typeof at === "number" ? vectors[at] : undefined;
  if (!vector) throw malformed("an entry without a vector");
  return vector;
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function malformed(what: string): MalformedAnswer {
  return new MalformedAnswer(what);
}
