/**
 * A document's text on its way from the worker host to the index when it is too long for one message: its segments stand in
 * a file one behind the other, each as its length in bytes (4, little-endian) and V8's serialisation. Neither side ever
 * holds more than one of them beside the text itself.
 */
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { open } from "node:fs/promises";
import { deserialize, serialize } from "node:v8";
import type { PreparedSegment } from "./contract.ts";
import type { ChunkedDocument } from "./parse/prepare.ts";
import { ReadProblem } from "./parse/reader.ts";
import { cutSegments } from "./parse/segments.ts";

const LENGTH_BYTES = 4;
const FULL: ReadonlySet<string | undefined> = new Set(["ENOSPC", "EDQUOT"]);

/**
 * Writes a new file; false when the disk has no room for it. What was not written to its end is taken away again.
 * @throws ReadProblem (io) when there is a file at the path already, or none can be written: no fault of the document.
 */
export function spoolSegments(
  path: string,
  document: ChunkedDocument,
  signal: AbortSignal | undefined,
): boolean {
  let opened = false;
  try {
    const descriptor = openSync(path, "wx", 0o600);
    opened = true;
    try {
      writeSegments(descriptor, document, signal);
    } finally {
      closeSync(descriptor);
    }
    return true;
  } catch (error) {
    if (opened) rmSync(path, { force: true });
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (FULL.has(code)) return false;
    if (syscall === undefined) throw error;
    throw new ReadProblem("io", `Its long text could not be set aside (${code}).`, false);
  }
}

function writeSegments(
  descriptor: number,
  { chunked, head }: ChunkedDocument,
  signal: AbortSignal | undefined,
): void {
  for (const segment of cutSegments(chunked, { ...head, firstUnit: 0, joint: "" })) {
    signal?.throwIfAborted();
    const bytes = serialize(segment);
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32LE(bytes.length);
    writeAll(descriptor, length);
    writeAll(descriptor, bytes);
  }
}

function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
}

/** @throws when the file is not there, or was not written to its end. */
export async function* spooledSegments(path: string): AsyncGenerator<PreparedSegment> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    for (let at = 0; at < size;) {
      const length = (await readExactly(file, LENGTH_BYTES)).readUInt32LE();
      at += LENGTH_BYTES + length;
      if (at > size) throw new Error("a spooled document was not written to its end");
      yield deserialize(await readExactly(file, length)) as PreparedSegment;
    }
  } finally {
    await file.close();
  }
}

async function readExactly(file: Awaited<ReturnType<typeof open>>, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  for (let at = 0; at < length;) {
    const { bytesRead } = await file.read(buffer, at, length - at);
    if (bytesRead === 0) throw new Error("a spooled document was not written to its end");
    at += bytesRead;
  }
  return buffer;
}
