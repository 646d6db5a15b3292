import type { Reader } from "./reader.ts";

const extensions: readonly string[] = ["tex", "latex", "ltx"];

/** LaTeX as the text that it sets, in Markdown; each line with the line of the file that it comes from. */
export const latexReader: Reader = {
  id: "latex",
  version: 2,
  format: "latex",
  name: "LaTeX",
  extensions,
  library: "own",
  recognises: (probe) => probe.text !== null && extensions.includes(probe.extension),
  async read(input) {
    const { readLatex } = await import("./latex/read-latex.ts");
    return readLatex(input);
  },
};
