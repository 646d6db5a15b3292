import { zipSync } from "fflate";
import { zipOf } from "../spreadsheet.ts";
import { garments } from "./garments.ts";
import { bookParts } from "./packages.ts";
import { rawPdf } from "./pdfs.ts";
import type { Zoo } from "./zoo.ts";

const deep = 100_000;
/** Around and around a word; open alone where there is no end. */
const around = (open: string, close = "", times = deep): string =>
  `${open.repeat(times)}zqdeep${close.repeat(times)}`;

const tags = (names: string, times = deep): string => {
  const list = names.split(" ");
  const open = list.map((name) => `<${name}>`).join("");
  const close = list
    .reverse()
    .map((name) => `</${/^\S+/.exec(name)?.[0]}>`)
    .join("");
  return around(open, close, times);
};

const html: Zoo = Object.fromEntries(
  [
    "div",
    "ul li",
    "ol li p",
    "blockquote",
    "table tr td",
    "table",
    "b i",
    "a",
    "span",
    "font",
    "select option",
    "svg g",
    "math mrow",
    "template",
    "details summary",
    "dl dd",
    "p",
    "h1",
    "pre",
    "form",
    "iframe",
    "noscript",
    "article section",
    "ruby rt",
    "frameset",
  ].flatMap((names) => [
    [`closed ${names}.html`, () => `<html><body>${tags(names)}</body></html>`],
    [
      `open ${names}.html`,
      () =>
        `<p>zqfirst</p>${around(
          names
            .split(" ")
            .map((name) => `<${name}>`)
            .join(""),
        )}`,
    ],
  ]),
);

/** Messages that hold messages, and parts that hold parts. */
function nestedParts(times: number): string {
  const head = Array.from(
    { length: times },
    (_, n) => `Content-Type: multipart/mixed; boundary="b${n}"\r\n\r\n--b${n}\r\n`,
  ).join("");
  return `From: a@example.org\r\nSubject: deep\r\nMIME-Version: 1.0\r\n${head}Content-Type: text/plain\r\n\r\nzqdeep\r\n`;
}
const nestedMessages = (times: number): string =>
  `${"From: a@example.org\r\nSubject: deep\r\nMIME-Version: 1.0\r\nContent-Type: message/rfc822\r\n\r\n".repeat(times)}zqdeep`;
const sameBoundary = (times: number): string =>
  `From: a@example.org\r\nMIME-Version: 1.0\r\n${'Content-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\n'.repeat(times)}\r\nzqdeep\r\n`;
const manyParts = (times: number): string =>
  `From: a@example.org\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\n${'--b\r\nContent-Disposition: attachment; filename="a.txt"\r\n\r\nword\r\n'.repeat(times)}--b--\r\n`;

const mail: Zoo = {
  "nested parts.eml": () => nestedParts(deep),
  "nested messages.eml": () => nestedMessages(deep),
  "one boundary.eml": () => sameBoundary(deep),
  "many parts.eml": () => manyParts(deep),
  "nested parts.mbox": () => `From a@example.org Mon Jan  2 10:00:00 2023\n${nestedParts(deep)}`,
  "nested parts.mhtml": () =>
    nestedParts(deep).replace("Subject", "MIME-Version: 1.0\r\nSnapshot-Content-Location: x\r\nSubject"),
  "many messages.mbox": () => "From a@example.org Mon Jan  2 10:00:00 2023\nSubject: a\n\nb\n\n".repeat(deep),
  "comments.eml": () =>
    `From: ${around("(", ")")} a@example.org\r\nTo: ${"(".repeat(deep)}\r\n\r\nzqdeep\r\n`,
  "groups.eml": () => `From: a@example.org\r\nTo: ${"a:".repeat(deep)};\r\n\r\nzqdeep\r\n`,
};

const text: Zoo = {
  "elements.xml": () => tags("a"),
  "open elements.xml": () => `<?xml version="1.0"?>${around("<a>")}`,
  "groups.svg": () => `<svg xmlns="http://www.w3.org/2000/svg">${tags("g")}</svg>`,
  "items.rss": () => `<rss><channel>${tags("item")}</channel></rss>`,
  "sections.dbk": () => `<book>${tags("section title")}</book>`,
  "arrays.json": () => around("[", "]").replace("zqdeep", '"zqdeep"'),
  "objects.json": () => around('{"a":', "}").replace("zqdeep", '"zqdeep"'),
  "open arrays.json": () => "[".repeat(deep * 10),
  "arrays.jsonl": () => `${around("[", "]").replace("zqdeep", '"zqdeep"')}\n`.repeat(20),
  "cells.ipynb": () =>
    `{"nbformat":4,"cells":[{"cell_type":"markdown","source":${"[".repeat(deep)}"zqdeep"${"]".repeat(deep)}}]}`,
  "metadata.ipynb": () =>
    `{"nbformat":4,"metadata":${around('{"a":', "}").replace("zqdeep", "1")},"cells":[{"cell_type":"markdown","source":"zqdeep"}]}`,
  "flow.yaml": () => `zqdeep: ${around("[", "]")}`,
  "maps.yaml": () => around("{a: ", "}"),
  "dashes.yaml": () => around("- "),
  "questions.yaml": () => around("? "),
  "indents.yaml": () => Array.from({ length: 3000 }, (_, n) => `${" ".repeat(n)}a:`).join("\n"),
  "anchors.yaml": () =>
    Array.from({ length: 50_000 }, (_, n) => `a${n}: &a${n} [*a${n - 1}, *a${n - 1}]`).join("\n"),
  "tags.yaml": () => around("!!seq "),
  "arrays.toml": () => `a = ${around("[", "]").replace("zqdeep", '"zqdeep"')}`,
  "tables.toml": () => `a = ${around("{a = ", "}").replace("zqdeep", '"zqdeep"')}`,
  "dotted.toml": () => `${around("a.").replace("zqdeep", "zqdeep = 1")}\n[${"b.".repeat(deep)}c]\n`,
  "brackets.toml": () => "[".repeat(deep * 2),
  "quotes.md": () => around("> "),
  "narrow quotes.md": () => around(">"),
  "quotes on each line.md": () =>
    Array.from({ length: 1000 }, (_, n) => `${">".repeat(n)} zqdeep${n}`).join("\n"),
  "lists.md": () => around("- "),
  "numbers.md": () => around("1. "),
  "mixed.md": () => around("> - 1. "),
  "indents.md": () => Array.from({ length: 2000 }, (_, n) => `${"  ".repeat(n)}- zqdeep${n}`).join("\n"),
  "fences.md": () => Array.from({ length: 3000 }, (_, n) => "`".repeat(n + 3)).join("\n"),
  "links.md": () => around("[", "](x)"),
  "pictures.md": () => around("![", "](x)"),
  "braces.mdx": () => around("{", "}"),
  "tags.mdx": () => tags("A"),
  "open tags.mdx": () => around("<A b={"),
  "templates.mdx": () => around("{`${", "}`}"),
  "stars.org": () => Array.from({ length: 2000 }, (_, n) => `${"*".repeat(n + 1)} zqdeep${n}`).join("\n"),
  "lists.org": () => Array.from({ length: 2000 }, (_, n) => `${" ".repeat(n)}- zqdeep${n}`).join("\n"),
  "blocks.org": () => around("#+begin_quote\n", "\n#+end_quote"),
  "directives.rst": () => Array.from({ length: 2000 }, (_, n) => `${" ".repeat(n)}.. note::\n`).join("\n"),
  "lists.rst": () => around("* "),
  "blocks.adoc": () => around("====\n"),
  "lists.adoc": () => around("*", " zqdeep\n", 2000),
  "tables.adoc": () => around("|===\na|\n!===\n"),
  "groups.tex": () => around("{", "}"),
  "commands.tex": () => around(String.raw`\emph{`, "}"),
  "lists.tex": () => around(String.raw`\begin{itemize}\item `, String.raw`\end{itemize}`),
  "math.tex": () => around(String.raw`\frac{$`, "$}"),
  "ifs.tex": () => around(String.raw`\iffalse `, String.raw`\fi `),
  "macros.tex": () =>
    Array.from({ length: 5000 }, (_, n) => String.raw`\newcommand{\a${"b".repeat(n % 50)}}{\c\c}`).join("\n"),
  "groups.rtf": () => String.raw`{\rtf1 ${around("{", "}")}}`,
  "open groups.rtf": () => String.raw`{\rtf1 ${around(String.raw`{\b `)}`,
  "destinations.rtf": () => String.raw`{\rtf1 ${around(String.raw`{\*\x `, "}")}}`,
  "tables.rtf": () => String.raw`{\rtf1 ${around(String.raw`{\trowd\intbl `, String.raw`\cell\row}`)}}`,
  "fields.rtf": () =>
    String.raw`{\rtf1 ${around(String.raw`{\field{\*\fldinst HYPERLINK "x"}{\fldrslt `, "}}")}}`,
  "tags.srt": () => `1\n00:00:01,000 --> 00:00:02,000\n${tags("i")}\n`,
  "tags.vtt": () => `WEBVTT\n\n00:01.000 --> 00:02.000\n${tags("c")}\n`,
  "braces.ass": () =>
    `[Script Info]\n\n[Events]\nFormat: Start, End, Text\nDialogue: 0:00:01.00,0:00:02.00,${around("{", "}")}\n`,
  "quotes.csv": () => `a,b\n${around('"', '"')}`,
};

const code: Zoo = Object.fromEntries(
  ["ts", "js", "py", "c", "cpp", "java", "go", "rs", "rb", "php", "cs", "sh", "css", "tsx"].flatMap(
    (extension) => {
      const lead = extension === "php" ? "<?php " : "";
      return [
        [`parentheses.${extension}`, () => `${lead}x = ${around("(", ")")};\n`],
        [`braces.${extension}`, () => `${lead}${around("{", "}")}\n`],
        [`brackets.${extension}`, () => `${lead}x = ${around("[", "]")}\n`],
        [`open brackets.${extension}`, () => `${lead}${"([{".repeat(deep)}`],
        [`functions.${extension}`, () => `${lead}${around("function a() { ", " }")}\n`],
        [`strings.${extension}`, () => `${lead}${around("`${", "}`")}\n`],
        [`minus.${extension}`, () => `${lead}x = ${around("-")};\n`],
        [`ifs.${extension}`, () => `${lead}${"if (a) {} else ".repeat(20_000)}{}\n`],
        [`less than.${extension}`, () => `${lead}${"a<".repeat(deep)}`],
      ];
    },
  ),
);

/** Nesting inside of the entries of archives. */
const inside: Readonly<Record<string, Readonly<Record<string, readonly [open: string, close: string]>>>> = {
  docx: {
    tables: ["<w:tbl><w:tr><w:tc>", "</w:tc></w:tr></w:tbl>"],
    controls: ["<w:sdt><w:sdtContent>", "</w:sdtContent></w:sdt>"],
    boxes: ["<w:p><w:r><w:txbxContent>", "</w:txbxContent></w:r></w:p>"],
    changes: ["<w:ins>", "</w:ins>"],
  },
  xlsx: { rows: ["<row><c><is>", "</is></c></row>"] },
  pptx: {
    groups: ["<p:grpSp>", "</p:grpSp>"],
    alternatives: ["<mc:AlternateContent><mc:Choice>", "</mc:Choice></mc:AlternateContent>"],
  },
  odt: {
    sections: ["<text:section>", "</text:section>"],
    lists: ["<text:list><text:list-item>", "</text:list-item></text:list>"],
    tables: [
      "<table:table><table:table-row><table:table-cell>",
      "</table:table-cell></table:table-row></table:table>",
    ],
    frames: ["<draw:frame><draw:text-box>", "</draw:text-box></draw:frame>"],
    notes: ["<text:note><text:note-body>", "</text:note-body></text:note>"],
  },
  odp: { groups: ["<draw:g>", "</draw:g>"] },
  ods: {
    rows: ["<table:table-row-group>", "</table:table-row-group>"],
    cells: ["<table:table-cell>", "</table:table-cell>"],
  },
  epub: { divs: ["<div>", "</div>"], lists: ["<ul><li>", "</li></ul>"] },
};

function packed(depth: number): Zoo {
  const zoo: Record<string, () => Uint8Array> = {};
  for (const [extension, kinds] of Object.entries(inside)) {
    const garment = garments[extension];
    if (garment === undefined) continue;
    const { entry, others, head, tail, piece } = garment;
    for (const [name, [open, close]] of Object.entries(kinds)) {
      zoo[`${name} ${depth} deep.${extension}`] = () => {
        const content =
          head + piece("zqfirst") + around(open, close, depth).replace("zqdeep", piece("zqdeep")) + tail;
        return zipSync({ ...others, [entry]: [Buffer.from(content), { level: 0 }] });
      };
    }
  }
  return zoo;
}

const books: Zoo = {
  "contents.epub": () =>
    zipOf(bookParts({ contents: around("<li><a href='c1.xhtml'>a</a><ol>", "</ol></li>") })),
  "arrays.pdf": () =>
    rawPdf([
      "<</Type/Catalog/Pages 2 0 R>>",
      "<</Type/Pages/Kids[3 0 R]/Count 1>>",
      around("[", "]").replace("zqdeep", ""),
    ]),
  "page is an array.pdf": () =>
    rawPdf([
      "<</Type/Catalog/Pages 2 0 R>>",
      `<</Type/Pages/Kids ${around("[", "]").replace("zqdeep", "")}/Count 1>>`,
    ]),
  "dictionaries.pdf": () =>
    rawPdf([
      "<</Type/Catalog/Pages 2 0 R>>",
      `<</Type/Pages/Count 1/Kids[3 0 R]/A ${around("<</A ", ">>").replace("zqdeep", "1")}>>`,
    ]),
};

/** Files nested 100,000 deep, where their format can be, and a few hundred deep, which some people's files are. */
export const nesting: Zoo = { ...html, ...mail, ...text, ...code, ...packed(deep), ...packed(900), ...books };
