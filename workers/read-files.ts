import type { FileStamp, ReadFileInput, ReadOutcome } from "./contract.ts";
import { sha256 } from "./ids.ts";
import { FileRefused, readWholeFile } from "./parse/open-file.ts";
import { parseBytes, parserOf } from "./parse/parse-bytes.ts";
import { aboutDocument, chunkDocument, prepareDocument } from "./parse/prepare.ts";
import { SEGMENT_CHARS } from "./parse/segments.ts";
import { readFailureOf } from "./read-failure.ts";
import { isSliceable } from "./read-slice.ts";
import { spoolSegments } from "./spool.ts";

/** Characters of text that one file may give. */
const MAX_TEXT_CHARS = 128 * 1024 * 1024;
/** A larger file is read slice by slice where its format allows it. */
const LONG_FILE_BYTES = 8 * 1024 * 1024;
/** Share of the task's time that one file may take before a reader leaves it at what it has. */
const READING_SHARE = 0.75;

/**
 * Reads, parses, cuts and shapes each file. What is wrong with a file is its outcome and stops no other.
 * @throws only when `signal` aborts.
 */
export async function readFiles(
  input: { readonly files: readonly ReadFileInput[]; readonly deadlineMs?: number },
  signal?: AbortSignal,
): Promise<{ outcomes: ReadOutcome[] }> {
  const outcomes: ReadOutcome[] = [];
  for (const file of input.files) {
    signal?.throwIfAborted();
    const until =
      input.deadlineMs === undefined ? undefined : performance.now() + input.deadlineMs * READING_SHARE;
    outcomes.push(await readOne(file, until, signal));
  }
  return { outcomes };
}

async function readOne(
  file: ReadFileInput,
  until: number | undefined,
  signal: AbortSignal | undefined,
): Promise<ReadOutcome> {
  const { key } = file;
  let byteHash: string | null = null;
  let stamp: FileStamp | null = null;
  try {
    const { longFileBytes: largeBytes = LONG_FILE_BYTES } = file;
    let content = readWholeFile(file.snapshot ? file : { ...file, largeBytes });
    if (content.kind === "large") {
      if (await isSliceable(file)) return { kind: "long", key };
      content = readWholeFile(file);
    }
    if (content.kind !== "read") return { kind: "changing", key };
    stamp = content.stamp;
    byteHash = sha256(content.bytes);
    if (byteHash === file.knownHash && (await isReadAlike(file, content.bytes)))
      return { kind: "unchanged", key, byteHash, stamp };
    const parsed = await parseBytes({
      bytes: content.bytes,
      relativePath: file.relativePath,
      snapshot: file.snapshot,
      pages: file.pages === true,
      limits: { maxTextChars: MAX_TEXT_CHARS, chunkTokens: file.chunking.chunkSize, until },
      signal,
    });
    const chunked = chunkDocument(parsed, file);
    if (file.spool === undefined || chunked.chunked.text.length <= SEGMENT_CHARS)
      return { kind: "document", key, byteHash, stamp, document: prepareDocument(parsed, chunked) };
    if (!spoolSegments(file.spool, chunked, signal)) return { kind: "disk_full", key };
    const document = { ...aboutDocument(parsed, chunked.head), spool: file.spool };
    return { kind: "spooled", key, byteHash, stamp, document };
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof FileRefused) stamp = error.stamp;
    return { kind: "failed", key, ...readFailureOf(error), byteHash, stamp };
  }
}

/** Whether the reader that made the document would read it today: there may be a newer one, or the name another extension. */
async function isReadAlike(file: ReadFileInput, bytes: Uint8Array): Promise<boolean> {
  return file.knownParser === null || file.knownParser === (await parserOf(bytes, file.relativePath));
}
