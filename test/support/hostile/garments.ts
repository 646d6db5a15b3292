import { unzipSync } from "fflate";
import { odsOf, xlsxOf, zipOf } from "../spreadsheet.ts";
import { docx, odt, paragraph } from "../word-files.ts";
import { bookParts, deckParts, drawnBox, slideBox, slidesParts } from "./packages.ts";

/** A format that is a ZIP archive, with the one entry of it that may grow. */
export interface Garment {
  readonly entry: string;
  /** Its other entries. */
  readonly others: Readonly<Record<string, Uint8Array>>;
  /** What stands in front of what grows in that entry, and behind it. */
  readonly head: string;
  readonly tail: string;
  /** A piece of it with some text. */
  readonly piece: (text: string) => string;
}

const mark = "PLACE";

function garment(entry: string, whole: Uint8Array, piece: Garment["piece"]): Garment {
  const { [entry]: growing, ...others } = unzipSync(whole);
  const [head = "", tail = ""] = Buffer.from(growing ?? [])
    .toString("utf8")
    .split(mark);
  return { entry, others, head, tail, piece };
}

const sheetRow = (text: string): string => `<row><c t="inlineStr"><is><t>${text}</t></is></c></row>`;
const openRow = (text: string): string =>
  `<table:table-row><table:table-cell><text:p>${text}</text:p></table:table-cell></table:table-row>`;

/** By extension. */
export const garments: Readonly<Record<string, Garment>> = {
  docx: garment("word/document.xml", docx({ body: mark }), (text) => paragraph(text)),
  xlsx: garment(
    "xl/worksheets/sheet1.xml",
    xlsxOf({ sheets: [{ name: "S", xml: `<sheetData>${mark}</sheetData>` }] }),
    sheetRow,
  ),
  pptx: garment("ppt/slides/slide1.xml", zipOf(deckParts(mark)), slideBox),
  odt: garment("content.xml", odt(mark), (text) => `<text:p>${text}</text:p>`),
  odp: garment("content.xml", zipOf(slidesParts(mark)), drawnBox),
  ods: garment("content.xml", odsOf(`<table:table table:name="S">${mark}</table:table>`), openRow),
  epub: garment("OEBPS/c1.xhtml", zipOf(bookParts({ body: mark })), (text) => `<p>${text}</p>`),
};
