import { PART_JOINT } from "../../chunk/chunk.ts";
import { isMedia } from "../mail/mailbox-summary.ts";
import { readMessage } from "../mail/message.ts";
import { createMailboxSplitter, type MailboxEntry } from "../mail/split-mailbox.ts";
import { mboxReader } from "../mbox.ts";
import { parseBytes } from "../parse-bytes.ts";
import { type EmbeddedFile, type Part, ReadProblem } from "../reader.ts";
import type { StreamInput, StreamPiece, StreamReader } from "./stream-reader.ts";

interface MailState {
  /** Messages before the window. */
  readonly messages: number;
  readonly firstDate: string | null;
  readonly lastDate: string | null;
  /** The window begins inside a message whose beginning was read already. */
  readonly skips: boolean;
}

/** Behind a window's end so many bytes are needed to tell a line "From " from an envelope. */
const LOOK_AHEAD = 4096;
const NEWLINE = 10;

/** A mailbox, cut between messages; of a message that is longer than the longest window, its beginning. */
export const mailboxReader: StreamReader = {
  reader: mboxReader,
  async read(input) {
    const state: MailState = {
      messages: 0,
      firstDate: null,
      lastDate: null,
      skips: false,
      ...(input.state as Partial<MailState>),
    };
    const splitter = createMailboxSplitter(input.window.length + 1, { inside: state.skips });
    const entries = [...splitter.push(input.window, input.atEnd)];
    if (entries.length > 0) {
      const lines = entries.at(-1)?.lastLine ?? 0;
      const bytes = input.atEnd ? input.window.length : lineStart(input.window, lines);
      return await readEntries(input, entries, { bytes, lines }, state);
    }
    if (!input.isLongest && !state.skips) return null;
    const bytes = input.atEnd ? input.window.length : cutInside(input.window);
    const lines = countNewlines(input.window.subarray(0, bytes));
    const entry = { bytes: input.window.subarray(0, bytes), firstLine: 1, lastLine: lines + 1, cut: true };
    return await readEntries(input, [entry], { bytes, lines }, state);
  },
};

async function readEntries(
  input: StreamInput,
  entries: readonly MailboxEntry[],
  taken: { bytes: number; lines: number },
  state: MailState,
): Promise<StreamPiece> {
  const parts: Part[] = [];
  const warnings: string[] = [];
  let { messages, firstDate, lastDate } = state;
  const isCut = entries.at(-1)?.cut === true;
  for (const entry of state.skips ? entries.slice(1) : entries) {
    input.signal?.throwIfAborted();
    messages++;
    const place = { lineStart: entry.firstLine + input.line - 1, lineEnd: entry.lastLine + input.line - 1 };
    const message = await readMessage(withoutEnvelope(entry), { place, underSubject: true });
    const date = message.date;
    if (date !== null && (firstDate === null || date < firstDate)) firstDate = date;
    if (date !== null && (lastDate === null || date > lastDate)) lastDate = date;
    const inner = await readAttachments(message.children, input);
    parts.push(...message.parts, ...inner.parts);
    const name = `Message ${messages} (line ${place.lineStart}${message.subject === null ? "" : `, “${message.subject}”`})`;
    const problems = [...message.warnings, ...inner.warnings];
    if (entry.cut) problems.push("It is too long; its end was left out.");
    if (problems.length > 0) warnings.push(`${name}: ${problems.join(" ")}`);
  }
  const skips = isCut && !input.atEnd;
  const dates = firstDate === null ? {} : { firstDate, lastDate };
  return {
    ...taken,
    parts,
    joint: parts.length > 0 ? PART_JOINT : "",
    title: null,
    metadata: { messages, ...dates },
    warnings,
    state: { messages, firstDate, lastDate, skips },
  };
}

/** Each by the reader of its format; pictures, sound and film are passed over. */
async function readAttachments(
  children: readonly EmbeddedFile[],
  { limits, signal }: StreamInput,
): Promise<{ parts: Part[]; warnings: string[] }> {
  const parts: Part[] = [];
  const warnings: string[] = [];
  for (const child of children) {
    if (isMedia(child.name)) continue;
    try {
      const input = { bytes: child.bytes, relativePath: child.name, snapshot: false, limits, signal };
      const inner = await parseBytes(input);
      for (const part of inner.parts)
        parts.push({
          ...part,
          headings: [...(child.headings ?? []), child.name, ...(part.headings ?? [])],
          locator: child.locator === undefined ? part.locator : { ...child.locator, ...part.locator },
        });
      for (const warning of inner.warnings) warnings.push(`${child.name}: ${warning}`);
    } catch (error) {
      if (!(error instanceof ReadProblem)) throw error;
      warnings.push(`${child.name} was left out: ${error.message}`);
    }
  }
  return { parts, warnings };
}

/** The splitter has taken it off whole messages. */
function withoutEnvelope({ bytes, cut }: MailboxEntry): Buffer {
  if (!cut || bytes.toString("latin1", 0, 5) !== "From ") return bytes;
  return bytes.subarray(bytes.indexOf(NEWLINE) + 1);
}

/** In front of a line end, or within a line that is longer than half of the window. An envelope before it had been found. */
function cutInside(window: Buffer): number {
  const sure = window.length - Math.min(LOOK_AHEAD, Math.floor(window.length / 2));
  const newline = window.lastIndexOf(NEWLINE, sure);
  return newline > sure / 2 ? newline : sure;
}

/** Where the line after so many begins. */
function lineStart(bytes: Buffer, lines: number): number {
  let at = 0;
  for (let line = 0; line < lines; line++) {
    const end = bytes.indexOf(NEWLINE, at);
    if (end === -1) return bytes.length;
    at = end + 1;
  }
  return at;
}

function countNewlines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) count++;
  return count;
}
