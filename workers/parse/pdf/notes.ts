import type { PDFPageProxy } from "pdfjs-dist";
import { cleanText } from "../clean-text.ts";
import type { EmbeddedFile } from "../reader.ts";

/** What stands on a page beside its own text. */
export interface PageNotes {
  /** A line each: a comment, or a field of a form with what was filled in. */
  readonly lines: readonly string[];
  readonly files: readonly EmbeddedFile[];
}

/** What the library says of an annotation; which of it is there depends on its kind. */
interface Annotation {
  readonly subtype?: string;
  readonly hidden?: boolean;
  readonly contentsObj?: { readonly str?: string };
  readonly titleObj?: { readonly str?: string };
  readonly fieldType?: string;
  readonly fieldName?: string;
  readonly alternativeText?: string;
  readonly fieldValue?: unknown;
  readonly password?: boolean;
  readonly checkBox?: boolean;
  readonly radioButton?: boolean;
  readonly exportValue?: string;
  readonly buttonValue?: string;
  readonly file?: { readonly filename?: string; readonly content?: Uint8Array | null };
}

const MAX_NOTES = 2000;
const MAX_LENGTH = 20_000;

/** Comments, filled-in fields and attached files of a page. */
export async function readNotes(page: PDFPageProxy): Promise<PageNotes> {
  const annotations = (await page.getAnnotations()) as Annotation[];
  const lines = new Set<string>();
  const files: EmbeddedFile[] = [];
  for (const annotation of annotations.slice(0, MAX_NOTES)) {
    const line = annotation.subtype === "Widget" ? fieldLine(annotation) : commentLine(annotation);
    if (line !== null) lines.add(line);
    const content = annotation.file?.content;
    if (content instanceof Uint8Array)
      files.push({ name: annotation.file?.filename || "attachment", bytes: content });
  }
  return { lines: [...lines], files };
}

function commentLine({ subtype, contentsObj, titleObj, hidden }: Annotation): string | null {
  if (hidden === true || subtype === "Popup" || subtype === "Link") return null;
  const text = plain(contentsObj?.str);
  if (text === "") return null;
  if (subtype === "FreeText") return text;
  const author = plain(titleObj?.str);
  return author === "" ? `Comment: ${text}` : `Comment (${author}): ${text}`;
}

function fieldLine(field: Annotation): string | null {
  const { fieldType, fieldValue, alternativeText, fieldName, password } = field;
  if (password === true || fieldType === "Sig") return null;
  const label = plain(alternativeText) || plain(fieldName);
  if (fieldType === "Btn") return buttonLine(field, label);
  const values = (Array.isArray(fieldValue) ? fieldValue : [fieldValue]) as unknown[];
  const value = values
    .map((one) => plain(typeof one === "string" ? one : ""))
    .filter((one) => one !== "")
    .join(", ");
  if (value === "") return null;
  return label === "" ? value : `${label}: ${value}`;
}

function buttonLine(
  { checkBox, radioButton, fieldValue, exportValue, buttonValue }: Annotation,
  label: string,
): string | null {
  if (label === "" || typeof fieldValue !== "string" || fieldValue === "" || fieldValue === "Off")
    return null;
  if (checkBox === true && fieldValue === exportValue) return `${label}: yes`;
  return radioButton === true && fieldValue === buttonValue ? `${label}: ${plain(fieldValue)}` : null;
}

function plain(text: string | undefined): string {
  return cleanText((text ?? "").slice(0, MAX_LENGTH))
    .replaceAll(/\n{2,}/g, "\n")
    .trim();
}
