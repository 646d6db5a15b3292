import type { Locator } from "../../contract.ts";
import type { EmbeddedFile, Part } from "../reader.ts";
import { titleFrom } from "../title.ts";
import { listAddresses, readAddresses } from "./addresses.ts";
import { attachedFile } from "./attachment.ts";
import { type Choose, contentsOf } from "./contents.ts";
import { fieldText, fieldValue } from "./header-fields.ts";
import { htmlBody } from "./html-body.ts";
import { invitationDetails } from "./invitation.ts";
import { type MimePart, parseMime } from "./mime.ts";
import { partText } from "./part-text.ts";
import { type Body, renderMessage } from "./render.ts";
import { isPoorer } from "./poorer.ts";
import { readTnef } from "./tnef.ts";

/** One message, read. */
export interface Message {
  readonly subject: string | null;
  /** Without its angle brackets. */
  readonly messageId: string | null;
  /** Of the Date field, in ISO 8601; null when there is none that can be understood. */
  readonly date: string | null;
  /** Its head and text; each has the locator. Empty when it has neither. */
  readonly parts: readonly Part[];
  readonly children: readonly EmbeddedFile[];
  /** Plain data: from, to, cc, subject, date, messageId, inReplyTo, attachments, encoding, start, end, location; what is not known is left out. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly warnings: readonly string[];
}

export interface MessageOptions {
  /** Charset of all text, where the file was decoded and encoded again; null when each part's own holds. */
  readonly charset?: string | null;
  /** What else its locator says, as the lines of the mailbox that it takes. */
  readonly place?: Locator;
  /** The subject stands above its headings: for messages of which a file holds many. */
  readonly underSubject?: boolean;
}

/**
 * One message (RFC 5322 with MIME) as text: head, then the body in its plain form, or in its HTML where that says more.
 * Attachments are given as children, pictures inside the text are not. Takes any bytes and never throws for what they hold;
 * time and memory are linear in them.
 */
export async function readMessage(bytes: Uint8Array, options: MessageOptions = {}): Promise<Message> {
  const { root, cut } = parseMime(bytes);
  const header = await readHead(root, options.charset ?? null);
  const warnings: string[] = [];
  const encodings = new Set<string>();
  const read = cachedBodies(options.charset ?? null, encodings, warnings);
  const contents = await contentsOf(root, choosePlainUnlessPoor(read));
  const bodies: Body[] = [];
  for (const part of contents.texts) bodies.push(await read(part));
  const files: EmbeddedFile[] = [];
  for (const [index, part] of contents.attachments.entries()) {
    const file = await attachedFile(part, index, header.charset);
    files.push(...unpacked(file, contents.texts.length === 0));
  }
  if (contents.encryption !== null)
    warnings.push(`It is encrypted (${contents.encryption}), so that only its head was read.`);
  if (cut) warnings.push("It has more parts inside parts than are followed; the rest was left out.");
  const details =
    contents.invitation === null ? [] : invitationDetails((await partText(contents.invitation)).text);
  const attachments = files.map((file) => file.name);
  const { subject, messageId } = header;
  const locator = messageId === null ? null : { messageId };
  const place = options.place === undefined ? locator : { ...options.place, ...locator };
  const head = [
    ["Subject", subject ?? ""],
    ["From", listAddresses(header.from)],
    ["To", listAddresses(header.to)],
    ["Cc", listAddresses(header.cc)],
    ["Date", header.dateText],
    ...details,
    ["Attachments", attachments.join(", ")],
  ] as const;
  const headings = options.underSubject === true && subject !== null ? [subject] : [];
  return {
    subject,
    messageId,
    date: header.date,
    parts: renderMessage(head, bodies, { locator: place, headings }),
    children: files
      .filter((file) => file.bytes.length > 0)
      .map((file) => ({ ...file, headings, ...(place !== null && { locator: place }) })),
    metadata: {
      ...metadataOf(header, attachments, [...encodings]),
      ...Object.fromEntries(details.map(([name, value]) => [name.toLowerCase(), value])),
    },
    warnings: [...new Set(warnings)],
  };
}

/** What Outlook packed into one file for programs of its own; `withText`: the message's text too. */
function unpacked(file: EmbeddedFile, withText: boolean): readonly EmbeddedFile[] {
  const { buffer, byteOffset, length } = file.bytes;
  const packed = readTnef(Buffer.from(buffer, byteOffset, length));
  if (packed === null || (packed.files.length === 0 && packed.rtf === null)) return [file];
  return withText && packed.rtf !== null
    ? [{ name: "Message.rtf", bytes: packed.rtf }, ...packed.files]
    : packed.files;
}

interface MessageHead {
  readonly subject: string | null;
  readonly messageId: string | null;
  readonly inReplyTo: string | null;
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly date: string | null;
  readonly dateText: string;
  /** What its text is written in, for names of files that don't say it. */
  readonly charset: string | null;
}

async function readHead(root: MimePart, charset: string | null): Promise<MessageHead> {
  const { decodeWords } = await import("postal-mime");
  const known = charset ?? root.params.get("charset") ?? null;
  const raw = (name: string): Promise<string> => fieldText(fieldValue(root.fields, name), known);
  const dateText = (await raw("date")).replaceAll(/\s+/g, " ").replace(/ \([^()]*\)$/, "");
  return {
    subject: titleFrom(decodeWords(await raw("subject"))),
    messageId: idFrom(await raw("message-id")),
    inReplyTo: idFrom(await raw("in-reply-to")),
    from: await readAddresses(await raw("from")),
    to: await readAddresses(await raw("to")),
    cc: await readAddresses(await raw("cc")),
    date: isoDate(dateText),
    dateText,
    charset: known,
  };
}

function idFrom(value: string): string | null {
  return titleFrom(/<([^<>]+)>/.exec(value)?.[1] ?? value);
}

/** ISO 8601 in UTC; null for what is no date. */
export function isoDate(text: string): string | null {
  const time = Date.parse(text);
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}

function metadataOf(
  { from, to, cc, subject, date, messageId, inReplyTo }: MessageHead,
  attachments: readonly string[],
  encodings: readonly string[],
): Record<string, unknown> {
  const lists = { from, to, cc, attachments };
  const filled = Object.entries(lists).filter(([, list]) => list.length > 0);
  const single = Object.entries({ subject, date, messageId, inReplyTo }).filter(
    ([, value]) => value !== null,
  );
  return { encoding: encodings[0] ?? "us-ascii", ...Object.fromEntries([...single, ...filled]) };
}

type ReadBody = (part: MimePart) => Promise<Body>;

/** Each body is decoded once, whether it is compared, shown or both. */
function cachedBodies(charset: string | null, encodings: Set<string>, warnings: string[]): ReadBody {
  const known = new Map<MimePart, Body>();
  return async (part) => {
    const cached = known.get(part);
    if (cached !== undefined) return cached;
    const decoded = await partText(part, charset);
    encodings.add(decoded.encoding);
    warnings.push(...decoded.warnings);
    const body: Body =
      part.type === "text/html"
        ? { text: htmlBody(decoded.text), markup: "markdown" }
        : { text: decoded.text, markup: "plain" };
    known.set(part, body);
    return body;
  };
}

function choosePlainUnlessPoor(read: ReadBody): Choose {
  return async ({ plain, html }) => {
    const texts = async (parts: readonly MimePart[]): Promise<string> => {
      const bodies: string[] = [];
      for (const part of parts) bodies.push((await read(part)).text);
      return bodies.join("\n");
    };
    return isPoorer(await texts(plain), await texts(html)) ? html : plain;
  };
}
