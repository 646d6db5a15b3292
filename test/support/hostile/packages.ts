/** The parts of packages that hold a presentation or a book: names → texts. */
export type PackageParts = Record<string, string>;

const relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const deckNames = `xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:r="${relation}"`;

export const slideBox = (text: string): string =>
  `<p:sp><p:nvSpPr><p:cNvPr id="2" name="x"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:lstStyle/><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp>`;

/** A presentation of one slide; `shapes` stand on it, `prolog` in front of its root. */
export function deckParts(shapes = slideBox("Words on a slide"), prolog = ""): PackageParts {
  const links = (kind: string, target: string): string =>
    `<Relationships><Relationship Id="r1" Type="${relation}/${kind}" Target="${target}"/></Relationships>`;
  return {
    "[Content_Types].xml":
      '<Types><Override PartName="/ppt/presentation.xml" ContentType="application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"/></Types>',
    "_rels/.rels": links("officeDocument", "ppt/presentation.xml"),
    "ppt/presentation.xml": `<p:presentation ${deckNames}><p:sldIdLst><p:sldId id="256" r:id="r1"/></p:sldIdLst></p:presentation>`,
    "ppt/_rels/presentation.xml.rels": links("slide", "slides/slide1.xml"),
    "ppt/slides/slide1.xml": `${prolog}<p:sld ${deckNames}><p:cSld><p:spTree><p:nvGrpSpPr/><p:grpSpPr/>${shapes}</p:spTree></p:cSld></p:sld>`,
  };
}

export const drawnBox = (text: string): string =>
  `<draw:frame><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame>`;

/** An OpenDocument presentation of one page. */
export function slidesParts(inner = drawnBox("Words on a slide"), prolog = ""): PackageParts {
  return {
    mimetype: "application/vnd.oasis.opendocument.presentation",
    "content.xml": `${prolog}<office:document-content xmlns:office="o" xmlns:draw="d" xmlns:text="t" xmlns:presentation="p" xmlns:table="b"><office:automatic-styles/><office:body><office:presentation><draw:page draw:name="one">${inner}</draw:page></office:presentation></office:body></office:document-content>`,
  };
}

export interface BookContent {
  /** What stands in the body of its chapter, in front of the chapter's root, and in its list of contents. */
  readonly body?: string;
  readonly prolog?: string;
  readonly contents?: string;
  /** In front of the root of the package document. */
  readonly packageProlog?: string;
  readonly title?: string;
}

/** A book of one chapter with a table of contents. */
export function bookParts({
  body = "<h1>Chapter</h1><p>Words of a chapter.</p>",
  prolog = "",
  contents = '<li><a href="c1.xhtml">Chapter</a></li>',
  packageProlog = "",
  title = "A book",
}: BookContent = {}): PackageParts {
  const page = (inner: string): string =>
    `<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title>Book</title></head><body>${inner}</body></html>`;
  return {
    mimetype: "application/epub+zip",
    "META-INF/container.xml":
      '<container><rootfiles><rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
    "OEBPS/book.opf": `${packageProlog}<package><metadata><dc:title>${title}</dc:title></metadata><manifest><item id="c1" href="c1.xhtml" media-type="application/xhtml+xml"/><item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/></manifest><spine><itemref idref="c1"/></spine></package>`,
    "OEBPS/nav.xhtml": page(`<nav epub:type="toc"><ol>${contents}</ol></nav>`),
    "OEBPS/c1.xhtml": prolog + page(body),
  };
}
