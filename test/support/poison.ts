import { deflateSync, gzipSync } from "node:zlib";
import { createRandom } from "./random.ts";

function randomBytes(seed: number, length: number): Buffer {
  const random = createRandom(seed);
  const words = Uint32Array.from({ length: length / 4 }, () => random() * 2 ** 32);
  return Buffer.from(words.buffer);
}

/** A PDF out of its objects, the first of which is the catalogue. */
function pdfOf(objects: readonly string[]): string {
  const offsets: number[] = [];
  let out = "%PDF-1.4\n";
  objects.forEach((object, index) => {
    offsets.push(out.length);
    out += `${index + 1} 0 obj\n${object}\nendobj\n`;
  });
  const entries = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}`;
  return `${out}${table}trailer\n<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${out.length}\n%%EOF`;
}

const streamOf = (text: string, keys = ""): string =>
  `<</Length ${text.length}${keys}>>\nstream\n${text}\nendstream`;
const pageWith = (resources: string): string[] => [
  "<</Type/Catalog/Pages 2 0 R>>",
  "<</Type/Pages/Kids[3 0 R]/Count 1>>",
  `<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<<${resources}>>>>`,
];

/** A page that keeps its state, again and again: each time takes a program as long as all before together. */
export function endlessPdf(): Buffer {
  const packed = deflateSync("q ".repeat(1_000_000));
  const whole = pdfOf([...pageWith(""), streamOf("DATA", "/Filter/FlateDecode")]);
  const [head = "", tail = ""] = whole.replace("/Length 4", `/Length ${packed.length}`).split("DATA");
  return Buffer.concat([Buffer.from(head), packed, Buffer.from(tail)]);
}

/** A page whose text never ends: thirty forms, each of which draws the next one ten times, the last one a word. */
function pdfOfForms(): string {
  const forms = 30;
  const form = (n: number): string => {
    const isLast = n === forms - 1;
    const inside = isLast ? "/Font<</F1 5 0 R>>" : `/XObject<</X ${7 + n} 0 R>>`;
    const drawn = isLast ? "BT /F1 12 Tf 72 720 Td (endless) Tj ET" : "/X Do ".repeat(10);
    return streamOf(drawn, `/Type/XObject/Subtype/Form/BBox[0 0 1 1]/Resources<<${inside}>>`);
  };
  return pdfOf([
    ...pageWith("/XObject<</X 6 0 R>>"),
    streamOf("/X Do"),
    "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ...Array.from({ length: forms }, (_, n) => form(n)),
  ]);
}

function pdfWithGarbage(): Buffer {
  const whole = pdfOf([...pageWith(""), streamOf("BT (words) Tj ET")]);
  const table = whole.lastIndexOf("xref\n0");
  return Buffer.concat([
    Buffer.from(whole.slice(0, table)),
    randomBytes(7, 5000),
    Buffer.from("\nstartxref\n99999999\n%%EOF"),
  ]);
}

const laughs = ["b", "c", "d", "e", "f", "g", "h", "i"].reduce(
  (text, name, n) => `${text}${name}: &${name} [${`*${"abcdefgh"[n]},`.repeat(9)}]\n`,
  "a: &a [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n",
);

/** Documents that have brought readers down, by file name. Made when asked for: some are large. */
export const poison: Readonly<Record<string, () => string | Buffer>> = {
  "emphasis.md": () => "*a_ ".repeat(200_000),
  "brackets.md": () => `${"[".repeat(200_000)}](`,
  "backticks.md": () => Array.from({ length: 1500 }, (_, n) => `${"`".repeat(n)}a`).join(""),
  "nested lists.md": () => "- ".repeat(100_000),
  "front matter.md": () => `---\n${laughs}---\nzqlaughs after the front matter\n`,
  "gzip.md": () => gzipSync("hello ".repeat(100_000)),
  "nested.html": () => `${"<div>".repeat(200_000)}zqnested${"</div>".repeat(200_000)}`,
  "formatting.html": () => `${"<b><i>".repeat(100_000)}zqbold`,
  "attributes.html": () =>
    `<p ${Array.from({ length: 100_000 }, (_, n) => `a${n}=1`).join(" ")}>zqattributes</p>`,
  "laughs.yaml": () => laughs,
  "flow.yaml": () => "[".repeat(60_000),
  "one line.txt": () => "word ".repeat(1_500_000),
  "one word.js": () => "x".repeat(8_000_000),
  "marks.txt": () => `a${"\u0301".repeat(1_000_000)}`,
  "random.txt": () => randomBytes(11, 30_000_000),
  "wide.txt": () => Buffer.from("zqwide text in utf sixteen without a mark\n".repeat(20), "utf16le"),
  "surrogates.txt": () =>
    Buffer.concat([Buffer.from("zqlone "), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from(" and on it goes")]),
  "nuls.txt": () => `zqnuls ${"text ".repeat(2000)}\0${"more ".repeat(2000)}`,
  "million.csv": () => `${"1,".repeat(999)}1\n`.repeat(1000),
  "quotes.csv": () => '"'.repeat(1_000_001),
  "nested.json": () => `${"[".repeat(100_000)}${"]".repeat(100_000)}`,
  "garbage.pdf": pdfWithGarbage,
  "pages.pdf": () => pdfOf([pageWith("")[0] ?? "", "<</Type/Pages/Kids[2 0 R 2 0 R]/Count 100000>>"]),
  "forms.pdf": pdfOfForms,
  "endless.pdf": endlessPdf,
};
