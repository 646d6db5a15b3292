import { peekZip } from "./archive/peek.ts";
import type { Probe, Reader } from "./reader.ts";

const mediaType = "application/vnd.oasis.opendocument.presentation";
/** Characters of an XML file in which its kind is named. */
const HEAD_LENGTH = 8192;

/** OpenDocument slides as Markdown, packed or as one XML file. */
export const odpReader: Reader = {
  id: "odp",
  version: 1,
  format: "odp",
  name: "OpenDocument presentation",
  extensions: ["odp", "otp", "fodp"],
  library: "own (saxes 6)",
  recognises: (probe) =>
    probe.mediaType?.startsWith(mediaType) === true || isUnmarked(probe) || isFlat(probe),
  async read(input) {
    const { readPresentation } = await import("./odp/read-presentation.ts");
    return readPresentation(input);
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

function isFlat(probe: Probe): boolean {
  if (probe.text === null || !probe.text.text.startsWith("<?xml")) return false;
  const head = probe.text.text.slice(0, HEAD_LENGTH);
  return head.includes(":document") && head.includes(`mimetype="${mediaType}`);
}
