import { createInflate, type Inflate } from "node:zlib";
import { ReadProblem } from "../reader.ts";

const MIB = 1024 * 1024;
/** What one stream of text, fonts or objects may unpack to. */
const MAX_UNPACKED = 128 * MIB;
/** Deflate makes at most so much of a byte. */
const MAX_RATIO = 1032;
/** Filters on top of one another; more are of no use. */
const MAX_FILTERS = 3;
/** How far in front of a stream its dictionary may begin. */
const DICTIONARY = 2048;

/**
 * Looks at the packed streams of a PDF before a library unpacks them in memory. Images are never unpacked here.
 * @throws ReadProblem too_complex for one that would not fit.
 */
export async function refuseBombs(
  bytes: Uint8Array,
  signal: AbortSignal | undefined,
): Promise<{ attachments: boolean }> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let attachments = true;
  for (let at = buffer.indexOf("stream"); at !== -1; at = buffer.indexOf("stream", at + 6)) {
    if (buffer.toString("latin1", Math.max(0, at - 3), at) === "end") continue;
    const head = buffer.toString("latin1", Math.max(0, at - DICTIONARY), at);
    const dictionary = head.slice(Math.max(head.lastIndexOf(" obj"), head.lastIndexOf("endobj"), 0));
    const filters = dictionary.match(/\/Fl(?:ateDecode)?\b/g)?.length ?? 0;
    if (filters === 0 || /\/Subtype\s*\/Image\b/.test(dictionary)) continue;
    const end = buffer.indexOf("endstream", at);
    const start = at + (buffer[at + 6] === 13 && buffer[at + 7] === 10 ? 8 : 7);
    const packed = buffer.subarray(start, end === -1 ? buffer.length : end);
    if (packed.length * MAX_RATIO ** Math.min(filters, MAX_FILTERS) > MAX_UNPACKED) {
      signal?.throwIfAborted();
      const fits = filters <= MAX_FILTERS && (await unpacksWithin(packed, filters, MAX_UNPACKED));
      if (!fits && /\/EmbeddedFile\b/.test(dictionary)) attachments = false;
      else if (!fits) throw tooLarge();
    }
    if (end !== -1) at = end;
  }
  return { attachments };
}

function tooLarge(): ReadProblem {
  return new ReadProblem(
    "too_complex",
    `One of its streams unpacks to over ${MAX_UNPACKED / MIB} MB, more than a document needs.`,
  );
}

/** What can't be unpacked (encrypted, damaged) is the library's to judge. */
function unpacksWithin(packed: Uint8Array, filters: number, limit: number): Promise<boolean> {
  const chain = Array.from({ length: filters }, () => createInflate());
  return new Promise((resolve) => {
    let length = 0;
    const end = (fits: boolean): void => {
      for (const inflate of chain) inflate.destroy();
      resolve(fits);
    };
    for (const [index, inflate] of chain.entries()) {
      inflate.on("error", () => end(true));
      const next: Inflate | undefined = chain[index + 1];
      if (next !== undefined) {
        inflate.pipe(next);
        continue;
      }
      inflate.on("data", (chunk: Buffer) => {
        length += chunk.length;
        if (length > limit) end(false);
      });
      inflate.on("end", () => end(true));
    }
    chain[0]?.end(packed);
  });
}
