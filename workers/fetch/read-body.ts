import { type Readable, Transform, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress, createUnzip } from "node:zlib";
import { FetchProblem } from "./fetch-problem.ts";

/** The codings that are asked for. */
export const ACCEPTED_CODINGS = "gzip, br";

const decoders: Readonly<Record<string, (() => Transform) | null>> = {
  identity: null,
  gzip: createUnzip,
  "x-gzip": createUnzip,
  deflate: createUnzip,
  br: createBrotliDecompress,
};
/** No server packs what is packed already. */
const MAX_CODINGS = 2;

/**
 * An answer's bytes, unpacked. No more than `maxBytes` of them are ever held, packed or unpacked.
 * @throws FetchProblem refused for what is larger, failed for what is broken.
 */
export async function readBody(
  body: Readable,
  contentEncoding: string | null,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const collect = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  try {
    const stages = [limit(maxBytes), ...decodersFor(contentEncoding), limit(maxBytes)];
    await pipeline([body, ...stages, collect], { signal });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof FetchProblem) throw error;
    const code = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
    throw new FetchProblem("failed", `the answer broke off or is damaged (${code})`);
  }
  return Buffer.concat(chunks);
}

function decodersFor(contentEncoding: string | null): Transform[] {
  const codings = (contentEncoding ?? "")
    .toLowerCase()
    .split(",")
    .map((coding) => coding.trim())
    .filter((coding) => coding !== "");
  if (codings.length > MAX_CODINGS)
    throw new FetchProblem("refused", `the answer is packed ${codings.length} times over`);
  // Packed last, unpacked first.
  return codings.reverse().flatMap((coding) => {
    const make = Object.hasOwn(decoders, coding) ? decoders[coding] : undefined;
    if (make === undefined)
      throw new FetchProblem(
        "refused",
        `the answer is packed as ${coding.slice(0, 40)}, which was not asked for`,
      );
    return make === null ? [] : [make()];
  });
}

/** Passes on what comes, up to a bound. */
function limit(maxBytes: number): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > maxBytes) done(sizeProblem(maxBytes));
      else done(null, chunk);
    },
  });
}

export function sizeProblem(maxBytes: number): FetchProblem {
  return new FetchProblem("refused", `it has more than the ${maxBytes} bytes that snapshot.maxBytes allows`);
}
