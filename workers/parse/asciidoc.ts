import type { Reader } from "./reader.ts";

const extensions: readonly string[] = ["adoc", "asciidoc", "asc"];

/** AsciiDoc as Markdown, each line with the line of the file that it comes from. */
export const asciidocReader: Reader = {
  id: "asciidoc",
  version: 2,
  format: "asciidoc",
  name: "AsciiDoc",
  extensions,
  library: "own",
  // An armoured key is named .asc too.
  recognises: (probe) =>
    probe.text !== null && extensions.includes(probe.extension) && !probe.text.text.startsWith("-----BEGIN "),
  async read(input) {
    const { readAsciidoc } = await import("./asciidoc/read-asciidoc.ts");
    return readAsciidoc(input);
  },
};
