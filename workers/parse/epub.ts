import { peekZip } from "./archive/peek.ts";
import type { Probe, Reader } from "./reader.ts";

const mediaType = "application/epub+zip";

/** Books as Markdown, a part for each chapter. */
export const epubReader: Reader = {
  id: "epub",
  version: 3,
  format: "epub",
  name: "EPUB book",
  extensions: ["epub"],
  library: "own (saxes 6, htmlparser2 10.1)",
  recognises: (probe) => probe.mediaType === mediaType || isUnmarked(probe),
  async read(input) {
    const { readBook } = await import("./epub/read-book.ts");
    return readBook(input);
  },
};

/** The entry that names the type should come first; some books lack it. Other formats have a container too. */
function isUnmarked(probe: Probe): boolean {
  if (probe.mediaType !== "application/zip") return false;
  const zip = peekZip(probe.bytes);
  const named = zip.text("mimetype")?.trim();
  if (named === mediaType) return true;
  const has = (suffix: string): boolean => zip.names.some((name) => name.toLowerCase().endsWith(suffix));
  return named === undefined && (has("meta-inf/container.xml") || probe.extension === "epub") && has(".opf");
}
