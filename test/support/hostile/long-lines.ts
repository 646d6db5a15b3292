import { zipOf } from "../spreadsheet.ts";
import { bookParts } from "./packages.ts";
import type { Zoo } from "./zoo.ts";

/** One line of that many bytes, of one piece. */
const run = (piece: string, bytes: number): string => piece.repeat(Math.ceil(bytes / piece.length));

const heads: Readonly<Record<string, readonly [head: string, tail: string]>> = {
  txt: ["", ""],
  log: ["", "\n"],
  md: ["", ""],
  mdx: ["", ""],
  org: ["", ""],
  rst: ["", ""],
  adoc: ["", ""],
  tex: ["", ""],
  js: ["x = '", "';"],
  py: ["x = '", "'"],
  csv: ["", ""],
  tsv: ["a\tb\n", ""],
  json: ['{"a": "', '"}'],
  jsonl: ['{"a": "', '"}\n'],
  yaml: ["a: ", ""],
  toml: ['a = "', '"'],
  xml: ["<a><b>", "</b></a>"],
  html: ["<p>", "</p>"],
  ipynb: ['{"nbformat":4,"cells":[{"cell_type":"markdown","source":["', '"]}]}'],
  eml: ["From: a@example.org\nSubject: long\n\n", "\n"],
  mbox: ["From a@example.org Mon Jan  2 10:00:00 2023\nSubject: long\n\n", "\n"],
  srt: ["1\n00:00:01,000 --> 00:00:02,000\n", "\n"],
  vtt: ["WEBVTT\n\n00:01.000 --> 00:02.000\n", "\n"],
  rtf: [String.raw`{\rtf1 `, "}"],
};

const others = (bytes: number): Zoo => ({
  "one quoted field.csv": () => `a,b\n"${run("word ", bytes)}"`,
  "one open quote.csv": () => `a,b\n"${run("word ", bytes)}`,
  "one row.csv": () => run("1,", bytes),
  "one array.json": () => `[${run("1,", bytes)}1]`,
  "one attribute.html": () => `<p title="${run("word ", bytes)}">zqend</p>`,
  "one picture.html": () => `<p>zqend</p><img src="data:image/png;base64,${run("AAAA", bytes)}">`,
  "one script.html": () => `<script>${run("x=1;", bytes)}</script><p>zqend</p>`,
  "one comment.html": () => `<!--${run("word ", bytes)}--><p>zqend</p>`,
  "one attribute.xml": () => `<a b="${run("word ", bytes)}">zqend</a>`,
  "one comment.xml": () => `<a><!--${run("word ", bytes)}-->zqend</a>`,
  "one header.eml": () => `From: a@example.org\nSubject: ${run("word ", bytes)}\n\nzqend\n`,
  "one recipient after the other.eml": () =>
    `From: a@example.org\nTo: ${run("a@example.org, ", bytes)}\n\nzqend\n`,
  "one base64.eml": () =>
    `From: a@example.org\nMIME-Version: 1.0\nContent-Transfer-Encoding: base64\n\n${run("d29yZCA", bytes)}\n`,
  "one quoted printable.eml": () =>
    `From: a@example.org\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n${run("=C3=A9", bytes)}\n`,
  "one picture.md": () => `![a](data:image/png;base64,${run("AAAA", bytes)}) zqend`,
  "one picture.rtf": () => String.raw`{\rtf1 {\pict\pngblip ${run("00ff", bytes)}}zqend}`,
  "one chapter.epub": () => zipOf(bookParts({ body: `<p>${run("word ", Math.min(bytes, 60e6))}</p>` })),
});

/** Files of one line of that many bytes: of words, of one letter, and of what a format has to look at. */
export function longLines(bytes: number): Zoo {
  const pieces: Readonly<Record<string, string>> = {
    words: "word ",
    "one word": "x",
    spaces: " ",
    wide: "日本語",
  };
  const zoo: Record<string, () => string | Uint8Array> = {};
  for (const [extension, [head, tail]] of Object.entries(heads)) {
    for (const [name, piece] of Object.entries(pieces)) {
      const times = Math.ceil(bytes / Buffer.byteLength(piece));
      zoo[`one line, ${name}.${extension}`] = () => head + piece.repeat(times) + tail;
    }
  }
  return { ...zoo, ...others(bytes) };
}
