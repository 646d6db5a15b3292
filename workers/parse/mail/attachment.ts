import type { EmbeddedFile } from "../reader.ts";
import { titleFrom } from "../title.ts";
import { fieldText, fieldValue, readHeader } from "./header-fields.ts";
import type { MimePart } from "./mime.ts";
import { decodeBody } from "./transfer.ts";

/** Names for parts that have none, by their types. */
const names: Readonly<Record<string, string>> = {
  "message/delivery-status": "Delivery status.txt",
  "message/disposition-notification": "Receipt.txt",
  "message/feedback-report": "Feedback report.txt",
  "text/rfc822-headers": "Head of the returned message.txt",
  "text/calendar": "Invitation.ics",
  "text/vcard": "Card.vcf",
  "text/html": "Attached page.html",
  "text/plain": "Attached text.txt",
};
const messageTypes: ReadonlySet<string> = new Set(["message/rfc822", "message/global"]);

/** The file that a part carries. `charset`: of names that don't say theirs. */
export async function attachedFile(
  part: MimePart,
  index: number,
  charset: string | null,
): Promise<EmbeddedFile> {
  const bytes = decodeBody(part);
  const own = await plainName(part.fileName ?? "", charset);
  if (messageTypes.has(part.type)) {
    const subject = await plainName(
      fieldValue(readHeader(bytes, 0, bytes.length).fields, "subject"),
      charset,
    );
    const name = own ?? subject ?? "Attached message";
    return { name: /\.eml$/i.test(name) ? name : `${name}.eml`, bytes };
  }
  const named = Object.hasOwn(names, part.type) ? names[part.type] : undefined;
  return { name: own ?? named ?? `Attachment ${index + 1}${extensionOf(part.type)}`, bytes };
}

/** Decoded and without what would make it a path. */
async function plainName(raw: string, charset: string | null): Promise<string | null> {
  const { decodeWords } = await import("postal-mime");
  const name = decodeWords(await fieldText(raw, charset));
  return titleFrom(name.replaceAll(/[/\\]/g, "_"));
}

function extensionOf(type: string): string {
  const subtype = /^[a-z]+\/(?:x-)?([a-z\d]{2,5})$/.exec(type)?.[1];
  return subtype === undefined ? "" : `.${subtype}`;
}
