import { peekZip } from "./archive/peek.ts";
import { oleKind } from "./ole/kind.ts";
import type { Probe, Reader } from "./reader.ts";

const mediaTypes =
  /^application\/vnd\.(?:openxmlformats-officedocument\.spreadsheetml\.(?:sheet|template)|ms-excel\.(?:sheet|template|addin)\.(?:binary\.)?macroenabled(?:\.12)?)$/i;
const extensions: readonly string[] = ["xlsx", "xlsm", "xltx", "xltm", "xlsb"];
const binaryBook = /^\/?xl[\\/]workbook\.bin$/i;

/** Sheets as Markdown tables, with notes, links, text boxes and the titles of charts. */
export const xlsxReader: Reader = {
  id: "xlsx",
  version: 1,
  format: "xlsx",
  name: "Excel workbook",
  extensions,
  library: "own (saxes 6); number formats and .xlsb: @e965/xlsx 0.20.3",
  recognises: (probe) => mediaTypes.test(probe.mediaType ?? "") || holdsSheets(probe) || isLocked(probe),
  async read(input) {
    if (isLocked(input)) {
      const { unlock } = await import("./xlsx/unlock.ts");
      return readOpen({ ...input, bytes: await unlock(input.bytes) });
    }
    return readOpen(input);
  },
};

async function readOpen(input: Parameters<Reader["read"]>[0]): Promise<Awaited<ReturnType<Reader["read"]>>> {
  if (peekZip(input.bytes).names.some((name) => binaryBook.test(name))) {
    const { readBinaryWorkbook } = await import("./xls/read-binary-workbook.ts");
    return readBinaryWorkbook(input);
  }
  const { readXlsx } = await import("./xlsx/read-xlsx.ts");
  return readXlsx(input);
}

/** Some packages are in an order that does not tell their type. */
function holdsSheets(probe: Probe): boolean {
  if (probe.mediaType !== "application/zip") return false;
  const { names } = peekZip(probe.bytes);
  return names.some((name) =>
    /^\/?xl[\\/](?:workbook\.(?:xml|bin)|worksheets[\\/]sheet\d+\.xml)$/i.test(name),
  );
}

/** Encrypted, maybe with the password that Excel tries by itself; what is in it, its name alone tells. */
function isLocked({ bytes, extension }: Probe): boolean {
  return extensions.includes(extension) && oleKind(bytes) === "encrypted";
}
