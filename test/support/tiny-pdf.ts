import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";

/** A page as the operators that draw it, and what its dictionary has beside them. */
export interface DrawnPage {
  readonly draw: string;
  /** Width and height; US Letter by default. */
  readonly size?: readonly [number, number];
  /** More entries of its dictionary, as PDF writes them. */
  readonly more?: string;
  /** Bodies of annotation dictionaries, without their brackets. */
  readonly annotations?: readonly string[];
}

export interface TinyPdf {
  /** For each page its lines, from the top down, or what is drawn on it. */
  readonly pages: readonly (readonly string[] | DrawnPage)[];
  readonly title?: string;
  /** More entries of the information dictionary: "/Author (Ada)". */
  readonly info?: string;
  /** More entries of the catalogue. */
  readonly catalog?: string;
  /** Titles with the index of the page they lead to and the depth they stand at (1 is the outermost). */
  readonly bookmarks?: readonly (readonly [title: string, page: number, depth: number])[];
  readonly attachments?: readonly { readonly name: string; readonly bytes: Uint8Array }[];
  /** Packs what draws the pages. */
  readonly packed?: boolean;
  /** An encryption dictionary that no empty password opens. */
  readonly locked?: boolean;
  /** Encrypted with an empty password. */
  readonly sealed?: boolean;
  /** More objects. */
  readonly extra?: readonly string[];
}

/** F1 is Helvetica; J and V are Japanese, written level and upright, C is Chinese, T any script: texts in UTF-16. */
const fonts: readonly string[] = [
  "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
  cidFont("UniJIS-UTF16-H", "Japan1"),
  cidFont("UniJIS-UTF16-V", "Japan1"),
  cidFont("UniGB-UTF16-H", "GB1"),
];

function cidFont(cmap: string, ordering: string): string {
  const system = `<< /Registry (Adobe) /Ordering (${ordering}) /Supplement 4 >>`;
  const box = "/FontBBox [0 -200 1000 900] /Ascent 900 /Descent -200 /CapHeight 900 /StemV 80 /ItalicAngle 0";
  const descriptor = `<< /Type /FontDescriptor /FontName /Nowhere /Flags 4 ${box} >>`;
  const descendant = `<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Nowhere /CIDSystemInfo ${system} /DW 1000 /FontDescriptor ${descriptor} >>`;
  return `<< /Type /Font /Subtype /Type0 /BaseFont /Nowhere-${cmap} /Encoding /${cmap} /DescendantFonts [${descendant}] >>`;
}

/** Operators that draw a text at a place; degrees turn it counter-clockwise. */
export function at(
  x: number,
  y: number,
  text: string,
  {
    size = 10,
    degrees = 0,
    font = "F1",
  }: { size?: number; degrees?: number; font?: "F1" | "J" | "V" | "C" | "T" } = {},
): string {
  const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  const shown =
    font === "F1" ? `(${escaped(text)})` : `<${Buffer.from(text, "utf16le").swap16().toString("hex")}>`;
  const matrix = [cos, sin, -sin, cos, x, y].map((number) => number.toFixed(4)).join(" ");
  return `BT /${font} ${size} Tf ${matrix} Tm ${shown} Tj ET\n`;
}

/** A column of lines from a place downwards. */
export function lines(x: number, y: number, texts: readonly string[], size = 10, leading = 12): string {
  return texts.map((text, index) => at(x, y - index * leading, text, { size })).join("");
}

/** A small PDF with built-in fonts; enough for any reader of PDF. */
export function tinyPdf(pdf: TinyPdf): Buffer {
  const objects: (string | Buffer)[] = [];
  const add = (body: string | Buffer): number => objects.push(body);
  const reserve = (): number => add("null");
  const [catalog, tree] = [reserve(), reserve()];
  const [f1, j, v, c] = fonts.map(add);
  const toUnicode = add(streamOf(Buffer.from("1 beginbfrange <0000> <FFFF> <0000> endbfrange", "latin1")));
  const t = add(`${cidFont("Identity-H", "Identity").slice(0, -2)} /ToUnicode ${toUnicode} 0 R >>`);
  const resources = `/Resources << /Font << /F1 ${f1} 0 R /J ${j} 0 R /V ${v} 0 R /C ${c} 0 R /T ${t} 0 R >> >>`;
  const pages = pdf.pages.map((page) => {
    const drawn: DrawnPage = "draw" in page ? page : { draw: linesFromTop(page) };
    const content = add(streamOf(Buffer.from(drawn.draw, "latin1"), "", pdf.packed));
    const annotations = (drawn.annotations ?? []).map((body) => `${add(`<< /Type /Annot ${body} >>`)} 0 R`);
    const [width, height] = drawn.size ?? [612, 792];
    return add(
      `<< /Type /Page /Parent ${tree} 0 R /MediaBox [0 0 ${width} ${height}] ${resources} /Contents ${content} 0 R ` +
        `/Annots [${annotations.join(" ")}] ${drawn.more ?? ""} >>`,
    );
  });
  objects[tree - 1] =
    `<< /Type /Pages /Kids [${pages.map((page) => `${page} 0 R`).join(" ")}] /Count ${pages.length} >>`;
  const outline =
    pdf.bookmarks === undefined ? "" : `/Outlines ${addBookmarks(pdf.bookmarks, pages, add, objects)} 0 R`;
  objects[catalog - 1] =
    `<< /Type /Catalog /Pages ${tree} 0 R ${outline} ${namesOf(pdf, add)} ${pdf.catalog ?? ""} >>`;
  for (const body of pdf.extra ?? []) add(body);
  const title = pdf.title === undefined ? "" : `/Title (${escaped(pdf.title)})`;
  const info =
    title === "" && pdf.info === undefined ? "" : `/Info ${add(`<< ${title} ${pdf.info ?? ""} >>`)} 0 R`;
  return fileOf(objects, `/Root ${catalog} 0 R ${info}`, pdf);
}

function linesFromTop(texts: readonly string[]): string {
  return `BT /F1 12 Tf 14 TL 50 750 Td ${texts.map((line) => `(${escaped(line)}) Tj T*`).join(" ")} ET`;
}

function streamOf(content: Uint8Array, more = "", packed = false): Buffer {
  const bytes = packed ? deflateSync(content) : content;
  const filter = packed ? "/Filter /FlateDecode" : "";
  return Buffer.concat([
    Buffer.from(`<< /Length ${bytes.length} ${filter} ${more} >>\nstream\n`, "latin1"),
    bytes,
    Buffer.from("\nendstream", "latin1"),
  ]);
}

function addBookmarks(
  bookmarks: NonNullable<TinyPdf["bookmarks"]>,
  pages: readonly number[],
  add: (body: string) => number,
  objects: (string | Buffer)[],
): number {
  const root = add("null");
  const numbers = bookmarks.map(() => add("null"));
  const parentOf = (index: number): number => {
    const depth = bookmarks[index]?.[2] ?? 1;
    for (let above = index - 1; above >= 0; above--) if ((bookmarks[above]?.[2] ?? 1) < depth) return above;
    return -1;
  };
  const childrenOf = (parent: number): number[] =>
    bookmarks.flatMap((_, index) => (parentOf(index) === parent ? [index] : []));
  const link = (name: string, index: number | undefined): string =>
    index === undefined ? "" : `/${name} ${numbers[index]} 0 R`;
  const ends = (children: readonly number[]): string =>
    `${link("First", children[0])} ${link("Last", children.at(-1))} /Count ${children.length}`;
  for (const [index, [title, page]] of bookmarks.entries()) {
    const parent = parentOf(index);
    const siblings = childrenOf(parent);
    const place = siblings.indexOf(index);
    const above = parent === -1 ? `/Parent ${root} 0 R` : link("Parent", parent);
    const beside = `${link("Prev", siblings[place - 1])} ${link("Next", siblings[place + 1])}`;
    objects[(numbers[index] ?? 0) - 1] =
      `<< /Title (${escaped(title)}) ${above} ${beside} ${ends(childrenOf(index))} /Dest [${pages[page]} 0 R /Fit] >>`;
  }
  objects[root - 1] = `<< /Type /Outlines ${ends(childrenOf(-1))} >>`;
  return root;
}

function namesOf(pdf: TinyPdf, add: (body: string | Buffer) => number): string {
  if (pdf.attachments === undefined) return "";
  const files = pdf.attachments.map(({ name, bytes }) => {
    const stream = add(streamOf(bytes, "/Type /EmbeddedFile", pdf.packed));
    return `(${escaped(name)}) << /Type /Filespec /F (${escaped(name)}) /UF (${escaped(name)}) /EF << /F ${stream} 0 R >> >>`;
  });
  return `/Names << /EmbeddedFiles << /Names [${files.join(" ")}] >> >>`;
}

function fileOf(objects: readonly (string | Buffer)[], root: string, pdf: TinyPdf): Buffer {
  const key = pdf.sealed === true ? seal() : null;
  const chunks: Buffer[] = [Buffer.from("%PDF-1.4\n", "latin1")];
  let length = chunks[0]?.length ?? 0;
  const write = (part: string | Buffer): void => {
    const bytes = typeof part === "string" ? Buffer.from(part, "latin1") : part;
    chunks.push(bytes);
    length += bytes.length;
  };
  const offsets = objects.map((body, index) => {
    const offset = length;
    write(`${index + 1} 0 obj\n`);
    write(key === null || typeof body === "string" ? body : sealStream(body, key.key, index + 1));
    write("\nendobj\n");
    return offset;
  });
  const start = length;
  write(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`);
  write(offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join(""));
  const noPassword = "0".repeat(64);
  const locked = `/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <${noPassword}> /U <${noPassword}> >> /ID [<00> <00>]`;
  const lock = pdf.locked === true ? locked : (key?.entry ?? "");
  write(`trailer\n<< /Size ${objects.length + 1} ${root} ${lock} >>\nstartxref\n${start}\n%%EOF\n`);
  return Buffer.concat(chunks);
}

const padding = Buffer.from("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a", "hex");

/** The standard handler's revision 2 with an empty password. Strings outside streams stay as they are: none is needed. */
function seal(): { key: Buffer; entry: string } {
  const owner = rc4(createHash("md5").update(padding).digest().subarray(0, 5), padding);
  const id = Buffer.from([0]);
  const permissions = Buffer.from([0xfc, 0xff, 0xff, 0xff]);
  const digest = createHash("md5").update(padding).update(owner).update(permissions).update(id).digest();
  const key = digest.subarray(0, 5);
  const user = rc4(key, padding);
  const entry = `/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <${owner.toString("hex")}> /U <${user.toString("hex")}> >> /ID [<00> <00>]`;
  return { key, entry };
}

function sealStream(body: Buffer, key: Buffer, number: number): Buffer {
  const mark = body.indexOf("stream\n") + 7;
  const end = body.length - "\nendstream".length;
  const salt = Buffer.from([number & 255, (number >> 8) & 255, (number >> 16) & 255, 0, 0]);
  const objectKey = createHash("md5").update(key).update(salt).digest().subarray(0, 10);
  return Buffer.concat([
    body.subarray(0, mark),
    rc4(objectKey, body.subarray(mark, end)),
    body.subarray(end),
  ]);
}

function rc4(key: Buffer, input: Buffer): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, index) => index);
  const swap = (a: number, b: number): void => {
    [state[a], state[b]] = [state[b] ?? 0, state[a] ?? 0];
  };
  for (let i = 0, j = 0; i < 256; i++) {
    j = (j + (state[i] ?? 0) + (key[i % key.length] ?? 0)) & 255;
    swap(i, j);
  }
  let i = 0;
  let j = 0;
  return Buffer.from(
    input.map((byte) => {
      i = (i + 1) & 255;
      j = (j + (state[i] ?? 0)) & 255;
      swap(i, j);
      return byte ^ (state[((state[i] ?? 0) + (state[j] ?? 0)) & 255] ?? 0);
    }),
  );
}

function escaped(text: string): string {
  return text.replaceAll(/[\\()]/g, String.raw`\$&`);
}
