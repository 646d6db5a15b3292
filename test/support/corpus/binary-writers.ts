import { burn } from "@kenjiuno/msgreader/lib/Burner.js";
import { TypeEnum } from "@kenjiuno/msgreader/lib/Reader.js";
import { utils, write, type BookType } from "@e965/xlsx";
import { strToU8, zipSync } from "fflate";
import { tinyPdf } from "../tiny-pdf.ts";
import { docx as docxOf, odt as odtOf, paragraph } from "../word-files.ts";
import { type Block, chaptersOf, linesOf, rowsOf, type Story } from "./story.ts";
import { escaped, htmlBlock } from "./text-writers.ts";

const packed = (files: Readonly<Record<string, string>>): Uint8Array =>
  zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])));
const textsOf = (blocks: readonly Block[]): string[] => linesOf({ blocks, marks: [] }).map(escaped);

export function docx(story: Story): Uint8Array {
  const cell = (text: string): string => `<w:tc>${paragraph(escaped(text))}</w:tc>`;
  const body = story.blocks.map((block) => {
    if (block.kind === "heading")
      return paragraph(escaped(block.text), `<w:pStyle w:val="Heading${block.level}"/>`);
    if (block.kind !== "table")
      return textsOf([block])
        .map((text) => paragraph(text))
        .join("");
    return `<w:tbl>${block.rows.map((cells) => `<w:tr>${cells.map(cell).join("")}</w:tr>`).join("")}</w:tbl>`;
  });
  return docxOf({ body: body.join("") });
}

export function odt(story: Story): Uint8Array {
  const p = (text: string): string => `<text:p>${text}</text:p>`;
  const cell = (text: string): string => `<table:table-cell>${p(escaped(text))}</table:table-cell>`;
  const body = story.blocks.map((block) => {
    if (block.kind === "heading")
      return `<text:h text:outline-level="${block.level}">${escaped(block.text)}</text:h>`;
    if (block.kind === "list")
      return `<text:list>${textsOf([block])
        .map((text) => `<text:list-item>${p(text)}</text:list-item>`)
        .join("")}</text:list>`;
    if (block.kind !== "table") return textsOf([block]).map(p).join("");
    return `<table:table>${block.rows.map((cells) => `<table:table-row>${cells.map(cell).join("")}</table:table-row>`).join("")}</table:table>`;
  });
  return odtOf(body.join(""));
}

export function pptx(story: Story): Uint8Array {
  const types = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const names = `xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:r="${types}"`;
  const shape = (texts: readonly string[], placeholder: string): string =>
    `<p:sp><p:nvSpPr><p:cNvPr id="2" name="x"/><p:cNvSpPr/><p:nvPr>${placeholder}</p:nvPr></p:nvSpPr><p:spPr/><p:txBody>${texts.map((text) => `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>`).join("")}</p:txBody></p:sp>`;
  const links = (targets: readonly (readonly [string, string])[]): string =>
    `<Relationships>${targets.map(([kind, target], at) => `<Relationship Id="r${at + 1}" Type="${types}/${kind}" Target="${target}"/>`).join("")}</Relationships>`;
  const slides = chaptersOf(story).map(
    ([title, ...rest]) =>
      `<p:sld ${names}><p:cSld><p:spTree>${title === undefined ? "" : shape(textsOf([title]), '<p:ph type="title"/>')}${shape(textsOf(rest), '<p:ph idx="1"/>')}</p:spTree></p:cSld></p:sld>`,
  );
  return packed({
    "[Content_Types].xml":
      '<Types><Override PartName="/ppt/presentation.xml" ContentType="application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"/></Types>',
    "_rels/.rels": links([["officeDocument", "ppt/presentation.xml"]]),
    "ppt/presentation.xml": `<p:presentation ${names}><p:sldIdLst>${slides.map((_, at) => `<p:sldId id="${256 + at}" r:id="r${at + 1}"/>`).join("")}</p:sldIdLst></p:presentation>`,
    "ppt/_rels/presentation.xml.rels": links(slides.map((_, at) => ["slide", `slides/slide${at + 1}.xml`])),
    ...Object.fromEntries(slides.map((slide, at) => [`ppt/slides/slide${at + 1}.xml`, slide])),
  });
}

export function odp(story: Story): Uint8Array {
  const box = (texts: readonly string[], attributes: string): string =>
    `<draw:frame ${attributes}><draw:text-box>${texts.map((text) => `<text:p>${text}</text:p>`).join("")}</draw:text-box></draw:frame>`;
  const pages = chaptersOf(story).map(
    ([title, ...rest]) =>
      `<draw:page>${title === undefined ? "" : box(textsOf([title]), 'presentation:class="title"')}${box(textsOf(rest), "")}</draw:page>`,
  );
  return zipSync({
    mimetype: [strToU8("application/vnd.oasis.opendocument.presentation"), { level: 0 }],
    "content.xml": strToU8(
      `<office:document-content><office:body><office:presentation>${pages.join("")}</office:presentation></office:body></office:document-content>`,
    ),
  });
}

export function epub(story: Story): Uint8Array {
  const chapters = chaptersOf(story).map(
    (blocks) =>
      `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>A story</title></head><body>${blocks.map(htmlBlock).join("\n")}</body></html>`,
  );
  const items = chapters.map(
    (_, at) => `<item id="c${at}" href="c${at}.xhtml" media-type="application/xhtml+xml"/>`,
  );
  const spine = chapters.map((_, at) => `<itemref idref="c${at}"/>`);
  return zipSync({
    mimetype: [strToU8("application/epub+zip"), { level: 0 }],
    "META-INF/container.xml": strToU8(
      '<container><rootfiles><rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
    ),
    "book.opf": strToU8(
      `<package><metadata><dc:title>A story</dc:title></metadata><manifest>${items.join("")}</manifest><spine>${spine.join("")}</spine></package>`,
    ),
    ...Object.fromEntries(chapters.map((chapter, at) => [`c${at}.xhtml`, strToU8(chapter)])),
  });
}

function workbook(story: Story, bookType: BookType): Uint8Array {
  const book = utils.book_new();
  for (const [at, blocks] of chaptersOf(story).entries()) {
    utils.book_append_sheet(book, utils.aoa_to_sheet(rowsOf({ blocks, marks: [] })), `Sheet ${at + 1}`);
  }
  return new Uint8Array(write(book, { type: "array", bookType }) as ArrayBuffer);
}
export const xlsx = (story: Story): Uint8Array => workbook(story, "xlsx");
export const xls = (story: Story): Uint8Array => workbook(story, "biff8");
export const ods = (story: Story): Uint8Array => workbook(story, "ods");

/** Lines of 80 characters, 40 to a page; ASCII alone. */
export function pdf(story: Story): Uint8Array {
  const lines = linesOf(story).flatMap((line) => [...(line.match(/.{1,80}(?:\s|$)/g) ?? []), ""]);
  const pages = Array.from({ length: Math.ceil(lines.length / 40) }, (_, at) =>
    lines.slice(at * 40, at * 40 + 40),
  );
  return tinyPdf({ pages, title: "A story" });
}

export function msg(story: Story): Uint8Array {
  const wide = (text: string): Buffer => Buffer.from(text, "utf16le");
  const streams: readonly (readonly [string, Buffer])[] = [
    ["__properties_version1.0", Buffer.alloc(32)],
    ["__substg1.0_001A001F", wide("IPM.Note")],
    ["__substg1.0_0037001F", wide("A story")],
    ["__substg1.0_1000001F", wide(linesOf(story).join("\r\n"))],
  ];
  const root = {
    name: "Root Entry",
    type: TypeEnum.ROOT,
    length: 0,
    binaryProvider: () => new Uint8Array(),
    children: streams.map((_, at) => at + 1),
  };
  const files = streams.map(([name, bytes]) => ({
    name,
    type: TypeEnum.DOCUMENT,
    length: bytes.length,
    binaryProvider: () => new Uint8Array(bytes),
    children: [],
  }));
  return burn([root, ...files]);
}
