import type { PartReader } from "../spreadsheet/large-part.ts";
import { binaryStyles } from "../xlsb/book-parts.ts";
import { attribute, walkXml } from "../xml/walk.ts";

/** The number format of each cell style, by the style's number: a format code, or the number of a built-in one. */
export async function readStyles(
  part: string | null,
  parts: PartReader,
): Promise<readonly (string | number)[]> {
  if (part === null) return [];
  if (part.endsWith(".bin")) return binaryStyles((await parts.bytes(part))?.bytes ?? new Uint8Array());
  const xml = (await parts.text(part))?.text ?? "<none/>";
  const codes = new Map<number, string>();
  const formats: number[] = [];
  let inCellFormats = false;
  await walkXml(xml, {
    open(name, attributes) {
      if (name === "numFmt")
        codes.set(Number(attribute(attributes, "numFmtId")), attribute(attributes, "formatCode") ?? "");
      else if (name === "cellXfs") inCellFormats = true;
      else if (name === "xf" && inCellFormats) formats.push(Number(attribute(attributes, "numFmtId") ?? 0));
    },
    close(name) {
      if (name === "cellXfs") inCellFormats = false;
    },
  });
  return formats.map((id) => codes.get(id) ?? (Number.isInteger(id) ? id : 0));
}
