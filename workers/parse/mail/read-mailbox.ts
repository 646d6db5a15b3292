import type { EmbeddedFile, ParsedFile, Part, ReadInput } from "../reader.ts";
import { ReadProblem } from "../reader.ts";
import { createMailboxSummary } from "./mailbox-summary.ts";
import { readMessage } from "./message.ts";
import { messageBytes } from "./message-bytes.ts";
import { createMailboxSplitter } from "./split-mailbox.ts";

/** Each message is a part, under its subject. */
export async function readMailbox(input: ReadInput): Promise<ParsedFile> {
  const { bytes, charset } = messageBytes(input);
  const parts: Part[] = [];
  const children: EmbeddedFile[] = [];
  const summary = createMailboxSummary();
  for (const entry of createMailboxSplitter(Infinity).push(bytes, true)) {
    input.signal?.throwIfAborted();
    const place = { lineStart: entry.firstLine, lineEnd: entry.lastLine };
    const message = await readMessage(entry.bytes, { charset, place, underSubject: true });
    children.push(...summary.add(message, entry));
    parts.push(...message.parts);
  }
  if (parts.length === 0) throw new ReadProblem("no_text", "The mailbox holds no message that can be read.");
  return {
    title: summary.onlySubject(),
    parts,
    children,
    metadata: summary.metadata(),
    warnings: summary.warnings(),
  };
}
