import { peekZip } from "./archive/peek.ts";
import type { Probe, Reader } from "./reader.ts";

const mediaTypes =
  /^application\/vnd\.(?:openxmlformats-officedocument\.presentationml\.(?:presentation|slideshow|template)|ms-powerpoint\.(?:presentation|slideshow|template)\.macroenabled(?:\.12)?)$/i;

/** Slides as Markdown, with their tables, charts, diagrams, comments and notes. */
export const pptxReader: Reader = {
  id: "pptx",
  version: 1,
  format: "pptx",
  name: "PowerPoint presentation",
  extensions: ["pptx", "pptm", "ppsx", "ppsm", "potx", "potm"],
  library: "own (saxes 6)",
  recognises: (probe) => mediaTypes.test(probe.mediaType ?? "") || holdsSlides(probe),
  async read(input) {
    const { readDeck } = await import("./pptx/read-deck.ts");
    return readDeck(input);
  },
};

/** Some packages are in an order that does not tell their type. */
function holdsSlides(probe: Probe): boolean {
  if (probe.mediaType !== "application/zip") return false;
  const zip = peekZip(probe.bytes);
  if (zip.text("[Content_Types].xml")?.includes("presentationml.") === true) return true;
  return zip.names.some((name) => /^\/?ppt[\\/](?:presentation\.xml|slides[\\/]slide\d+\.xml)$/i.test(name));
}
