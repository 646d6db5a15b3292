import { deflateSync } from "node:zlib";
import type { Zoo } from "./zoo.ts";

const MIB = 2 ** 20;

/** A PDF out of its objects, the first of which is the catalogue. */
export function rawPdf(objects: Iterable<string | Buffer>, trailer = ""): Buffer {
  const chunks: Buffer[] = [Buffer.from("%PDF-1.7\n")];
  const offsets: string[] = [];
  let at = chunks[0]?.length ?? 0;
  for (const object of objects) {
    offsets.push(`${String(at).padStart(10, "0")} 00000 n \n`);
    const body = [`${offsets.length} 0 obj\n`, object, "\nendobj\n"].map((piece) => Buffer.from(piece));
    chunks.push(...body);
    at += body.reduce((sum, piece) => sum + piece.length, 0);
  }
  const size = offsets.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join("")}`;
  const end = `${table}trailer\n<</Size ${size}/Root 1 0 R${trailer}>>\nstartxref\n${at}\n%%EOF`;
  return Buffer.concat([...chunks, Buffer.from(end)]);
}

export function stream(content: string | Buffer, keys = ""): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([
    Buffer.from(`<</Length ${bytes.length}${keys}>>\nstream\n`),
    bytes,
    Buffer.from("\nendstream"),
  ]);
}

const font = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>";
const catalog = "<</Type/Catalog/Pages 2 0 R>>";
const oneKid = "<</Type/Pages/Kids[3 0 R]/Count 1>>";

/** One page: its contents are object 4, its font 5, further objects follow from 6. */
function onePage(
  contents: string | Buffer,
  more: readonly (string | Buffer)[] = [],
  { resources = "", page = "", root = "" } = {},
): Buffer {
  return rawPdf([
    `<</Type/Catalog/Pages 2 0 R${root}>>`,
    oneKid,
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>${resources}>>${page}>>`,
    typeof contents === "string" ? stream(contents) : contents,
    font,
    ...more,
  ]);
}

const said = "BT /F1 12 Tf 72 720 Td (zqpage words) Tj ET";

function packedOften(times: number, megabytes: number): Buffer {
  let bytes: Buffer = Buffer.alloc(megabytes * MIB, " ");
  for (let n = 0; n < times; n++) bytes = deflateSync(bytes);
  return stream(bytes, `/Filter[${"/FlateDecode".repeat(times)}]`);
}

function* millionObjects(): Generator<string | Buffer> {
  yield catalog;
  yield oneKid;
  yield "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>";
  yield stream(said);
  yield font;
  for (let n = 0; n < 1_000_000; n++) yield "<</A 1>>";
}

function* manyPages(): Generator<string | Buffer> {
  yield catalog;
  yield `<</Type/Pages/Kids[${Array.from({ length: 100_000 }, (_, n) => `${n + 5} 0 R`).join(" ")}]/Count 100000>>`;
  yield stream(said);
  yield font;
  for (let n = 0; n < 100_000; n++)
    yield "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 3 0 R/Resources<</Font<</F1 4 0 R>>>>>>";
}

function* deepPages(): Generator<string> {
  yield catalog;
  for (let n = 2; n < 50_000; n++) yield `<</Type/Pages/Kids[${n + 1} 0 R]/Count 1/Parent ${n - 1} 0 R>>`;
}

/** Outlines whose next ones lead back. */
const outlines = [
  "<</First 7 0 R/Last 7 0 R/Count 9>>",
  "<</Title(a)/Parent 6 0 R/Next 8 0 R/First 7 0 R>>",
  "<</Title(b)/Parent 6 0 R/Next 7 0 R/First 6 0 R>>",
];
const names = ["<</EmbeddedFiles 7 0 R>>", "<</Kids[7 0 R 8 0 R]>>", "<</Kids[7 0 R]/Names[(a) 8 0 R]>>"];
const fields = [
  "<</Fields[7 0 R]>>",
  "<</T(a)/Kids[7 0 R 8 0 R]/Parent 8 0 R>>",
  "<</T(b)/Kids[7 0 R]/Parent 7 0 R>>",
];
const toUnicode = (ranges: string): (string | Buffer)[] => [
  "<</Type/Font/Subtype/Type0/BaseFont/A/Encoding/Identity-H/DescendantFonts[7 0 R]/ToUnicode 8 0 R>>",
  "<</Type/Font/Subtype/CIDFontType0/BaseFont/A/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/DW 1000>>",
  stream(ranges),
];
const shown = "BT /F2 12 Tf 72 720 Td <00010002> Tj ET";
const withFont = { resources: "/Font<</F2 6 0 R>>" };

/** PDFs that are larger than they look, or turn in circles. */
export const pdfs: Zoo = {
  "a million objects.pdf": () => rawPdf(millionObjects()),
  "100000 pages.pdf": () => rawPdf(manyPages()),
  "pages 50000 deep.pdf": () => rawPdf(deepPages()),
  "pages that loop.pdf": () =>
    rawPdf([
      catalog,
      "<</Type/Pages/Kids[2 0 R 3 0 R]/Count 3>>",
      "<</Type/Pages/Kids[2 0 R]/Parent 2 0 R/Count 9>>",
    ]),
  "a page that is its parent.pdf": () =>
    rawPdf([
      catalog,
      "<</Type/Pages/Kids[3 0 R]/Count 1/Parent 3 0 R>>",
      "<</Type/Page/Parent 3 0 R/Contents 3 0 R/Resources 3 0 R>>",
    ]),
  "two billion pages.pdf": () =>
    rawPdf([
      catalog,
      "<</Type/Pages/Kids[3 0 R]/Count 2147483647>>",
      "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>",
    ]),
  "minus one page.pdf": () =>
    rawPdf([
      catalog,
      "<</Type/Pages/Kids[3 0 R]/Count -1>>",
      "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>",
    ]),
  "a table before itself.pdf": () =>
    Buffer.from(
      onePage(said)
        .toString("latin1")
        .replace("/Root", `/Prev ${onePage(said).lastIndexOf("xref\n0")}/Root`),
      "latin1",
    ),
  "a length that is itself.pdf": () =>
    onePage(Buffer.from("<</Length 4 0 R>>\nstream\nBT /F1 12 Tf (zqpage) Tj ET\nendstream")),
  "contents of 500 MB.pdf": () => onePage(packedOften(1, 500)),
  "contents packed ten times.pdf": () => onePage(packedOften(10, 500)),
  "a filter 10000 times.pdf": () => onePage(stream("x", `/Filter[${"/ASCIIHexDecode".repeat(10_000)}]`)),
  "run lengths.pdf": () =>
    onePage(stream(Buffer.from("8120".repeat(1_000_000), "hex"), "/Filter/RunLengthDecode")),
  "a million texts.pdf": () => onePage(`BT /F1 1 Tf ${"(a) Tj 1 1 Td ".repeat(1_000_000)} ET`),
  "a million letters in one place.pdf": () =>
    onePage(`BT /F1 1 Tf 72 720 Td ${"(a) Tj ".repeat(500_000)} ET`),
  "a text of 20 MB.pdf": () => onePage(`BT /F1 12 Tf 72 720 Td (${"zqlong words ".repeat(1_600_000)}) Tj ET`),
  "a million lines drawn.pdf": () => onePage(`${"0 0 m 1 1 l S ".repeat(1_000_000)}${said}`),
  "saves without end.pdf": () => onePage("q ".repeat(1_000_000) + said),
  "brackets without end.pdf": () => onePage("[".repeat(1_000_000)),
  "dictionaries without end.pdf": () => onePage("BDC << ".repeat(300_000)),
  "a form that draws itself.pdf": () =>
    onePage(
      "/X Do",
      [stream("/X Do /X Do", "/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 6 0 R>>>>")],
      { resources: "/XObject<</X 6 0 R>>" },
    ),
  "outlines that loop.pdf": () => onePage(said, outlines, { root: "/Outlines 6 0 R" }),
  "names that loop.pdf": () => onePage(said, names, { root: "/Names 6 0 R" }),
  "fields that loop.pdf": () =>
    onePage(said, fields, { root: "/AcroForm 6 0 R", page: "/Annots[7 0 R 8 0 R]" }),
  "100000 notes.pdf": () =>
    onePage(said, ["<</Type/Annot/Subtype/Text/Contents(a note)/Rect[0 0 9 9]>>"], {
      page: `/Annots[${"6 0 R ".repeat(100_000)}]`,
    }),
  "a map of all characters.pdf": () =>
    onePage(
      shown,
      toUnicode(
        "1 begincodespacerange <0000> <ffffffff> endcodespacerange 1 beginbfrange <00000000> <ffffffff> <0041> endbfrange",
      ),
      withFont,
    ),
  "a map of a million ranges.pdf": () =>
    onePage(shown, toUnicode("100 beginbfrange <0000> <ffff> <0041> endbfrange\n".repeat(20_000)), withFont),
  "a map that uses itself.pdf": () =>
    onePage(shown, toUnicode("/Identity-H usecmap 8 0 R usecmap"), withFont),
  "a page as wide as the world.pdf": () =>
    rawPdf([
      catalog,
      oneKid,
      "<</Type/Page/Parent 2 0 R/MediaBox[-1e308 -1e308 1e308 1e308]/Rotate 90000000/UserUnit 1e300/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
      stream(said),
      font,
    ]),
  "texts out of the world.pdf": () =>
    onePage(
      Array.from(
        { length: 20_000 },
        (_, n) => `BT /F1 1e${n % 300} Tf 1 0 0 1 ${n}e9 -${n}e9 Tm (zq) Tj ET`,
      ).join("\n"),
    ),
  "an open string.pdf": () => onePage(`BT (${"(".repeat(1_000_000)}`),
  "a name of 10 MB.pdf": () => onePage(`/${"A".repeat(10 * MIB)} Do`),
  "a number of 10 MB.pdf": () => onePage(`${"9".repeat(10 * MIB)} Tf`),
  "a 100 MB title.pdf": () =>
    rawPdf(
      [
        catalog,
        oneKid,
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R>>",
        stream(said),
        `<</Title(${"T".repeat(20 * MIB)})>>`,
      ],
      "/Info 5 0 R",
    ),
  "comments.pdf": () => Buffer.concat([Buffer.from("%PDF-1.4\n"), Buffer.from("%\n".repeat(5_000_000))]),
  "objects that never end.pdf": () => `%PDF-1.4\n${"1 0 obj <<".repeat(500_000)}`,
  "ends alone.pdf": () => `%PDF-1.4\n${"endobj ".repeat(500_000)}trailer<</Root 1 0 R>>`,
  "a million trailers.pdf": () => `%PDF-1.4\n${"trailer<</Root 1 0 R>>\n".repeat(300_000)}`,
  "a million object heads.pdf": () =>
    `%PDF-1.4\n${Array.from({ length: 500_000 }, (_, n) => `${n} 0 obj\n`).join("")}`,
};
