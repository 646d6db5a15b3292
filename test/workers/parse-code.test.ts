import { describe, expect, it } from "vitest";
import { chunkParts } from "../../workers/chunk/chunk.ts";
import { base } from "../support/chunking.ts";
import { sourcePart, symbolsOf } from "../support/source.ts";

const nested = "a<b,\n".repeat(60_000);

describe("chunks of source code", () => {
  /** Functions of 11 lines and about 90 tokens, with a comment above each. */
  const functionOf = (name: string): string =>
    `/** What ${name} does. */\nexport function ${name}(value: number): number {\n${"  value += value * 31;\n".repeat(8)}  return value;\n}\n`;
  const names = Array.from({ length: 40 }, (_, index) => `step${index}`);

  it("K7.2 each function that fits a chunk is whole in one, with the comment above it", async () => {
    const source = `import x from "y";\n\n${names.map(functionOf).join("\n")}`;
    const { chunks } = chunkParts([await sourcePart("a.ts", source)], {
      ...base,
      chunkSize: 160,
      chunkOverlap: 60,
    });
    const texts = chunks.map(({ charStart, charEnd }) => source.slice(charStart, charEnd));
    for (const name of names) {
      expect(texts.some((text) => text.includes(functionOf(name).trim()))).toBe(true);
    }
  });

  it("K7.5 each chunk carries the path of the symbols that hold it", async () => {
    const methods = names.map((name) => `  ${name}() {\n${"    this.count += 1;\n".repeat(8)}  }\n`);
    const source = `class Counter {\n${methods.join("")}}\n\nfunction long() {\n${"  again();\n".repeat(100)}}\n`;
    const { chunks } = chunkParts([await sourcePart("a.js", source)], {
      ...base,
      chunkSize: 90,
      chunkOverlap: 0,
    });
    expect(chunks[0]?.headings).toEqual(["class Counter", "step0()"]);
    expect(chunks[7]?.headings).toEqual(["class Counter", "step7()"]);
    expect(chunks.at(-1)?.headings).toEqual(["long()"]);
  });

  it("K7.5 a chunk of many small functions is called by none of them", async () => {
    const source = names.map((name) => `function ${name}() {\n  return 1;\n}\n`).join("\n");
    const { chunks } = chunkParts([await sourcePart("a.js", source)], base);
    expect(chunks.map(({ headings }) => headings)).toEqual([[]]);
  });

  it("K7.2 a function larger than a chunk is cut at its blank lines and line ends", async () => {
    const source = `function long() {\n${"  again();\n  again();\n\n".repeat(200)}}\n`;
    const { chunks } = chunkParts([await sourcePart("a.js", source)], {
      ...base,
      chunkSize: 100,
      chunkOverlap: 20,
    });
    for (const { charStart, charEnd } of chunks.slice(1)) {
      expect(source.slice(charStart, charEnd)).toMatch(/^again\(\);\n[^]*[;}]$/);
    }
  });
});

describe("source code that is kept as plain lines", () => {
  it.each([
    ["minified", "a.js", `function a(){${"x=1;".repeat(3000)}}`],
    ["larger than 1 MB", "a.js", "function a() {\n  return 1;\n}\n".repeat(40_000)],
    ["of a language without a grammar", "a.lua", "function a()\n  return 1\nend\n"],
  ])("%s", async (_, name, source) => {
    expect((await sourcePart(name, source)).outline).toBeUndefined();
  });

  it("P10 text made to confuse a parser ends within its memory, and the next file is read as ever", async () => {
    expect((await sourcePart("bad.ts", nested)).outline).toBeUndefined();
    expect(await symbolsOf("a.ts", "function a() {\n  return 1;\n}\n")).toEqual(["1-3 a()"]);
  });

  it.each([
    ["open brackets", "a.ts", "(\n".repeat(50_000)],
    ["nested functions", "a.js", "function f() {\n".repeat(20_000)],
    [
      "nested classes",
      "a.py",
      Array.from({ length: 300 }, (_, depth) => `${" ".repeat(depth)}class A:`).join("\n"),
    ],
    ["NUL and odd signs", "a.rs", "\uFFFD\u0001fn a() {\n}\n\u2028'".repeat(500)],
  ])("P10 %s are read within bounds", async (_, name, source) => {
    const { outline } = await sourcePart(name, source);
    for (const { level } of outline ?? []) expect(level).toBeLessThanOrEqual(6);
  });
});

describe("symbols", () => {
  it("broken code gives the symbols that are sound", async () => {
    const source =
      "function good() {\n  return 1;\n}\n\nclass {{{ %%%\n\nfunction late() {\n  return 2;\n}\n";
    expect(await symbolsOf("a.js", source)).toContain("1-3 good()");
  });

  it("names are cut at 120 characters", async () => {
    const [symbol] = await symbolsOf("a.js", `function ${"long".repeat(100)}() {\n  return 1;\n}\n`);
    expect(symbol).toBe(`1-3 ${"long".repeat(100).slice(0, 119)}…()`);
  });

  it("a comment that a blank line parts from a symbol stays outside", async () => {
    expect(await symbolsOf("a.go", "// File.\n\n// Main.\nfunc main() {\n\trun()\n}\n")).toEqual([
      "3-6 main()",
    ]);
  });

  it("symbols that share a line are one", async () => {
    expect(await symbolsOf("a.js", "function a() {\n  x();\n} function b() {\n  y();\n}\n")).toEqual([
      "1-3 a()",
    ]);
  });

  it("K7.5 each chunk says the lines of the file that it stands on", async () => {
    const part = await sourcePart("a.py", "def a():\n    return 1\n\ndef b():\n    return 2\n");
    const { chunks } = chunkParts([part], { ...base, chunkSize: 8, chunkOverlap: 0 });
    expect(chunks.map(({ headings, locator }) => [headings, locator?.lineStart, locator?.lineEnd])).toEqual([
      [["a()"], 1, 2],
      [["b()"], 4, 5],
    ]);
  });
});
