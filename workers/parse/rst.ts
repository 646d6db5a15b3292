import type { Reader } from "./reader.ts";

const extensions: readonly string[] = ["rst", "rest", "restx", "rtxt"];

/** reStructuredText as Markdown, each line with the line of the file that it comes from. */
export const rstReader: Reader = {
  id: "rst",
  version: 1,
  format: "rst",
  name: "reStructuredText",
  extensions,
  library: "own",
  recognises: (probe) => probe.text !== null && extensions.includes(probe.extension),
  async read(input) {
    const { readRst } = await import("./rst/read-rst.ts");
    return readRst(input);
  },
};
