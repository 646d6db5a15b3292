import { burn } from "@kenjiuno/msgreader/lib/Burner.js";
import { TypeEnum } from "@kenjiuno/msgreader/lib/Reader.js";
import { utils, write } from "@e965/xlsx";
import { odsOf, sheetData, xlsxOf, zipOf } from "../spreadsheet.ts";
import { tinyPdf } from "../tiny-pdf.ts";
import { docx, odt, odtPages, paragraph } from "../word-files.ts";
import { bookParts, deckParts, slidesParts } from "./packages.ts";

/** A small Outlook message: its properties as streams of a compound file. */
function outlookMessage(): Buffer {
  const wide = (text: string): Buffer => Buffer.from(text, "utf16le");
  const streams: Readonly<Record<string, Buffer>> = {
    "__properties_version1.0": Buffer.alloc(32),
    "__substg1.0_001A001F": wide("IPM.Note"),
    "__substg1.0_0037001F": wide("Budget"),
    "__substg1.0_0C1A001F": wide("Ann"),
    "__substg1.0_1000001F": wide("The plan.\r\nSecond line."),
  };
  const entries = Object.entries(streams).map(([name, content]) => ({
    name,
    type: TypeEnum.DOCUMENT,
    length: content.length,
    binaryProvider: () => new Uint8Array(content),
    children: [],
  }));
  const root = {
    name: "Root Entry",
    type: TypeEnum.ROOT,
    length: 0,
    binaryProvider: () => new Uint8Array(),
    children: entries.map((_, index) => index + 1),
  };
  return Buffer.from(burn([root, ...entries]));
}

function workbook(bookType: "biff8" | "biff5" | "biff2" | "xlsb"): Buffer {
  const sheet = utils.aoa_to_sheet([
    ["Name", "Share"],
    ["Ann", 0.25],
    ["Bob", 7],
  ]);
  return write({ SheetNames: ["People"], Sheets: { People: sheet } }, { type: "buffer", bookType }) as Buffer;
}

function wordDocument(): Uint8Array {
  const body = `${paragraph("First heading", '<w:pStyle w:val="Heading1"/>')}${paragraph("Words of a paragraph.")}<w:tbl><w:tr><w:tc>${paragraph("a")}</w:tc><w:tc>${paragraph("b")}</w:tc></w:tr></w:tbl>`;
  return docx({ body, parts: { "header1.xml": paragraph("Running head") } });
}

function openText(): Uint8Array {
  const body = `<text:h text:outline-level="1">First heading</text:h><text:p>Words<text:s text:c="2"/>here.</text:p><text:list><text:list-item><text:p>one</text:p></text:list-item></text:list><table:table><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell></table:table-row></table:table>`;
  return odt(body, "", { "styles.xml": odtPages("<style:header><text:p>Head</text:p></style:header>") });
}

const openSheet = (): Uint8Array =>
  odsOf(
    '<table:table table:name="S"><table:table-row><table:table-cell table:number-columns-repeated="2"><text:p>Ann</text:p></table:table-cell></table:table-row></table:table>',
  );

const pdf = (packed: boolean): Buffer =>
  tinyPdf({
    pages: [
      ["First page of it", "with a second line"],
      ["Second page", "and its words"],
    ],
    title: "A title",
    bookmarks: [["Chapter", 0, 1]],
    packed,
  });

const message = [
  "From: Ann <ann@example.org>",
  "To: Bob <bob@example.org>",
  "Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=",
  "Date: Mon, 2 Jan 2023 10:00:00 +0000",
  "Message-ID: <one@example.org>",
  "MIME-Version: 1.0",
  'Content-Type: multipart/mixed; boundary="cut"',
  "",
  "--cut",
  "Content-Type: text/plain; charset=utf-8",
  "Content-Transfer-Encoding: quoted-printable",
  "",
  "Words of a mail =E2=82=AC.",
  "--cut",
  "Content-Type: text/html",
  "",
  "<p>Words of a <b>page</b>.</p>",
  "--cut",
  'Content-Type: text/csv; name="t.csv"',
  'Content-Disposition: attachment; filename="t.csv"',
  "Content-Transfer-Encoding: base64",
  "",
  Buffer.from("a,b\n1,2\n").toString("base64"),
  "--cut--",
  "",
].join("\r\n");

const savedPage = [
  "From: <Saved by a browser>",
  "Subject: A page",
  "MIME-Version: 1.0",
  'Content-Type: multipart/related; type="text/html"; boundary="cut"',
  "",
  "--cut",
  "Content-Type: text/html; charset=utf-8",
  "Content-Transfer-Encoding: quoted-printable",
  "Content-Location: https://example.org/",
  "",
  "<html><head><title>A page</title></head><body><h1>Top</h1><p>Words of it =3D all.</p></body></html>",
  "--cut--",
  "",
].join("\r\n");

const notebook = JSON.stringify({
  nbformat: 4,
  nbformat_minor: 5,
  metadata: { kernelspec: { language: "python", name: "python3" } },
  cells: [
    { cell_type: "markdown", metadata: {}, source: ["# Title\n", "Words."] },
    {
      cell_type: "code",
      metadata: {},
      execution_count: 1,
      source: "print(1)",
      outputs: [{ output_type: "stream", name: "stdout", text: ["1\n"] }],
    },
  ],
});

const markdown =
  "---\ntitle: A note\ntags: [a, b]\n---\n# Top\n\nWords with *stress* and `code`.\n\n- one\n  - two\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n```ts\nlet x = 1;\n```\n\n> quoted\n";
const html =
  "<!doctype html><html><head><title>A page</title><meta charset='utf-8'></head><body><h1>Top</h1><p>Words &amp; more <b>here</b>.</p><ul><li>one<li>two</ul><table><tr><th>a<td>b</table><pre><code>x = 1</code></pre></body></html>";
const rtf = String.raw`{\rtf1\ansi\ansicpg1252{\fonttbl{\f0\fswiss Arial;}}{\info{\title A title}}\f0\fs24 Words \'e9 \b bold\b0\par \u8364?\par{\field{\*\fldinst HYPERLINK "x"}{\fldrslt link}}\trowd\intbl a\cell b\cell\row\pard}`;
const feed =
  '<?xml version="1.0"?><rss version="2.0"><channel><title>News</title><item><title>One</title><description>&lt;p&gt;Words&lt;/p&gt;</description></item></channel></rss>';

const text = (content: string) => (): Buffer => Buffer.from(content);

/** A small sound file of each format that is read, and of each way to write one. Made when asked for. */
export const smallFiles: Readonly<Record<string, () => Uint8Array>> = {
  "plain.pdf": () => pdf(false),
  "packed.pdf": () => pdf(true),
  "deck.pptx": () => zipOf(deckParts()),
  "slides.odp": () => zipOf(slidesParts()),
  "book.xlsx": () =>
    xlsxOf({
      title: "T",
      strings: ["<t>shared</t>"],
      sheets: [
        {
          name: "S",
          xml: sheetData([
            ["Name", "Sum"],
            ["Ann", 1],
          ]),
        },
      ],
    }),
  "sheet.ods": openSheet,
  "old.xls": () => workbook("biff8"),
  "older.xls": () => workbook("biff5"),
  "oldest.xls": () => workbook("biff2"),
  "binary.xlsb": () => workbook("xlsb"),
  "novel.epub": () => zipOf(bookParts()),
  "letter.docx": wordDocument,
  "letter.odt": openText,
  "letter.rtf": text(rtf),
  "mail.msg": outlookMessage,
  "page.mhtml": text(savedPage),
  "box.mbox": text(
    `From ann@example.org Mon Jan  2 10:00:00 2023\n${message}\nFrom bob@example.org Mon Jan  2 11:00:00 2023\n${message}\n`,
  ),
  "mail.eml": text(message),
  "cells.ipynb": text(notebook),
  "film.srt": text(
    "1\n00:00:01,000 --> 00:00:02,500\nWords <i>said</i>\n\n2\n00:00:03,000 --> 00:00:04,000\nand more\n",
  ),
  "film.vtt": text(
    "WEBVTT\n\nNOTE a note\n\n00:01.000 --> 00:02.500 align:start\n<v Ann>Words said\n\n00:03.000 --> 00:04.000\nand more\n",
  ),
  "film.ass": text(
    "[Script Info]\nTitle: Film\n\n[Events]\nFormat: Layer, Start, End, Style, Text\nDialogue: 0,0:00:01.00,0:00:02.50,Default,{\\i1}Words\\Nsaid\n",
  ),
  "note.md": text(markdown),
  "note.mdx": text(`import A from "a";\n\n# Top\n\n<A b={1}>Words</A> {1 + 1}\n\nexport const c = 1;\n`),
  "note.org": text(
    "#+title: A note\n* Top :tag:\n:PROPERTIES:\n:ID: x\n:END:\nWords /here/ [[https://example.org][link]].\n| a | b |\n|---+---|\n| 1 | 2 |\n#+begin_src ts\nlet x;\n#+end_src\n",
  ),
  "note.rst": text(
    "Top\n===\n\nWords *here* ``code``.\n\n.. note:: A note\n\n* one\n* two\n\n=== ===\na   b\n=== ===\n1   2\n=== ===\n",
  ),
  "note.adoc": text(
    "= Top\nAnn\n:key: value\n\nWords *here* {key}.\n\n* one\n** two\n\n|===\n|a |b\n|1 |2\n|===\n\n----\ncode\n----\n",
  ),
  "note.tex": text(
    "\\documentclass{article}\n\\title{A note}\\begin{document}\\section{Top}Words $x^2$ \\emph{here}.\n\\begin{itemize}\\item one\\item two\\end{itemize}\n\\begin{tabular}{ll}a & b\\\\ 1 & 2\\end{tabular}\n\\end{document}\n",
  ),
  "page.html": text(html),
  "rows.csv": text('Name,Words\nAnn,"a, ""b"""\nBob,c\n'),
  "rows.tsv": text("Name\tWords\nAnn\ta b\nBob\tc\n"),
  "data.json": text('{"title": "Data", "list": [1, {"a": "\\u00e9"}, null], "text": "words"}\n'),
  "lines.jsonl": text('{"a": 1}\n{"a": 2, "b": "words"}\n'),
  "data.yaml": text("title: Data\nlist:\n  - a: 1\n  - &x b\n  - *x\ntext: |\n  words\n"),
  "data.toml": text('title = "Data"\n[part]\nlist = [1, 2]\n[[rows]]\na = "words"\n'),
  "data.xml": text(
    '<?xml version="1.0"?><data><title>Data</title><a b="c">words &amp; more</a><!-- x --><![CDATA[raw]]></data>\n',
  ),
  "news.xml": text(feed),
  "flat.fodt": text(
    '<?xml version="1.0"?><office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" office:mimetype="application/vnd.oasis.opendocument.text"><office:body><office:text><text:p>Words here</text:p></office:text></office:body></office:document>',
  ),
  "code.ts": text(
    "/** Adds. */\nexport function add(a: number, b: number): number {\n  return a + b;\n}\n\nclass A {\n  b(): string {\n    return `x${1}`;\n  }\n}\n",
  ),
  "code.py": text(
    'def add(a, b):\n    """Adds."""\n    return a + b\n\n\nclass A:\n    def b(self):\n        return f"x{1}"\n',
  ),
  "code.c": text('#include <stdio.h>\nint main(void) {\n  printf("words\\n");\n  return 0;\n}\n'),
  "code.sh": text("#!/bin/sh\nadd() {\n  echo $(($1 + $2))\n}\nadd 1 2\n"),
  "words.txt": text("Words of a text.\n\nA second paragraph, with é and 日本語.\n"),
  "wide.txt": () =>
    Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("Words of a wide text.\n", "utf16le")]),
};
