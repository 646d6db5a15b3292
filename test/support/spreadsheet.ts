import { strToU8, zipSync } from "fflate";

const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

export interface SheetInput {
  readonly name: string;
  /** What stands between <worksheet> and its end. */
  readonly xml: string;
  readonly state?: string;
  /** Type (last segment), target, and whether it is outside of the file. */
  readonly relations?: readonly (readonly [kind: string, target: string, outside?: boolean])[];
}

export interface BookInput {
  readonly sheets: readonly SheetInput[];
  /** Shared strings: what stands in each <si>. */
  readonly strings?: readonly string[];
  /** What stands in <styleSheet>. */
  readonly styles?: string;
  readonly title?: string;
  readonly date1904?: boolean;
  readonly more?: Readonly<Record<string, string>>;
}

/** A row of inline texts and numbers. */
export function rowOf(number: number, cells: readonly (string | number)[]): string {
  const xml = cells.map((cell) =>
    typeof cell === "number" ? `<c><v>${cell}</v></c>` : `<c t="inlineStr"><is><t>${cell}</t></is></c>`,
  );
  return `<row r="${number}">${xml.join("")}</row>`;
}

export function sheetData(rows: readonly (readonly (string | number)[])[]): string {
  return `<sheetData>${rows.map((row, at) => rowOf(at + 1, row)).join("")}</sheetData>`;
}

function relationsPart(list: readonly (readonly [string, string, boolean?])[]): string {
  const items = list.map(
    ([kind, target, outside], at) =>
      `<Relationship Id="rId${at + 1}" Type="${relations}/${kind}" Target="${target}"${outside === true ? ' TargetMode="External"' : ""}/>`,
  );
  return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${items.join("")}</Relationships>`;
}

/** A workbook of Excel's as its XML parts. */
export function xlsxParts(book: BookInput): Record<string, string> {
  const parts: Record<string, string> = {
    "[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>`,
    "_rels/.rels": relationsPart([
      ["officeDocument", "xl/workbook.xml"],
      ["metadata/core-properties", "docProps/core.xml"],
    ]),
    "docProps/core.xml": `<cp:coreProperties xmlns:cp="c" xmlns:dc="d"><dc:title>${book.title ?? ""}</dc:title><dc:creator>Ann</dc:creator></cp:coreProperties>`,
    "xl/workbook.xml": `<workbook xmlns="${main}" xmlns:r="${relations}"><workbookPr${book.date1904 === true ? ' date1904="1"' : ""}/><sheets>${book.sheets
      .map(
        ({ name, state }, at) =>
          `<sheet name="${name}" sheetId="${at + 1}" r:id="rId${at + 1}"${state === undefined ? "" : ` state="${state}"`}/>`,
      )
      .join("")}</sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": relationsPart([
      ...book.sheets.map((_, at) => ["worksheet", `worksheets/sheet${at + 1}.xml`] as const),
      ["sharedStrings", "sharedStrings.xml"],
      ["styles", "styles.xml"],
      ["person", "persons/person.xml"],
    ]),
    "xl/sharedStrings.xml": `<sst xmlns="${main}">${(book.strings ?? []).map((item) => `<si>${item}</si>`).join("")}</sst>`,
    "xl/styles.xml": `<styleSheet xmlns="${main}">${book.styles ?? ""}</styleSheet>`,
    ...book.more,
  };
  for (const [at, { xml, relations: list }] of book.sheets.entries()) {
    parts[`xl/worksheets/sheet${at + 1}.xml`] =
      `<worksheet xmlns="${main}" xmlns:r="${relations}">${xml}</worksheet>`;
    if (list !== undefined) parts[`xl/worksheets/_rels/sheet${at + 1}.xml.rels`] = relationsPart(list);
  }
  return parts;
}

export function zipOf(parts: Readonly<Record<string, string>>): Uint8Array {
  return zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)])));
}

export function xlsxOf(book: BookInput): Uint8Array {
  return zipOf(xlsxParts(book));
}

/** An OpenDocument spreadsheet. `body` stands in <office:spreadsheet>, `styles` in the automatic styles. */
export function odsOf(body: string, styles = "", more: Readonly<Record<string, string>> = {}): Uint8Array {
  return zipOf({
    mimetype: "application/vnd.oasis.opendocument.spreadsheet",
    "content.xml": odsContent(body, styles),
    ...more,
  });
}

export function odsContent(body: string, styles = ""): string {
  return `<?xml version="1.0"?><office:document-content xmlns:office="o" xmlns:table="t" xmlns:text="x" xmlns:style="s" xmlns:draw="d" xmlns:svg="v" xmlns:xlink="l" xmlns:dc="c"><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:spreadsheet>${body}</office:spreadsheet></office:body></office:document-content>`;
}
