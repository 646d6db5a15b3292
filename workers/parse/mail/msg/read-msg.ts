import type { FieldsData } from "@kenjiuno/msgreader";
import { type EmbeddedFile, type ParsedFile, type ReadInput, ReadProblem } from "../../reader.ts";
import { titleFrom } from "../../title.ts";
import { listAddresses } from "../addresses.ts";
import { htmlBody } from "../html-body.ts";
import { isoDate } from "../message.ts";
import { isPoorer } from "../poorer.ts";
import { textOfBytes } from "../part-text.ts";
import { type Body, renderMessage } from "../render.ts";
import { checkContainer } from "./check-container.ts";
import { codePageName } from "./code-page.ts";
import { openMessage, type OpenMessage } from "./open-message.ts";
import { decompressRtf } from "./compressed-rtf.ts";
import { detailsOf } from "./details.ts";

const RTF_NAME = "Message.rtf";

export async function readMsg(input: ReadInput): Promise<ParsedFile> {
  checkContainer(input.bytes);
  const message = await openMessage(input.bytes);
  const { fields } = message;
  const subject = titleFrom(fields.subject ?? fields.normalizedSubject);
  const messageId = titleFrom(fields.messageId?.replaceAll(/[<>]/g, ""));
  const people = peopleOf(fields);
  const time = fields.clientSubmitTime ?? fields.messageDeliveryTime ?? fields.creationTime ?? "";
  const files = filesOf(message);
  const bodies = await bodiesOf(fields);
  const rtf =
    bodies.length === 0 && fields.compressedRtf !== undefined ? decompressRtf(fields.compressedRtf) : null;
  const children = rtf === null ? files : [{ name: RTF_NAME, bytes: rtf }, ...files];
  const details = detailsOf(fields);
  const head = [
    ["Subject", subject ?? ""],
    ["From", people.from],
    ["To", listAddresses(people.to)],
    ["Cc", listAddresses(people.cc)],
    ["Date", /^IPM\.Contact/i.test(fields.messageClass ?? "") ? "" : time],
    ...details,
    ["Attachments", files.map((file) => file.name).join(", ")],
  ] as const;
  const locator = messageId === null ? null : { messageId };
  const parts = renderMessage(head, bodies, { locator, headings: [] });
  if (parts.length === 0 && children.length === 0)
    throw new ReadProblem("no_text", "The message has neither a head nor a text.");
  const date = isoDate(time);
  return {
    title: subject,
    parts,
    children,
    metadata: {
      kind: fields.messageClass ?? "IPM.Note",
      ...Object.fromEntries(
        Object.entries({ subject, date, messageId }).filter(([, value]) => value !== null),
      ),
      ...(people.from === "" ? {} : { from: [people.from] }),
      ...Object.fromEntries(
        Object.entries({ to: people.to, cc: people.cc }).filter(([, list]) => list.length > 0),
      ),
      ...Object.fromEntries(details.map(([name, value]) => [name.toLowerCase(), value])),
      ...(files.length === 0 ? {} : { attachments: files.map((file) => file.name) }),
    },
    warnings: message.warnings,
  };
}

function peopleOf(fields: FieldsData): { from: string; to: string[]; cc: string[] } {
  const mails = [
    fields.senderSmtpAddress,
    fields.sentRepresentingSmtpAddress,
    fields.creatorSMTPAddress,
    fields.senderEmail,
  ];
  const recipients = (type: string): string[] =>
    (fields.recipients ?? [])
      .filter((one) => one.recipType === type)
      .map((one) => person(one.name, [one.smtpAddress, one.email]))
      .filter((one) => one !== "");
  return { from: person(fields.senderName, mails), to: recipients("to"), cc: recipients("cc") };
}

/** Inside an organisation people have addresses without an @, which say nothing to people. */
function person(name: string | undefined, mails: readonly (string | undefined)[]): string {
  const mail = mails.find((one) => one?.includes("@") === true)?.trim() ?? "";
  const called = (name ?? "").trim();
  if (called === "" || called.toLowerCase() === mail.toLowerCase()) return mail;
  return mail === "" ? called : `${called} <${mail}>`;
}

async function bodiesOf(fields: FieldsData): Promise<Body[]> {
  const plain = fields.body ?? "";
  const label = codePageName(fields.internetCodepage);
  const html =
    fields.bodyHtml ??
    (fields.html === undefined ? "" : (await textOfBytes(Buffer.from(fields.html), label)).text);
  const markdown = html === "" ? "" : htmlBody(html);
  const body: Body =
    markdown !== "" && isPoorer(plain, markdown)
      ? { text: markdown, markup: "markdown" }
      : { text: plain.replaceAll(/\r\n?/g, "\n"), markup: "plain" };
  return body.text.trim() === "" ? [] : [body];
}

/** Pictures that stand in the text are left out. */
function filesOf(message: OpenMessage): EmbeddedFile[] {
  const files: EmbeddedFile[] = [];
  for (const [index, attachment] of (message.fields.attachments ?? []).entries()) {
    const name = titleFrom(
      (attachment.fileName ?? attachment.fileNameShort ?? attachment.name ?? "").replaceAll(/[/\\]/g, "_"),
    );
    const type = attachment.attachMimeTag ?? "";
    const picture = type.startsWith("image/") || /\.(?:png|gif|jpe?g|bmp|emz|wmz)$/i.test(name ?? "");
    if (attachment.attachmentHidden === true || (picture && attachment.pidContentId !== undefined)) continue;
    const inner = attachment.innerMsgContent === true;
    const called =
      name ?? (inner ? "Attached message" : `Attachment ${index + 1}${attachment.extension ?? ""}`);
    const bytes = message.attachment(attachment, called);
    if (bytes === null || bytes.length === 0) continue;
    const signed =
      /\.p7m$/i.test(called) &&
      /^(?:MIME-Version|Content-Type):/i.test(Buffer.from(bytes.subarray(0, 20)).toString("latin1"));
    const ending = inner && !/\.msg$/i.test(called) ? ".msg" : signed ? ".eml" : "";
    files.push({ name: `${called}${ending}`, bytes });
  }
  return files;
}
