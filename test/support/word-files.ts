import { strToU8, zipSync, type Zippable } from "fflate";

const contentTypes =
  `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
  `<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
  `<Default Extension="xml" ContentType="application/xml"/>` +
  `<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`;
const relationType = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const wordNames =
  `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" ` +
  `xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" ` +
  `xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"`;

export interface DocxContent {
  readonly body: string;
  /** What stands in front of the root of the body. */
  readonly prolog?: string;
  /** Further parts by their names in word/: the XML inside of the root, whose name is the file's without its number. */
  readonly parts?: Readonly<Record<string, string>>;
  /** Entries as they are. */
  readonly entries?: Zippable;
}

const roots: Readonly<Record<string, string>> = { header: "hdr", footer: "ftr" };

/** A Word document of these parts, related as Word does it. */
export function docx({ body, prolog = "", parts = {}, entries = {} }: DocxContent): Uint8Array {
  const files: Zippable = {
    "[Content_Types].xml": strToU8(contentTypes),
    "_rels/.rels": relations([["officeDocument", "word/document.xml"]]),
    "word/document.xml": strToU8(`${prolog}<w:document ${wordNames}><w:body>${body}</w:body></w:document>`),
  };
  const related: [type: string, target: string][] = [];
  for (const [name, xml] of Object.entries(parts)) {
    const type = name.replace(/\d*\.\w+$/, "");
    const root = roots[type] ?? type;
    files[`word/${name}`] = strToU8(`<w:${root} ${wordNames}>${xml}</w:${root}>`);
    related.push([type, name]);
  }
  files["word/_rels/document.xml.rels"] = relations(related);
  return zipSync({ ...files, ...entries });
}

function relations(related: readonly (readonly [type: string, target: string])[]): Uint8Array {
  const list = related.map(
    ([type, target], index) =>
      `<Relationship Id="r${index}" Type="${relationType}/${type}" Target="${target}"/>`,
  );
  return strToU8(
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${list.join("")}</Relationships>`,
  );
}

/** A paragraph of one run; `properties` stand in its pPr. */
export function paragraph(text: string, properties = ""): string {
  return `<w:p><w:pPr>${properties}</w:pPr><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;
}

const odfNames =
  `xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" ` +
  `xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" ` +
  `xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" ` +
  `xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/"`;

/** An OpenDocument text; `styles` stand in front of the body, `entries` are as they are. */
export function odt(body: string, styles = "", entries: Zippable = {}): Uint8Array {
  return zipSync({
    mimetype: [strToU8("application/vnd.oasis.opendocument.text"), { level: 0 }],
    "content.xml": strToU8(
      `<office:document-content ${odfNames}><office:automatic-styles>${styles}</office:automatic-styles>` +
        `<office:body><office:text>${body}</office:text></office:body></office:document-content>`,
    ),
    ...entries,
  });
}

/** The styles.xml of an OpenDocument text whose one kind of page has these contents. */
export function odtPages(contents: string): Uint8Array {
  return strToU8(
    `<office:document-styles ${odfNames}><office:master-styles><style:master-page style:name="Standard">${contents}` +
      `</style:master-page></office:master-styles></office:document-styles>`,
  );
}
