import type { Probe } from "../reader.ts";
import { fieldValue, type HeaderField, parseStructured, readHeader } from "./header-fields.ts";
import { isEnvelope } from "./envelope.ts";

/** What a file of mail is. */
export type MailKind = "message" | "mailbox" | "archive";

/** Bytes that are looked at; the header of a message that went a long way has some kilobytes. */
const REACH = 64 * 1024;
const messageExtensions: ReadonlySet<string> = new Set(["eml", "emlx"]);
const archiveExtensions: ReadonlySet<string> = new Set(["mht", "mhtml"]);
/** Fields that only mail has, and those that mail nearly always has. */
const ownFields: ReadonlySet<string> = new Set(
  "message-id received return-path delivered-to mime-version x-mailer x-original-to dkim-signature".split(
    " ",
  ),
);
const usualFields: ReadonlySet<string> = new Set([
  "from",
  "to",
  "cc",
  "subject",
  "date",
  "sender",
  "reply-to",
  "content-type",
]);
const wayFields: readonly string[] = [
  "to",
  "cc",
  "bcc",
  "received",
  "return-path",
  "delivered-to",
  "in-reply-to",
];

/** Told by how the file begins; its name decides only where that is not clear. Null for what is no mail. */
export function mailKind(probe: Probe): MailKind | null {
  const head = headBytes(probe);
  const start = messageStart(head, probe.extension);
  if (!/^[!-9;-~]{1,100}[ \t:]/.test(head.toString("latin1", start, start + 120))) return null;
  const { fields } = readHeader(head, start, head.length);
  if (isEnvelope(firstLine(head)) && !messageExtensions.has(probe.extension)) return "mailbox";
  if (probe.extension === "mbox" && firstLine(head).startsWith("From ")) return "mailbox";
  if (isArchive(fields, probe.extension)) return "archive";
  const own = fields.some((field) => ownFields.has(field.name));
  const usual = new Set(fields.map((field) => field.name).filter((name) => usualFields.has(name))).size;
  if (messageExtensions.has(probe.extension)) return own || usual > 0 ? "message" : null;
  return own && usual >= 2 && (fieldValue(fields, "from") !== "" || fieldValue(fields, "received") !== "")
    ? "message"
    : null;
}

/** Saved pages are messages that were never sent. */
function isArchive(fields: readonly HeaderField[], extension: string): boolean {
  const type = parseStructured(fieldValue(fields, "content-type")).value;
  if (archiveExtensions.has(extension)) return type !== "";
  if (type !== "multipart/related" || fieldValue(fields, "mime-version") === "") return false;
  return !fields.some((field) => wayFields.includes(field.name));
}

/** Where the header begins: behind blank lines, and behind the message's length, which Apple Mail puts in front. */
export function messageStart(bytes: Buffer, extension: string): number {
  const reach = bytes.toString("latin1", 0, 100);
  const before = extension === "emlx" ? /^\s*\d{1,12}\s*\n/ : /^[\r\n]+/;
  return before.exec(reach)?.[0].length ?? 0;
}

/** The beginning as bytes of one width. */
function headBytes(probe: Probe): Buffer {
  if (
    probe.text?.encoding.startsWith("utf-16") === true ||
    probe.text?.encoding.startsWith("utf-32") === true
  )
    return Buffer.from(probe.text.text.slice(0, REACH), "utf8");
  const { bytes } = probe;
  const mark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  return Buffer.from(bytes.buffer, bytes.byteOffset + mark, Math.min(REACH, bytes.length - mark));
}

function firstLine(head: Buffer): string {
  const end = head.indexOf(10);
  return head.toString("latin1", 0, end === -1 ? Math.min(head.length, 1000) : end);
}
