// Office documents and books: ZIP archives of XML.
import { strToU8, zipSync } from "fflate";
import { html, pages, prose, times } from "./prose.mjs";

const zip = (entries) =>
  Buffer.from(
    zipSync(
      Object.fromEntries(
        Object.entries(entries).map(([name, text]) => [
          name,
          typeof text === "string" ? strToU8(text) : text,
        ]),
      ),
    ),
  );

const word = {
  heading: (text) => `<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr>${run(text)}</w:p>`,
  paragraph: (text) => `<w:p>${run(text)}</w:p>`,
  list: (items) => items.map((item) => `<w:p>${run(item)}</w:p>`).join(""),
  table: (rows) =>
    `<w:tbl>${rows.map((row) => `<w:tr>${row.map((cell) => `<w:tc><w:p>${run(cell)}</w:p></w:tc>`).join("")}</w:tr>`).join("")}</w:tbl>`,
};
const open = {
  heading: (text) => `<text:h text:outline-level="1">${text}</text:h>`,
  paragraph: (text) => `<text:p>${text}</text:p>`,
  list: (items) =>
    `<text:list>${items.map((item) => `<text:list-item><text:p>${item}</text:p></text:list-item>`).join("")}</text:list>`,
  table: (rows) =>
    `<table:table>${rows.map((row) => `<table:table-row>${row.map((cell) => `<table:table-cell><text:p>${cell}</text:p></table:table-cell>`).join("")}</table:table-row>`).join("")}</table:table>`,
};
function run(text) {
  // As a word processor writes it: a run every few words.
  return text
    .split(/(?<=\. )/)
    .map((piece) => `<w:r><w:rPr><w:lang w:val="en"/></w:rPr><w:t xml:space="preserve">${piece}</w:t></w:r>`)
    .join("");
}

export const wordFile = (seed) =>
  zip({
    "[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
    "_rels/.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
    "word/document.xml": `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${pages(10, seed, word)}</w:body></w:document>`,
  });

export const openText = (seed) =>
  zip({
    mimetype: "application/vnd.oasis.opendocument.text",
    "content.xml": `<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"><office:body><office:text>${pages(10, seed, open)}</office:text></office:body></office:document-content>`,
  });

export function deck(seed) {
  const slides = 30;
  const { heading, sentence } = prose(seed);
  const shape = (kind, text) =>
    `<p:sp><p:nvSpPr><p:cNvPr id="2" name="s"/><p:cNvSpPr/><p:nvPr><p:ph type="${kind}"/></p:nvPr></p:nvSpPr><p:txBody>${text.map((line) => `<a:p><a:r><a:t>${line}</a:t></a:r></a:p>`).join("")}</p:txBody></p:sp>`;
  const namespaces = `xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`;
  const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const relations = (list) =>
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${list.map(([id, type, target]) => `<Relationship Id="${id}" Type="${office}/${type}" Target="${target}"/>`).join("")}</Relationships>`;
  const entries = {
    "[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/ppt/presentation.xml" ContentType="application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"/></Types>`,
    "_rels/.rels": relations([["r1", "officeDocument", "ppt/presentation.xml"]]),
    "ppt/presentation.xml": `<p:presentation ${namespaces}><p:sldIdLst>${times(slides, (at) => `<p:sldId id="${256 + at}" r:id="s${at}"/>`).join("")}</p:sldIdLst></p:presentation>`,
    "ppt/_rels/presentation.xml.rels": relations(
      times(slides, (at) => [`s${at}`, "slide", `slides/slide${at}.xml`]),
    ),
  };
  for (let at = 0; at < slides; at++) {
    entries[`ppt/slides/slide${at}.xml`] =
      `<p:sld ${namespaces}><p:cSld><p:spTree>${shape("title", [heading()])}${shape(
        "body",
        times(8, () => sentence(8)),
      )}</p:spTree></p:cSld></p:sld>`;
  }
  return zip(entries);
}

export function book(seed) {
  const chapters = 20;
  const entries = {
    mimetype: "application/epub+zip",
    "META-INF/container.xml": `<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="b.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`,
    "b.opf": `<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Book ${seed}</dc:title></metadata><manifest>${times(chapters, (at) => `<item id="c${at}" href="c${at}.xhtml" media-type="application/xhtml+xml"/>`).join("")}</manifest><spine>${times(chapters, (at) => `<itemref idref="c${at}"/>`).join("")}</spine></package>`,
  };
  for (let at = 0; at < chapters; at++)
    entries[`c${at}.xhtml`] =
      `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>c</title></head><body>${pages(3, seed * 50 + at, html)}</body></html>`;
  return zip(entries);
}
