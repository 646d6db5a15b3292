import * as fc from "fast-check";
import MarkdownIt, { type Token } from "markdown-it";
import { describe, expect, it } from "vitest";
import { outlineOf } from "../../workers/chunk/outline.ts";
import { lineStarts } from "../../workers/chunk/lines.ts";
import { headingText } from "../../workers/chunk/markdown/heading-text.ts";
import { markdownStructure } from "../../workers/chunk/markdown/structure.ts";

const reference = new MarkdownIt({ html: true }).disable(["reference", "table"]);

/** The same facts as a full CommonMark parser sees them. */
function referenceStructure(text: string): {
  headings: [number, number][];
  fences: number[];
  rules: number[];
  items: number[];
} {
  const tokens: Token[] = [];
  reference.block.parse(text, reference, {}, tokens);
  const headings: [number, number][] = [];
  const lines = { fences: [] as number[], rules: [] as number[], items: [] as number[] };
  for (const [index, token] of tokens.entries()) {
    const line = token.map?.[0];
    if (line === undefined) continue;
    if (token.type === "fence") lines.fences.push(line);
    if (token.type === "list_item_open") lines.items.push(line);
    if (token.level > 0) continue;
    if (token.type === "hr") lines.rules.push(line);
    if (token.type === "heading_open" && headingText(tokens[index + 1]?.content ?? "") !== "") {
      headings.push([line, Number(token.tag.slice(1))]);
    }
  }
  return { headings, ...lines };
}

/** Blocks as people write them, nested to any depth: each a list of lines. */
const { blocks } = fc.letrec<{ block: string[]; blocks: string[] }>((tie) => ({
  block: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<string[]>(
      ["some text", "that goes on"],
      ["# one"],
      ["### three ###"],
      ["#no heading"],
      ["Title", "====="],
      ["Two lines", "of title", "---"],
      ["***"],
      ["- - -"],
      ["```js", "# no heading", "", "- no item", "```"],
      ["~~~~", "```", "~~~", "~~~~"],
      ["``` not ` a fence"],
      ["    indented", "", "    # code"],
      ["<!-- a", "# b", "", "-->"],
      ["<div>", "# in html", "</div>"],
      ["<pre>", "", "# in pre", "</pre>"],
      ["| a | b |", "| - | - |", "| 1 | 2 |"],
      ["| a", "- | -", "---"],
    ),
    tie("blocks").map((lines) => lines.map((line) => `> ${line}`)),
    tie("blocks").map((lines) => lines.map((line, index) => (index === 0 ? `- ${line}` : `  ${line}`))),
    tie("blocks").map((lines) => lines.map((line, index) => (index === 0 ? `12. ${line}` : `    ${line}`))),
    tie("blocks").map((lines) => lines.map((line, index) => (index === 0 ? `+   ${line}` : `    ${line}`))),
  ),
  blocks: fc
    .array(tie("block"), { minLength: 1, maxLength: 5 })
    .map((parts) => parts.flatMap((lines) => [...lines, ""]).slice(0, -1)),
}));

describe("Markdown is taken apart as CommonMark says", () => {
  it("K7.2 headings, fences, rules and list items are those of a full parser", () => {
    fc.assert(
      fc.property(blocks, (lines) => {
        const text = lines.join("\n");
        const found = markdownStructure(text, lineStarts(text), 0);
        const expected = referenceStructure(text);
        expect({
          headings: found.headings.map(({ line: at, level }) => [at, level]),
          fences: found.fences.map(([first]) => first),
          rules: found.rules,
          items: found.listItems,
        }).toEqual(expected);
      }),
      { numRuns: 400 },
    );
  });

  it("K7.2 tabs indent the lines of a list item", () => {
    const text = "*\titem\n\n\t```\n\t# no heading\n\t```\n\n# Heading\n";
    const { headings, fences } = markdownStructure(text, lineStarts(text), 0);
    expect({ headings, fences }).toEqual({
      headings: [{ line: 6, level: 1, text: "Heading" }],
      fences: [[2, 5]],
    });
  });

  it("K7.2 line ends of Windows change nothing", () => {
    const text = "# A\n\n```\ncode\n```\n\nB\n===\n\n- x\n";
    const windows = text.replaceAll("\n", "\r\n");
    expect(markdownStructure(windows, lineStarts(windows), 0)).toEqual(
      markdownStructure(text, lineStarts(text), 0),
    );
  });

  it.each([
    ["**Bold** and `code`", "Bold and code"],
    ["[Link](http://example.org/a_b) text", "Link text"],
    ["![alt](x.png) Picture", "alt Picture"],
    ["snake_case_name stays", "snake_case_name stays"],
    ["C\\# and <b>tags</b> {#anchor}", "C# and tags"],
    ["  spaces   inside ", "spaces inside"],
    ["x".repeat(500), "x".repeat(200)],
  ])("a heading %j reads %j", (source, text) => {
    expect(headingText(source)).toBe(text);
  });

  it("front matter holds no headings", () => {
    const text = "---\n# comment\ntitle: x\n---\n# Body\n";
    expect(outlineOf(text, "markdown", text.indexOf("# Body")).headings.map(({ text }) => text)).toEqual([
      "Body",
    ]);
  });
});

describe("plain text", () => {
  it("underlined lines are headings, their level by the order of the marks", () => {
    const text = "Title\n=====\n\nintro\n\nPart\n----\n\ntext\n\nDeeper\n~~~~~~\n\nOther\n-----\n";
    expect(outlineOf(text, "plain").headings.map(({ level, text }) => `${level} ${text}`)).toEqual([
      "1 Title",
      "2 Part",
      "3 Deeper",
      "2 Other",
    ]);
  });

  it.each([
    ["a table's rule", "a    b\n==== ====\n"],
    ["a line that goes on", "first line\nsecond line\n---\n"],
    ["a short rule under a long line", "a rather long line of text\n---\n"],
    ["a rule alone", "\n-----\n"],
  ])("%s makes no heading", (_, text) => {
    expect(outlineOf(text, "plain").headings).toEqual([]);
  });
});
