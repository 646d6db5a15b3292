import { decodeText } from "../decode.ts";
import { probeFile } from "../probe.ts";
import { chooseReader, readers } from "../registry.ts";
import { isStreamable } from "./code-units.ts";
import { linesOf } from "./lines.ts";
import type { StreamReader } from "./stream-reader.ts";

/** Bytes at a file's front that tell what it is. */
export const HEAD_BYTES = 64 * 1024;
const NEWLINE = 10;

export interface ChosenStream {
  readonly stream: StreamReader;
  /** As far as the head tells. */
  readonly encoding: string;
}

/** How a long file is read piece by piece; null where its format has to be read whole. */
export async function chooseStream(head: Buffer, relativePath: string): Promise<ChosenStream | null> {
  const probe = await probeFile(wholeCharacters(head), relativePath);
  const encoding = probe.text?.encoding ?? "utf-8";
  if (!isStreamable(encoding)) return null;
  const reader = chooseReader(probe);
  if (reader.id === "mbox" && encoding.startsWith("utf-16")) return null;
  const stream = await streamOf(reader.id);
  return stream && { stream, encoding };
}

/** Rows, messages, and text whose lines mean the same wherever they stand; null for all else. */
export async function streamOf(readerId: string): Promise<StreamReader | null> {
  switch (readerId) {
    case "plain":
    case "json":
    case "code": {
      const reader = readers.find((one) => one.id === readerId);
      return reader === undefined ? null : linesOf(reader);
    }
    case "csv": {
      const { rowsReader } = await import("./rows.ts");
      return rowsReader;
    }
    case "mbox": {
      const { mailboxReader } = await import("./mailbox.ts");
      return mailboxReader;
    }
    default:
      return null;
  }
}

/** The encoding of a file that its head shows as UTF-8 and a later part does not; `part` holds the place. */
export async function encodingOfPart(part: Buffer): Promise<string> {
  const encoding = (await decodeText(wholeCharacters(part)))?.encoding ?? "utf-8";
  return isStreamable(encoding) && !encoding.startsWith("utf-16") ? encoding : "utf-8";
}

/** Without what was cut through at the end: a line, or in UTF-16 half a character. */
function wholeCharacters(bytes: Buffer): Buffer {
  if (bytes.includes(0)) return bytes.subarray(0, bytes.length - (bytes.length % 4));
  const newline = bytes.lastIndexOf(NEWLINE) + 1;
  if (newline > 0) return bytes.subarray(0, newline);
  let end = bytes.length;
  while (end > bytes.length - 4 && end > 0 && ((bytes[end - 1] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.subarray(0, (bytes[end - 1] ?? 0) < 0x80 ? end : end - 1);
}
