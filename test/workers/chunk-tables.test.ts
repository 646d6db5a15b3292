import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chunkParts } from "../../workers/chunk/chunk.ts";
import { lineStarts } from "../../workers/chunk/lines.ts";
import { markdownStructure } from "../../workers/chunk/markdown/structure.ts";
import { estimateTokens } from "../../workers/chunk/tokens.ts";
import { base, chunkTexts, partOf, words } from "../support/chunking.ts";

const tablesOf = (text: string): string[][] => {
  const lines = text.split("\n");
  return markdownStructure(text, lineStarts(text), 0).tables.map(([first, after]) =>
    lines.slice(first, after),
  );
};
const row = (index: number): string => `| row ${index} | some words that fill the cell |`;
const tableOf = (rows: number): string =>
  ["| Name | What it is |", "| --- | :-: |", ...Array.from({ length: rows }, (_, index) => row(index))].join(
    "\n",
  );

describe("tables of Markdown", () => {
  it.each([
    [
      "with bars at its edges",
      "text\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\ntext",
      ["| a | b |", "|---|---|", "| 1 | 2 |"],
    ],
    ["without", "a | b\n--- | ---\n1 | 2\n\ntext", ["a | b", "--- | ---", "1 | 2"]],
    ["right under a paragraph", "text\n| a |\n| - |\n| 1 |\n# Next", ["| a |", "| - |", "| 1 |"]],
    ["in a quote", "> | a |\n> | - |\n> | 1 |\n\ntext", ["> | a |", "> | - |", "> | 1 |"]],
    ["in a list", "- | a |\n  | - |\n  | 1 |\n- next", ["- | a |", "  | - |", "  | 1 |"]],
    ["at the end", "| a |\n| - |\n| 1 |", ["| a |", "| - |", "| 1 |"]],
  ])("a table %s is found with all its rows", (_, text, lines) => {
    expect(tablesOf(text)).toEqual([lines]);
  });

  it.each([
    ["a fence", "```\n| a |\n| - |\n```"],
    ["a heading with a bar", "a | b\n---\n"],
    ["bars without a row of dashes", "| a |\n| b |\n"],
    ["a row of dashes alone", "| - |\n| 1 |\n"],
  ])("%s is no table", (_, text) => {
    expect(tablesOf(text)).toEqual([]);
  });

  it("K7.2 a table that fits a chunk is whole in one", () => {
    const table = tableOf(8);
    for (let before = 1; before < 90; before += 4) {
      const text = `${words(before)}\n\n${table}\n\n${words(100)}`;
      const chunks = chunkTexts(text, { chunkSize: 130, chunkOverlap: 30 });
      expect(chunks.some((chunk) => chunk.includes(table))).toBe(true);
    }
  });

  it("K7.2 a larger table is cut between rows, never behind its header", () => {
    const chunks = chunkTexts(`${words(70)}\n\n${tableOf(60)}\n\n${words(60)}`, {
      chunkSize: 100,
      chunkOverlap: 20,
    });
    const rows = chunks.flatMap((chunk) => chunk.split("\n").filter((line) => line.startsWith("|")));
    expect(rows.every((line) => line.endsWith("|"))).toBe(true);
    expect(chunks.find((chunk) => chunk.includes("| Name |"))).toContain(`| --- | :-: |\n${row(0)}`);
  });

  it("K7.2 rows wider than the window of a cut stay whole", () => {
    const wide = Array.from({ length: 20 }, (_, index) => `| ${index} | ${words(50)} |`);
    const chunks = chunkTexts(["| a | b |", "|---|---|", ...wide].join("\n"), {
      chunkSize: 100,
      chunkOverlap: 10,
    });
    for (const line of wide) expect(chunks.some((chunk) => chunk.includes(line))).toBe(true);
  });
});

describe("fences in lists and quotes", () => {
  it.each([
    ["a list", "- item\n\n  ```js\n", "  let a = 1;\n", "  ```\n"],
    ["a quote", "> said\n>\n> ```\n", "> let a = 1;\n", "> ```\n"],
    ["a list in a quote", "> 1. item\n>    ~~~\n", ">    let a = 1;\n", ">    ~~~\n"],
  ])("K7.2 a fence in %s is whole in one chunk where it fits", (_, opening, line, closing) => {
    const fence = `${opening.trimEnd().split("\n").at(-1)}\n${line.repeat(8)}${closing}`.trim();
    for (let before = 1; before < 80; before += 4) {
      const text = `${words(before)}\n\n${opening}${line.repeat(8)}${closing}\n${words(100)}`;
      const chunks = chunkTexts(text, { chunkSize: 110, chunkOverlap: 30 });
      expect(chunks.some((chunk) => chunk.includes(fence))).toBe(true);
    }
  });
});

describe("rows", () => {
  const cell = fc.stringMatching(/^[a-z ]{0,30}$/);
  const rows = fc.array(fc.array(cell, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 80 });

  it("K7.2 a table's text is cut only between rows, as long as a row fits a chunk", () => {
    fc.assert(
      fc.property(
        rows,
        fc.integer({ min: 60, max: 200 }),
        fc.integer({ min: 0, max: 40 }),
        (cells, size, overlap) => {
          const text = cells.map((row, index) => [index, ...row].join(" | ").trim()).join("\n");
          const starts = new Set(lineStarts(text));
          const { chunks } = chunkParts([partOf(text, "table")], {
            ...base,
            chunkSize: size,
            chunkOverlap: overlap,
          });
          for (const { charStart, charEnd } of chunks) {
            expect(estimateTokens(text.slice(charStart, charEnd))).toBeLessThanOrEqual(size + 1);
            expect(starts.has(charStart)).toBe(true);
            expect(charEnd === text.length || text[charEnd] === "\n").toBe(true);
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it("K7.2 a row larger than a chunk is cut at words", () => {
    const chunks = chunkTexts(`a | b\n${words(300)}\nc | d`, { chunkSize: 100, chunkOverlap: 0 }, "table");
    expect(chunks.length).toBeGreaterThan(3);
    for (const chunk of chunks.slice(1, -1)) expect(chunk).toMatch(/^x[a-z]{3} [^]*x[a-z]{3}$/);
  });
});
