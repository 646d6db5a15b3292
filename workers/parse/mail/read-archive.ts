import { readPage } from "../html/read-page.ts";
import { type DecodedText, type ParsedFile, type ReadInput, ReadProblem } from "../reader.ts";
import { titleFrom } from "../title.ts";
import { fieldText, fieldValue } from "./header-fields.ts";
import { isoDate } from "./message.ts";
import { messageBytes } from "./message-bytes.ts";
import { type MimePart, parseMime } from "./mime.ts";
import { partText } from "./part-text.ts";

/** Reads the page; where it only holds frames, what these show. */
export async function readArchive(input: ReadInput): Promise<ParsedFile> {
  const { bytes, charset } = messageBytes(input);
  const { root } = parseMime(bytes);
  const pages = leaves(root).filter((part) => /^(?:text\/html|application\/xhtml\+xml)$/.test(part.type));
  const start = root.params.get("start");
  const main = pages.find((part) => start !== undefined && fieldValue(part.fields, "content-id") === start);
  const ordered = main === undefined ? pages : [main, ...pages.filter((page) => page !== main)];
  for (const page of ordered) {
    const text = await partText(page, charset);
    const read = await readIfText(input, text);
    if (read !== null) return withFacts(read, root, page);
  }
  throw new ReadProblem("no_text", "The saved page has no text of its own.");
}

function leaves(part: MimePart): MimePart[] {
  return part.children.length === 0 ? [part] : part.children.flatMap(leaves);
}

async function readIfText(input: ReadInput, text: DecodedText): Promise<ParsedFile | null> {
  if (text.text.trim() === "") return null;
  try {
    return await readPage({ ...input, text });
  } catch (error) {
    // Another page of the same file may have text.
    if (error instanceof ReadProblem && error.failure === "no_text") return null;
    throw error;
  }
}

async function withFacts(page: ParsedFile, root: MimePart, part: MimePart): Promise<ParsedFile> {
  const { decodeWords } = await import("postal-mime");
  const subject = titleFrom(decodeWords(await fieldText(fieldValue(root.fields, "subject"), null)));
  const url = addressOf(root) ?? addressOf(part);
  const saved = isoDate(fieldValue(root.fields, "date"));
  return {
    ...page,
    title: page.title ?? subject,
    metadata: {
      ...page.metadata,
      ...(url === null ? {} : { url }),
      ...(saved === null ? {} : { saved }),
    },
  };
}

function addressOf({ fields }: MimePart): string | null {
  const value = fieldValue(fields, "snapshot-content-location") || fieldValue(fields, "content-location");
  return /^https?:/i.test(value) ? titleFrom(value) : null;
}
