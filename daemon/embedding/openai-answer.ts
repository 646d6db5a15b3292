import { asRecord } from "../endpoint/failures.ts";
import { createSlicer } from "../runtime/yielding.ts";
import { listOfAnswer, MalformedAnswer, takenAt, takeVectors, vectorOfBase64 } from "./answer-vectors.ts";

const SLICE_MS = 8;

/**
 * The vectors of an answer, in base64 or as numbers, in the order of the texts, each of length one (or all zero). The event
 * loop has its turn in between. Rejects with MalformedAnswer for anything else.
 */
export async function vectorsOfAnswer(body: string, texts: number): Promise<Float32Array[]> {
  const taken = await takeVectors(body, "embedding");
  const data = listOfAnswer(taken.rest, "data");
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

function malformed(what: string): MalformedAnswer {
  return new MalformedAnswer(what);
}
