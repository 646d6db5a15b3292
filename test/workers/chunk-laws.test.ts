import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chunkParts } from "../../workers/chunk/chunk.ts";
import { outlineOf } from "../../workers/chunk/outline.ts";
import { estimateTokens } from "../../workers/chunk/tokens.ts";
import type { Markup } from "../../workers/parse/reader.ts";
import { chunkSettings as settings, documents } from "../support/chunk-documents.ts";
import { base, chunkTexts, partOf, words } from "../support/chunking.ts";

describe("K7.1 chunks are exact slices of the text", () => {
  it("K7.1 no edge of a chunk splits a surrogate pair or a grapheme cluster, and nothing but white space is lost", () => {
    const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
    fc.assert(
      fc.property(
        documents,
        settings,
        fc.constantFrom<Markup>("markdown", "plain", "code", "table"),
        (text, options, markup) => {
          const { chunks } = chunkParts([partOf(text, markup)], options);
          const edges = new Set([...segmenter.segment(text)].map(({ index }) => index).concat(text.length));
          const seen = new Uint8Array(text.length);
          for (const [index, chunk] of chunks.entries()) {
            expect(chunk.unitIndex).toBe(index);
            expect(chunk.charEnd).toBeGreaterThan(chunk.charStart);
            expect(edges.has(chunk.charStart) && edges.has(chunk.charEnd)).toBe(true);
            expect(chunk.charEnd).toBeGreaterThan(chunks[index - 1]?.charEnd ?? 0);
            expect(text.slice(chunk.charStart, chunk.charEnd).trim()).not.toBe("");
            seen.fill(1, chunk.charStart, chunk.charEnd);
          }
          const lost = Array.from(seen, (mark, at) => (mark === 0 ? text[at] : "")).join("");
          expect(lost.trim()).toBe("");
        },
      ),
      { numRuns: 200 },
    );
  });

  it("K7.1 a cluster without end, of joined signs in pairs, is cut through none of its pairs", () => {
    const text = `Subject: x\n\n${"\u{1F468}\u200D".repeat(8000)}`;
    for (const chunkSize of [16, 255, 1024, 1500, 2049]) {
      for (const chunk of chunkTexts(text, { chunkSize, chunkOverlap: Math.floor(chunkSize / 5) }, "plain"))
        expect(Buffer.from(chunk).toString()).toBe(chunk);
    }
  });

  it("K7.1 a cluster of thousands of combining marks is cut between code points and loses nothing", () => {
    const text = `e${"\u0301".repeat(5000)}`;
    const { chunks } = chunkParts([partOf(text)], { ...base, chunkOverlap: 0 });
    expect(chunks.map((chunk) => text.slice(chunk.charStart, chunk.charEnd)).join("")).toBe(text);
  });
});

describe("K7.2 structured chunks", () => {
  it("K7.2 no chunk is larger than its budget and a cluster, and none ends or begins inside a fence that fits one", () => {
    fc.assert(
      fc.property(documents, settings, (text, options) => {
        const structured = { ...options, strategy: "structured" as const };
        const { chunks } = chunkParts([partOf(text)], structured);
        const fences = outlineOf(text, "markdown").fences.map(({ start, end }) => {
          const content = text.slice(start, end);
          return {
            start: start + (content.length - content.trimStart().length),
            end: start + content.trimEnd().length,
          };
        });
        for (const { charStart, charEnd } of chunks) {
          expect(estimateTokens(text.slice(charStart, charEnd))).toBeLessThanOrEqual(options.chunkSize + 24);
          for (const fence of fences) {
            if (estimateTokens(text.slice(fence.start, fence.end)) >= options.chunkSize - 1) continue;
            expect(charStart > fence.start && charStart < fence.end).toBe(false);
            expect(charEnd > fence.start && charEnd < fence.end).toBe(false);
          }
        }
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ["h1 over a nearer blank line", "\n# One\n", "\n\n", "# One"],
    ["h2 over a nearer blank line", "\n## Two\n", "\n\n", "## Two"],
    ["a fence line over what is inside the fence", "\n```\n", "\n\n", "```"],
    ["a rule over a nearer blank line", "\n\n---\n", "\n\n", "---"],
    ["a blank line over a nearer list item", "\n\nfar ", "\n- near ", "far"],
    ["a list item over a nearer line end", "\n- far ", "\nnear ", "- far"],
  ])("K7.2 cuts at %s inside the window", (_, far, close, begins) => {
    // 100 tokens a chunk: the window is the tokens 78 to 100; far stands at 80, close at about 87.
    const text = `${words(67)}${far}${words(4)}${close}${words(60)}`;
    expect(chunkTexts(text, { chunkSize: 100, chunkOverlap: 0 })[1]?.startsWith(begins)).toBe(true);
  });

  it("K7.2 the score falls with the square of the distance: a far heading of level 2 loses to a near one of level 5", () => {
    const text = `${words(67)}\n## Far\n${words(11)}\n##### Near\n${words(60)}`;
    expect(chunkTexts(text, { chunkSize: 100, chunkOverlap: 0 })[1]?.startsWith("##### Near")).toBe(true);
  });

  it("K7.2 a boundary in front of the window is not taken", () => {
    const text = `${words(50)}\n# Early\n${words(100)}`;
    expect(chunkTexts(text, { chunkSize: 100, chunkOverlap: 0 })[0]).toContain("# Early");
  });

  it("K7.2 without a boundary the cut is at the target, and words stay whole", () => {
    const chunks = chunkTexts(words(400), { chunkSize: 100, chunkOverlap: 20 });
    for (const chunk of chunks.slice(0, -1)) {
      expect(estimateTokens(chunk)).toBeGreaterThan(98);
      expect(chunk).toMatch(/^x[a-z]{3} .* x[a-z]{3}$/);
    }
  });

  it("K7.2 the next chunk begins about `overlap` tokens before the cut", () => {
    const text = words(2000);
    const { chunks } = chunkParts([partOf(text, "plain")], { ...base, chunkSize: 200, chunkOverlap: 50 });
    expect(chunks.length).toBeGreaterThan(15);
    for (const [index, chunk] of chunks.slice(1).entries()) {
      const shared = estimateTokens(text.slice(chunk.charStart, chunks[index]?.charEnd));
      expect(shared).toBeGreaterThan(47);
      expect(shared).toBeLessThanOrEqual(51);
    }
  });

  it("K7.2 a fence larger than the budget is cut at line ends", () => {
    const lines = Array.from({ length: 60 }, (_, index) => `let variable${index} = ${index};`);
    const chunks = chunkTexts(`Intro\n\n\`\`\`js\n${lines.join("\n")}\n\`\`\`\n`, {
      chunkSize: 100,
      chunkOverlap: 10,
    });
    for (const chunk of chunks.slice(1, -1)) expect(chunk).toMatch(/^let variable\d+ = \d+;\n[^]*;$/);
  });

  it("K7.2 a heading mark inside a fence is no heading", () => {
    const { chunks, firstHeading } = chunkParts([partOf("```sh\n# comment\n```\n\n# Real\n\ntext")], base);
    expect(firstHeading).toBe("Real");
    expect(chunks[0]?.headings).toEqual([]);
  });
});

describe("K7.4 time is linear", () => {
  it.each([
    ["equal letters", "a".repeat(2_000_000)],
    ["spaces", `x${" ".repeat(2_000_000)}x`],
    ["emoji families", "👨‍👩‍👧‍👦".repeat(50_000)],
    ["flags", "🇩🇪".repeat(100_000)],
    ["nested quotes", `${"> ".repeat(50)}x\n`.repeat(10_000)],
    ["open brackets", "[".repeat(500_000)],
    ["fences", "```\n```\n".repeat(50_000)],
    ["an open fence", `\`\`\`\n${"x\n".repeat(500_000)}`],
    ["headings", "# a\n".repeat(100_000)],
    [
      "deep lists",
      Array.from({ length: 5000 }, (_, index) => `${" ".repeat((index % 200) * 2)}- x`).join("\n"),
    ],
  ])("K7.4 %s are cut without harm", (_, text) => {
    const { chunks } = chunkParts([partOf(text)], base);
    expect(chunks.at(-1)?.charEnd).toBe(text.trimEnd().length);
  });
});
