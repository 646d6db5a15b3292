import { type ParsedFile, type ReadInput, ReadProblem } from "../reader.ts";
import { readMessage } from "./message.ts";
import { messageBytes } from "./message-bytes.ts";

export async function readEml(input: ReadInput): Promise<ParsedFile> {
  const { bytes, charset } = messageBytes(input);
  const { subject, parts, children, metadata, warnings } = await readMessage(bytes, { charset });
  if (parts.length === 0 && children.length === 0)
    throw new ReadProblem("no_text", "The message has neither a head nor a text.");
  const encoding = charset === null ? {} : { encoding: input.text?.encoding };
  return { title: subject, parts, children, metadata: { ...metadata, ...encoding }, warnings };
}
