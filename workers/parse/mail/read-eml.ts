import { type ParsedFile, type ReadInput, ReadProblem } from "../reader.ts";
import { isEnvelope } from "./envelope.ts";
import { readHeader } from "./header-fields.ts";
import { readMessage } from "./message.ts";
import { messageBytes } from "./message-bytes.ts";

export async function readEml(input: ReadInput): Promise<ParsedFile> {
  const { bytes, charset } = messageBytes(input);
  const { subject, parts, children, metadata, warnings } = await readMessage(
    withoutNext(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)),
    { charset },
  );
  if (parts.length === 0 && children.length === 0)
    throw new ReadProblem("no_text", "The message has neither a head nor a text.");
  const encoding = charset === null ? {} : { encoding: input.text?.encoding };
  return { title: subject, parts, children, metadata: { ...metadata, ...encoding }, warnings };
}

/** Bytes at the end in which the beginning of a next message is looked for. */
const REACH = 4096;

/** Without the envelope and the header of the next message, which careless cutting of a mailbox leaves behind this one. */
function withoutNext(bytes: Buffer): Buffer {
  const at = bytes.lastIndexOf("\nFrom ");
  if (at <= 0 || bytes.length - at > REACH) return bytes;
  const line = bytes.indexOf(10, at + 1);
  const lineEnd = line === -1 ? bytes.length : line;
  if (!isEnvelope(bytes.toString("latin1", at + 1, lineEnd))) return bytes;
  const { bodyStart } = readHeader(bytes, Math.min(bytes.length, lineEnd + 1), bytes.length);
  return bytes.toString("latin1", bodyStart).trim() === "" ? bytes.subarray(0, at + 1) : bytes;
}
