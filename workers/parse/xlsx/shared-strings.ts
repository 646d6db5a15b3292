import { ReadProblem } from "../reader.ts";
import type { PartReader } from "../spreadsheet/large-part.ts";
import { binaryStrings } from "../xlsb/book-parts.ts";
import { walkXml } from "../xml/walk.ts";
import { createStringItem } from "./string-item.ts";

/** The texts that cells name by number; of a damaged list what stands before the damage. */
export async function readSharedStrings(
  part: string | null,
  parts: PartReader,
): Promise<{ strings: readonly string[]; problem: string | null }> {
  if (part?.endsWith(".bin") === true) return readBinaryStrings(part, parts);
  const strings: string[] = [];
  const item = createStringItem();
  let inside = false;
  let cut: string | null = null;
  try {
    const read = part === null ? null : await parts.text(part);
    cut = read?.cut ?? null;
    await walkXml(read?.text ?? "<none/>", {
      open(name) {
        if (name === "si") {
          inside = true;
          item.clear();
        } else if (inside) item.open(name);
      },
      text: (piece) => {
        if (inside) item.text(piece);
      },
      close(name) {
        if (name === "si") {
          strings.push(item.value());
          inside = false;
        } else if (inside) item.close(name);
      },
    });
  } catch (error) {
    if (!(error instanceof ReadProblem)) throw error;
    return { strings, problem: cut ?? error.message };
  }
  return { strings, problem: null };
}

async function readBinaryStrings(
  part: string,
  parts: PartReader,
): Promise<{ strings: readonly string[]; problem: string | null }> {
  try {
    const read = await parts.bytes(part);
    if (read === null) return { strings: [], problem: null };
    const { strings, isWhole } = binaryStrings(read.bytes);
    return { strings, problem: isWhole ? null : (read.cut ?? "the list is cut off.") };
  } catch (error) {
    if (!(error instanceof ReadProblem)) throw error;
    return { strings: [], problem: error.message };
  }
}
