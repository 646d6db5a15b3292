import type { Probe, Reader } from "./reader.ts";
import { textOf } from "./text-of.ts";

/** Extensions that any JSON may have. */
const vague: ReadonlySet<string> = new Set(["json", "txt", ""]);

/** A Jupyter notebook as Markdown: its texts, its code in fences, and what the code wrote. */
export const notebookReader: Reader = {
  id: "notebook",
  version: 3,
  format: "notebook",
  name: "Jupyter notebook",
  extensions: ["ipynb"],
  library: "own",
  recognises: (probe) =>
    probe.text !== null && (probe.extension === "ipynb" || isNotebook(probe, probe.text.text)),
  async read(input) {
    const { readNotebook } = await import("./notebook/read-notebook.ts");
    return readNotebook(textOf(input), input.firstLine);
  },
};

function isNotebook({ extension }: Probe, text: string): boolean {
  return (
    vague.has(extension) &&
    text.startsWith("{") &&
    /"nbformat"\s*:\s*\d/.test(text) &&
    /"(?:cells|worksheets)"\s*:\s*\[/.test(text)
  );
}
