import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { at, tinyPdf } from "./tiny-pdf.ts";
import { temporaryFolder } from "./temporary.ts";

/** A PDF of pictures alone, one page for each line of text, as a scanner makes them. Needs pdftoppm. */
export function scannedPdf(lines: readonly string[]): Buffer {
  const folder = temporaryFolder();
  const typed = path.join(folder, "typed.pdf");
  writeFileSync(typed, tinyPdf({ pages: lines.map((line) => ({ draw: at(72, 700, line, { size: 24 }) })) }));
  execFileSync("pdftoppm", ["-r", "100", "-gray", typed, path.join(folder, "page")]);
  const scans = readdirSync(folder)
    .filter((name) => name.endsWith(".pgm"))
    .sort();
  return pictures(scans.map((name) => graymap(readFileSync(path.join(folder, name)))));
}

interface Picture {
  readonly width: number;
  readonly height: number;
  readonly pixels: Buffer;
}

/** A binary PGM: "P5", width, height, 255, then a byte a pixel. */
function graymap(bytes: Buffer): Picture {
  const head = /^P5\s+(\d+)\s+(\d+)\s+255\s/.exec(bytes.subarray(0, 64).toString("latin1"));
  if (head === null) throw new Error("no PGM");
  return { width: Number(head[1]), height: Number(head[2]), pixels: bytes.subarray(head[0].length) };
}

function pictures(scans: readonly Picture[]): Buffer {
  const pieces: Buffer[] = [Buffer.from("%PDF-1.4\n")];
  const offsets: number[] = [];
  const add = (...body: (string | Buffer)[]): void => {
    offsets.push(pieces.reduce((sum, piece) => sum + piece.length, 0));
    pieces.push(
      Buffer.from(`${offsets.length} 0 obj\n`),
      ...body.map((part) => Buffer.from(part)),
      Buffer.from("\nendobj\n"),
    );
  };
  const pageOf = (at: number): number => 3 + 3 * at;
  add("<</Type/Catalog/Pages 2 0 R>>");
  add(`<</Type/Pages/Count ${scans.length}/Kids[${scans.map((_, n) => `${pageOf(n)} 0 R`).join(" ")}]>>`);
  scans.forEach(({ width, height, pixels }, n) => {
    const draw = "q 612 0 0 792 0 0 cm /I Do Q";
    add(
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents ${pageOf(n) + 1} 0 R`,
      `/Resources<</XObject<</I ${pageOf(n) + 2} 0 R>>>>>>`,
    );
    add(`<</Length ${draw.length}>>\nstream\n${draw}\nendstream`);
    const keys = `/Type/XObject/Subtype/Image/Width ${width}/Height ${height}/ColorSpace/DeviceGray/BitsPerComponent 8`;
    add(`<<${keys}/Length ${pixels.length}>>\nstream\n`, pixels, "\nendstream");
  });
  const table = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const size = offsets.length + 1;
  pieces.push(
    Buffer.from(
      `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer\n<</Size ${size}/Root 1 0 R>>\nstartxref\n${table}\n%%EOF`,
    ),
  );
  return Buffer.concat(pieces);
}
