import { describe, expect, it } from "vitest";
import { parseAs } from "../support/parse.ts";

const many = 50_000;
describe("P10 hostile markup is read in bounded time, and lines and origins agree", () => {
  it.each([
    ["org", "[[".repeat(many)],
    ["org", `|${"a|".repeat(many)}`],
    ["org", "#+begin_src\n".repeat(many)],
    ["org", `${"#+begin_quote\n".repeat(many)}#+end_quote`],
    ["org", `#+FILETAGS: ${":a".repeat(10 * many)}`],
    ["rst", "`a <".repeat(many)],
    ["rst", Array.from({ length: 1000 }, (_, depth) => `${" ".repeat(depth)}.. note::\n`).join("\n")],
    ["rst", `+${"-+".repeat(1000)}\n${`|${" |".repeat(1000)}\n`.repeat(100)}`],
    ["adoc", "----\n....\n".repeat(many)],
    ["adoc", `|===\n${"999*|a\n".repeat(many)}|===\n`],
    ["adoc", `:a: x \\\n${"yyyyyyyy \\\n".repeat(many)}`],
    ["adoc", `:a: ${"{a}".repeat(100)}\n${"{a}".repeat(many)}`],
    ["yaml", "- &a [*a]\n".repeat(6000)],
    ["tex", "\\section{".repeat(many)],
    ["tex", `\\begin{tabular}{l}${"\\\\".repeat(many)}\\end{tabular}`],
    ["tex", "\\begin{verbatim}".repeat(many)],
    ["tex", "\\footnote{".repeat(many)],
    ["tex", "{".repeat(20 * many)],
  ])("%s %#", async (extension, text) => {
    const { parts } = await parseAs(`a.${extension}`, text);
    for (const part of parts) {
      if (part.lines?.kind !== "map" || part.text === "") continue;
      expect(part.lines.of).toHaveLength(part.text.split("\n").length);
      expect(part.text.length).toBeLessThan(10 * text.length);
    }
  });
});
