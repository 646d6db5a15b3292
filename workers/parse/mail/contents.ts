import { type MimePart, parseMime } from "./mime.ts";
import { signedContent } from "./signed-content.ts";
import { decodeBody } from "./transfer.ts";

/** What a message shows, in its order. */
export interface Contents {
  /** Bodies: text/plain and text/html. */
  readonly texts: readonly MimePart[];
  readonly attachments: readonly MimePart[];
  /** The calendar of an invitation, which stands beside its text. */
  readonly invitation: MimePart | null;
  /** How it is encrypted; null when it is not. */
  readonly encryption: string | null;
}

/** The same content twice or more: `plain` and `html` are two forms of it. */
export interface Alternative {
  readonly plain: readonly MimePart[];
  readonly html: readonly MimePart[];
}

/** Chooses the form that is read. */
export type Choose = (alternative: Alternative) => Promise<readonly MimePart[]>;

const signatures: ReadonlySet<string> = new Set([
  "application/pkcs7-signature",
  "application/x-pkcs7-signature",
  "application/pgp-signature",
  "application/pgp-keys",
]);
/** Forms of the text that say nothing new. */
const otherForms: ReadonlySet<string> = new Set(["text/x-amp-html", "text/watch-html", "text/enriched"]);
const none: Contents = { texts: [], attachments: [], invitation: null, encryption: null };

/** Signatures around signatures that are opened. */
const MAX_SIGNED = 4;
const sealed = /^application\/(?:x-)?pkcs7-mime$/;

/**
 * Walks the tree, which is of bounded depth. Pictures that belong into the text are left out. `signed`: signatures that were
 * opened around it.
 */
export async function contentsOf(part: MimePart, choose: Choose, signed = 0): Promise<Contents> {
  if (part.type === "multipart/encrypted") return { ...none, encryption: "PGP" };
  if (part.type === "multipart/alternative") return alternativeContents(part, choose, signed);
  if (sealed.test(part.type)) return sealedContents(part, choose, signed);
  if (part.children.length === 0) return leafContents(part);
  const related = part.type === "multipart/related";
  const texts: MimePart[] = [];
  const attachments: MimePart[] = [];
  let { invitation, encryption } = none;
  for (const [index, child] of part.children.entries()) {
    if (related && index > 0 && isShownInText(child)) continue;
    const inner = await contentsOf(child, choose, signed);
    texts.push(...inner.texts);
    attachments.push(...inner.attachments);
    invitation ??= inner.invitation;
    encryption ??= inner.encryption;
  }
  return { texts, attachments, invitation, encryption };
}

/** A message inside of its signature is read as if it stood there; what is encrypted can't be. */
async function sealedContents(part: MimePart, choose: Choose, signed: number): Promise<Contents> {
  const inner = signed < MAX_SIGNED ? signedContent(decodeBody(part)) : null;
  if (inner !== null) return contentsOf(parseMime(inner).root, choose, signed + 1);
  if (part.params.get("smime-type") === "signed-data") return { ...none, attachments: [part] };
  return { ...none, encryption: "S/MIME" };
}

async function alternativeContents(part: MimePart, choose: Choose, signed: number): Promise<Contents> {
  const forms: Contents[] = [];
  for (const child of part.children) forms.push(await contentsOf(child, choose, signed));
  const withType = (type: string): readonly MimePart[] =>
    forms.map((form) => form.texts).findLast((texts) => texts.some((text) => text.type === type)) ?? [];
  const html = withType("text/html");
  const plain = forms.map((form) => form.texts).find((texts) => texts[0]?.type === "text/plain") ?? [];
  const texts =
    html.length > 0 && plain.length > 0 ? await choose({ plain, html }) : html.length > 0 ? html : plain;
  const all = forms.flatMap((form) => form.attachments);
  const calendar = texts.length === 0 ? undefined : all.find((one) => one.type === "text/calendar");
  const attachments = all.filter((one) => !otherForms.has(one.type) && one.type !== "text/calendar");
  return {
    texts,
    attachments: texts.length === 0 ? all : attachments,
    invitation: calendar ?? forms.find((form) => form.invitation !== null)?.invitation ?? null,
    encryption: forms.find((form) => form.encryption !== null)?.encryption ?? null,
  };
}

function leafContents(part: MimePart): Contents {
  if (signatures.has(part.type)) return none;
  const isText = part.type === "text/plain" || part.type === "text/html" || part.type === "";
  if (isText && part.disposition !== "attachment" && part.fileName === null)
    return { ...none, texts: [part] };
  if (isShownInText(part) && part.disposition !== "attachment" && isReferenced(part)) return none;
  return { ...none, attachments: [part] };
}

/** What a page needs to look right. */
function isShownInText(part: MimePart): boolean {
  return /^(?:image|font)\//.test(part.type) || part.type === "text/css" || /javascript/.test(part.type);
}

/** Text can point at it, or it says itself that it stands in the text. */
function isReferenced(part: MimePart): boolean {
  return part.disposition === "inline" || part.fields.some((field) => field.name === "content-id");
}
