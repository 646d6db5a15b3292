import { oleKind } from "./ole/kind.ts";
import type { Probe, Reader } from "./reader.ts";

/** Workbooks of before 2007. */
export const xlsReader: Reader = {
  id: "xls",
  version: 2,
  format: "xls",
  name: "Excel 97 to 2003 workbook",
  extensions: ["xls", "xlt", "xlw"],
  library: "@e965/xlsx 0.20.3",
  recognises: (probe) => oleKind(probe.bytes) === "excel" || isBareStream(probe),
  async read(input) {
    const { readXls } = await import("./xls/read-xls.ts");
    return readXls(input);
  },
};

/** Before 1993 a sheet was a stream of records alone; its first record tells the version. */
function isBareStream({ bytes, text, extension }: Probe): boolean {
  if (text !== null || !xlsReader.extensions.includes(extension)) return false;
  return bytes[0] === 0x09 && [0x00, 0x02, 0x04, 0x08].includes(bytes[1] ?? 0xff) && (bytes[3] ?? 1) === 0;
}
