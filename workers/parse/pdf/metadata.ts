import type { PDFDocumentProxy } from "pdfjs-dist";
import { titleFrom } from "../title.ts";

export interface DocumentFacts {
  readonly title: string | null;
  readonly metadata: Record<string, unknown>;
  /** A form whose pages are made by a program that only few have; its own page is a stand-in. */
  readonly standIn: boolean;
}

/** Titles that programs write when their user gave none. */
const poorTitle =
  /^(?:untitled|(?:no )?title|document\d*|microsoft (?:word|powerpoint|excel)\b.*|.*\.(?:docx?|pptx?|xlsx?|dvi|indd|tex|pdf|qxd))$/i;

/** What the document says of itself. */
export async function readFacts(document: PDFDocumentProxy): Promise<DocumentFacts> {
  const metadata: Record<string, unknown> = { pages: document.numPages };
  const { info, xmp } = await readInfo(document);
  const put = (key: string, value: string | null): void => {
    if (value !== null) metadata[key] = value;
  };
  put("author", titleFrom(info["Author"]) ?? titleFrom(joined(xmp("dc:creator"))));
  put("subject", titleFrom(info["Subject"]));
  put("keywords", titleFrom(info["Keywords"]));
  put("language", titleFrom(info["Language"]));
  put("date", dateOf(info["CreationDate"]));
  put("modified", dateOf(info["ModDate"]));
  const labels = await pageLabels(document);
  if (labels !== null) metadata["pageLabels"] = labels;
  const titles = [titleFrom(info["Title"]), titleFrom(joined(xmp("dc:title")))];
  return {
    title: titles.find((title) => title !== null && !poorTitle.test(title)) ?? null,
    metadata,
    standIn: info["IsXFAPresent"] === true && info["IsAcroFormPresent"] !== true,
  };
}

async function readInfo(
  document: PDFDocumentProxy,
): Promise<{ info: Record<string, unknown>; xmp: (name: string) => unknown }> {
  try {
    const { info, metadata } = await document.getMetadata();
    const xmp = metadata as { get(name: string): unknown } | null;
    return { info: info as Record<string, unknown>, xmp: (name) => xmp?.get(name) };
  } catch {
    // A damaged info dictionary costs the title, not the document.
    return { info: {}, xmp: () => null };
  }
}

function joined(value: unknown): unknown {
  return Array.isArray(value) ? value.join(", ") : value;
}

/** D:20240131120000+01'00' → 2024-01-31T12:00:00+01:00; null for what is no such date. */
export function dateOf(value: unknown): string | null {
  if (typeof value !== "string") return null;
  const parts = /^(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(Z|[+-]\d\d)?'?(\d\d)?/.exec(value);
  if (parts === null) return null;
  const [, year, month = "01", day = "01", hour = "00", minute = "00", second = "00", zone = "Z", rest] =
    parts;
  const offset = zone === "Z" ? "Z" : `${zone}:${rest ?? "00"}`;
  const date = `${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`;
  return Number.isNaN(Date.parse(date)) ? null : date;
}

/** The pages' own names ("iv"), where they are not just their numbers. */
async function pageLabels(document: PDFDocumentProxy): Promise<string[] | null> {
  try {
    const labels = await document.getPageLabels();
    if (labels === null || labels.every((label, index) => label === String(index + 1))) return null;
    return labels.map((label) => titleFrom(label.slice(0, 40)) ?? "");
  } catch {
    // They are a help, no more.
    return null;
  }
}
