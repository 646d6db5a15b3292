import { gzipSync } from "node:zlib";
import { createRandom } from "../random.ts";
import { smallFiles } from "./small-files.ts";
import type { Zoo } from "./zoo.ts";

const extensionOf = (name: string): string => name.slice(name.lastIndexOf(".") + 1);

/** Bytes that no text has, put into small sound files at several places. */
const strange: Readonly<Record<string, Buffer>> = {
  NUL: Buffer.from([0]),
  "many NULs": Buffer.alloc(5000),
  "lone surrogate": Buffer.from([0xed, 0xa0, 0x80, 0xed, 0xb0, 0x80, 0xed, 0xa0, 0x80]),
  "no UTF-8": Buffer.from([0xff, 0xfe, 0xc0, 0xaf, 0xf5, 0x80, 0x80]),
  "cut character": Buffer.from([0xe6, 0x97]),
  "too long character": Buffer.from([0xf8, 0x88, 0x80, 0x80, 0x80]),
  controls: Buffer.from(Array.from({ length: 32 }, (_, n) => n)),
  "turned text": Buffer.from("\u202E\u2066\u200F\uFEFF\uFFFE\uFFFF\u{10FFFF}"),
  "UTF-16": Buffer.from("zq wide words \ud800 here", "utf16le"),
};

function withBytes(file: Uint8Array, bytes: Buffer): Buffer {
  const pieces: Buffer[] = [];
  const step = Math.max(1, Math.floor(file.length / 4));
  for (let at = 0; at < file.length; at += step)
    pieces.push(Buffer.from(file.subarray(at, at + step)), bytes);
  return Buffer.concat(pieces);
}

export const oddBytes: Zoo = Object.fromEntries(
  Object.entries(smallFiles).flatMap(([name, make]) =>
    Object.entries(strange).map(([kind, bytes]) => [`${kind} in ${name}`, () => withBytes(make(), bytes)]),
  ),
);

/** Each small file cut off at twenty places. */
export const cutOff: Zoo = Object.fromEntries(
  Object.entries(smallFiles).flatMap(([name, make]) =>
    Array.from({ length: 20 }, (_, n) => [
      `cut at ${n} of 20 ${name}`,
      () => {
        const file = make();
        return file.subarray(0, Math.max(1, Math.floor((file.length * n) / 20)));
      },
    ]),
  ),
);

/** Each small file under the extension of each other one. */
export const disguised: Zoo = Object.fromEntries(
  Object.entries(smallFiles).flatMap(([name, make]) =>
    [...new Set(Object.keys(smallFiles).map(extensionOf)), "bin", "gz", "jpg"].map((extension) => [
      `${name} as.${extension}`,
      make,
    ]),
  ),
);

const file = (name: string): Buffer => Buffer.from(smallFiles[name]?.() ?? []);
const gif = Buffer.from("GIF89a/*\u0001\u0000\u0001\u0000\u0000\u0000*/=1;alert('zqgif');", "latin1");
const joined = (...parts: readonly (Buffer | string)[]): Buffer =>
  Buffer.concat(parts.map((part) => Buffer.from(part)));

/** Files that are of two formats at once. */
const two: Readonly<Record<string, () => Buffer>> = {
  "PDF in HTML": () => joined("<html><body><!--\n", file("plain.pdf"), "\n--><p>zqhtml</p></body></html>"),
  "HTML in PDF": () => joined("%PDF-1.4\n<html><body><p>zqhtml</p><script>x</script>", file("plain.pdf")),
  "ZIP behind PDF": () => joined(file("plain.pdf"), file("letter.docx")),
  "PDF behind ZIP": () => joined(file("letter.docx"), file("plain.pdf")),
  "two ZIPs": () => joined(file("letter.docx"), file("book.xlsx")),
  "three ZIPs": () => joined(file("novel.epub"), file("deck.pptx"), file("sheet.ods")),
  "GIF and JavaScript": () => gif,
  "ZIP behind GIF": () => joined(gif, file("letter.odt")),
  "RTF and PDF": () => joined(file("letter.rtf"), file("plain.pdf")),
  "mail and HTML": () => joined(file("mail.eml"), file("page.html")),
  "mail and ZIP": () => joined(file("mail.eml"), file("letter.docx")),
  "script and ZIP": () => joined("#!/bin/sh\nexec true\n", file("novel.epub")),
  "OLE and ZIP": () => joined(file("old.xls"), file("book.xlsx")),
  "Postscript and text": () => joined("%!PS-Adobe\n", file("words.txt")),
  "gzip of itself": () => gzipSync(gzipSync(file("letter.docx"))),
  "JSON and YAML": () => joined(file("data.json"), "---\n", file("data.yaml")),
};

export const polyglots: Zoo = Object.fromEntries(
  Object.entries(two).flatMap(([name, make]) =>
    [
      "pdf",
      "html",
      "docx",
      "xlsx",
      "epub",
      "js",
      "gif",
      "zip",
      "eml",
      "txt",
      "md",
      "rtf",
      "xls",
      "csv",
      "json",
      "xml",
      "",
    ].map((extension) => [extension === "" ? name : `${name}.${extension}`, make]),
  ),
);

/** Of types that are not read: each is skipped, once. */
export const unsupported: Readonly<Record<string, () => Buffer>> = {
  "picture.png": () =>
    joined(
      Buffer.from("89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489", "hex"),
      Buffer.alloc(64),
    ),
  "sound.mp3": () =>
    joined("ID3", Buffer.from([3, 0, 0, 0, 0, 0, 0]), Buffer.from("fffb9064", "hex"), Buffer.alloc(600)),
  "packed.gz": () => gzipSync("words ".repeat(500)),
  program: () => joined(Buffer.from("7f454c46020101000000000000000000", "hex"), Buffer.alloc(64)),
  "picture named.md": () => gif,
  "random.dat": () => {
    const random = createRandom(5);
    return Buffer.from(Array.from({ length: 4096 }, () => Math.floor(random() * 256)));
  },
};
