import { peekZip } from "./archive/peek.ts";
import { oleKind } from "./ole/kind.ts";
import type { Probe, Reader } from "./reader.ts";

const mediaTypes =
  /^application\/vnd\.(?:openxmlformats-officedocument\.spreadsheetml\.(?:sheet|template)|ms-excel\.(?:sheet|template|addin)\.(?:binary\.)?macroenabled(?:\.12)?)$/i;
const extensions: readonly string[] = ["xlsx", "xlsm", "xltx", "xltm", "xlsb"];

/** Sheets as Markdown tables, with notes, links, text boxes and the titles of charts. */
export const xlsxReader: Reader = {
  id: "xlsx",
  version: 1,
  format: "xlsx",
  name: "Excel workbook",
  extensions,
  library: "own (saxes 6); number formats by @e965/xlsx 0.20.3",
  recognises: (probe) => mediaTypes.test(probe.mediaType ?? "") || holdsSheets(probe) || isLocked(probe),
  async read(input) {
    const { readXlsx } = await import("./xlsx/read-xlsx.ts");
    if (isLocked(input)) {
      const { unlock } = await import("./xlsx/unlock.ts");
      return readXlsx({ ...input, bytes: await unlock(input.bytes) });
    }
    return readXlsx(input);
  },
};

/** Some packages are in an order that does not tell their type. */
function holdsSheets(probe: Probe): boolean {
  if (probe.mediaType !== "application/zip") return false;
  const { names } = peekZip(probe.bytes);
  return names.some((name) =>
    /^\/?xl[\\/](?:workbook\.(?:xml|bin)|worksheets[\\/]sheet\d+\.(?:xml|bin))$/i.test(name),
  );
}

/** Encrypted, maybe with the password that Excel tries by itself; what is in it, its name alone tells. */
function isLocked({ bytes, extension }: Probe): boolean {
  return extensions.includes(extension) && oleKind(bytes) === "encrypted";
}
