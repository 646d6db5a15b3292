import { peekZip } from "./archive/peek.ts";
import type { Probe, Reader } from "./reader.ts";

const mediaType = "application/vnd.oasis.opendocument.spreadsheet";
/** Characters of an XML file in which its kind is named. */
const HEAD_LENGTH = 8192;

/** OpenDocument sheets as Markdown tables, packed or as one XML file. */
export const odsReader: Reader = {
  id: "ods",
  version: 1,
  format: "ods",
  name: "OpenDocument spreadsheet",
  extensions: ["ods", "ots", "fods"],
  library: "own (saxes 6)",
  recognises: (probe) =>
    probe.mediaType?.startsWith(mediaType) === true || isUnmarked(probe) || isFlat(probe),
  async read(input) {
    const { readFlatOds, readOds } = await import("./ods/read-ods.ts");
    return input.text === null ? readOds(input) : readFlatOds(input, input.text.text);
  },
};

/** The entry that names the type should come first, but not every program keeps to it. */
function isUnmarked(probe: Probe): boolean {
  if (probe.mediaType !== "application/zip") return false;
  const zip = peekZip(probe.bytes);
  if (zip.text("mimetype")?.trim().startsWith(mediaType) === true) return true;
  return (
    zip.names.includes("content.xml") && zip.text("META-INF/manifest.xml")?.includes(`"${mediaType}`) === true
  );
}

function isFlat({ text }: Probe): boolean {
  if (text === null || !text.text.startsWith("<?xml")) return false;
  const head = text.text.slice(0, HEAD_LENGTH);
  return head.includes(":document") && head.includes(`mimetype="${mediaType}`);
}
