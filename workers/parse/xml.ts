import type { Reader } from "./reader.ts";

const extensions: readonly string[] = ["xml", "rss", "atom", "rdf", "dbk", "docbook", "opml", "fb2", "svg"];
/** Extensions that say little. */
const vague: ReadonlySet<string> = new Set(["", "txt", "feed"]);

/** Feeds entry by entry, books, outlines and drawings as the text that people see, any other XML as it stands. */
export const xmlReader: Reader = {
  id: "xml",
  version: 3,
  format: "xml",
  name: "XML, feed, outline, DocBook, FictionBook, SVG",
  extensions,
  library: "saxes 6.0",
  recognises: (probe) =>
    probe.text !== null &&
    (extensions.includes(probe.extension) ||
      (vague.has(probe.extension) &&
        /^\s*(?:<\?xml\s|<rss[\s>]|<feed[\s>]|<opml[\s>])/.test(probe.text.text.slice(0, 200)))),
  async read(input) {
    const { readXml } = await import("./xml/read-xml.ts");
    return readXml(input);
  },
};
