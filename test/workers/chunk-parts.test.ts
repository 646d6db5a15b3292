import { describe, expect, it } from "vitest";
import { chunkParts } from "../../workers/chunk/chunk.ts";
import type { Part } from "../../workers/parse/reader.ts";
import { base, chunkTexts, partOf, words } from "../support/chunking.ts";

describe("K7.3 delimiter chunks", () => {
  it("K7.3 cuts after the separator in preference to a nearer end of a paragraph, with escapes decoded", () => {
    const text = `${words(67)}\t|${words(4)}\n\n${words(60)}`;
    const options = { chunkSize: 100, chunkOverlap: 0, strategy: "delimiter", separator: "\\t|" } as const;
    expect(chunkTexts(text, options)[0]?.endsWith("\t|")).toBe(true);
  });

  it.each([
    ["\n\n", "\n"],
    ["\n", "。"],
    ["。", ". "],
    [". ", ", "],
    [", ", " "],
  ])("K7.3 without the separator %j is better than %j", (better, worse) => {
    const text = `${words(76)}${better}${words(1)}${worse}${words(60)}`;
    const chunks = chunkTexts(text, {
      chunkSize: 100,
      chunkOverlap: 0,
      strategy: "delimiter",
      separator: "§",
    });
    expect(chunks[0]).toBe(`${words(76)}${better}`.trim());
  });

  it("K7.3 hard cuts at every separator, however small the pieces", () => {
    const options = { strategy: "delimiter", separator: "---", hard: true } as const;
    expect(chunkTexts("a---b---\n\n---c", options)).toEqual(["a---", "b---", "---", "c"]);
  });

  it("K7.3 an empty separator is the blank line", () => {
    const options = { strategy: "delimiter", separator: null, hard: true } as const;
    expect(chunkTexts("a\n\nb\nc\n\nd", options)).toEqual(["a", "b\nc", "d"]);
  });
});

describe("K7.5 parts of one item", () => {
  const parts: Part[] = [
    { text: "# A\n\nfirst", markup: "markdown", locator: { page: 1 }, lines: null },
    {
      text: "second\n\n## Sub\n\nlast",
      markup: "markdown",
      locator: { page: 3 },
      lines: null,
      headings: ["Chapter"],
    },
  ];

  it("K7.5 parts are cut apart and joined by a blank line; unit indexes run on", () => {
    const { text, chunks } = chunkParts(parts, {
      ...base,
      strategy: "delimiter",
      separator: "\\n\\n",
      hard: true,
    });
    expect(text).toBe("# A\n\nfirst\n\nsecond\n\n## Sub\n\nlast");
    expect(chunks.map((chunk) => text.slice(chunk.charStart, chunk.charEnd))).toEqual([
      "# A",
      "first",
      "second",
      "## Sub",
      "last",
    ]);
    expect(chunks.map((chunk) => chunk.unitIndex)).toEqual([0, 1, 2, 3, 4]);
  });

  it("K7.5 each chunk carries its heading path and its locator", () => {
    const { chunks } = chunkParts(parts, { ...base, strategy: "delimiter", separator: "\\n\\n", hard: true });
    expect(chunks.map((chunk) => chunk.headings)).toEqual([
      ["A"],
      ["A"],
      ["Chapter"],
      ["Chapter", "Sub"],
      ["Chapter", "Sub"],
    ]);
    expect(chunks.map((chunk) => chunk.locator?.page)).toEqual([1, 1, 3, 3, 3]);
  });

  it("K7.5 lines are those of the file", () => {
    const part: Part = {
      text: "a\nb\n\nc\nd",
      markup: "plain",
      locator: null,
      lines: { kind: "same", first: 5 },
    };
    const { chunks } = chunkParts([part], { ...base, strategy: "delimiter", separator: null, hard: true });
    expect(chunks.map((chunk) => chunk.locator)).toEqual([
      { lineStart: 5, lineEnd: 6 },
      { lineStart: 8, lineEnd: 9 },
    ]);
  });

  it("K7.5 a deeper heading ends with the next one of its level or above", () => {
    const text = "# A\n\n## B\n\n### C\n\n## D\n\ntext\n\n# E\n";
    const { chunks } = chunkParts([partOf(text)], {
      ...base,
      strategy: "delimiter",
      separator: null,
      hard: true,
    });
    expect(chunks.map((chunk) => chunk.headings.join(" > "))).toEqual([
      "A",
      "A > B",
      "A > B > C",
      "A > D",
      "A > D",
      "E",
    ]);
  });
});

describe("K7.5 headings that a reader knows of", () => {
  it("K7.5 an outline stands instead of the headings that the markup shows, and a cut before its lines is a good one", () => {
    const text = `* One\n${words(67)}\n** Two\n${words(60)}`;
    const part: Part = {
      ...partOf(text, "plain"),
      outline: [
        { line: 0, level: 1, text: "One" },
        { line: 2, level: 2, text: "Two" },
      ],
    };
    const { chunks, firstHeading } = chunkParts([part], { ...base, chunkSize: 100, chunkOverlap: 0 });
    expect(firstHeading).toBe("One");
    expect(chunks.map(({ headings }) => headings)).toEqual([["One"], ["One", "Two"]]);
    expect(text.slice(chunks[1]?.charStart)).toMatch(/^\*\* Two\n/);
  });
});
