import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chunkParts, type ChunkedText } from "../../workers/chunk/chunk.ts";
import type { PreparedSegment, ReadOutcome } from "../../workers/contract.ts";
import { sha256 } from "../../workers/ids.ts";
import { cutSegments } from "../../workers/parse/segments.ts";
import { readFiles } from "../../workers/read-files.ts";
import { spooledSegments, spoolSegments } from "../../workers/spool.ts";
import { chunkSettings, documents } from "../support/chunk-documents.ts";
import { base, partOf } from "../support/chunking.ts";
import { inputFor, written } from "../support/slices.ts";
import { temporaryFolder } from "../support/temporary.ts";

const head = {
  materialId: "material",
  relativePath: "a.md",
  title: "a",
  format: "markdown",
  firstUnit: 0,
  joint: "",
};

interface Whole {
  readonly text: string;
  readonly units: { charStart: number; charEnd: number; headings: readonly string[]; unitIndex: number }[];
}

/** The segments put together again. */
function joined(segments: readonly PreparedSegment[]): Whole {
  let text = "";
  const units: Whole["units"] = [];
  for (const segment of segments) {
    expect(segment.contentHash).toBe(sha256(segment.text));
    for (const { charStart, charEnd, headings, unitIndex, textHash } of segment.units) {
      expect(textHash).toBe(sha256(segment.text.slice(charStart, charEnd)));
      units.push({ charStart: text.length + charStart, charEnd: text.length + charEnd, headings, unitIndex });
    }
    text += segment.text;
  }
  return { text, units };
}

describe("a text in segments", () => {
  it("K7.1 has all of its chunks, each inside one segment; at a cut one may begin later, and never later than the cut", () => {
    fc.assert(
      fc.property(
        fc.array(documents, { minLength: 1, maxLength: 3 }),
        chunkSettings,
        fc.integer({ min: 40, max: 400 }),
        (texts, chunking, maxChars) => {
          const chunked = chunkParts(
            texts.map((text) => partOf(text)),
            chunking,
          );
          const segments = [...cutSegments(chunked, { ...head, maxChars })];
          const { text, units } = joined(segments);
          expect(text).toBe(chunked.text);
          expect(units.map((unit) => unit.unitIndex)).toEqual(units.map((_, at) => at));
          expectSameChunks(chunked, units, segments);
          const longest = Math.max(
            ...chunked.chunks.map((chunk) => chunk.charEnd - chunk.charStart),
            maxChars,
          );
          for (const segment of segments) expect(segment.text.length).toBeLessThanOrEqual(longest);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("runs on where the one before ended, and its last text ends with the joint", () => {
    const chunked = chunkParts([partOf("one two three. ".repeat(60))], { ...base, chunkSize: 20 });
    const [first] = cutSegments(chunked, { ...head, firstUnit: 7, joint: "\n\n", maxChars: 300 });
    expect(first?.units[0]?.unitIndex).toBe(7);
    const all = [...cutSegments(chunked, { ...head, firstUnit: 7, joint: "\n\n", maxChars: 300 })];
    expect(all.map(({ text }) => text).join("")).toBe(`${chunked.text}\n\n`);
  });
});

/** White space behind a cut belongs to no chunk, so that a chunk may begin behind it. */
function expectSameChunks(
  { text, chunks }: ChunkedText,
  units: Whole["units"],
  segments: readonly PreparedSegment[],
): void {
  const cuts = new Set<number>();
  let length = 0;
  for (const segment of segments) cuts.add((length += segment.text.length));
  const kept = units.map((unit) => unit.charEnd);
  const dropped = chunks.filter((chunk) => !kept.includes(chunk.charEnd));
  expect(dropped).toEqual([]);
  for (const [at, unit] of units.entries()) {
    const chunk = chunks[at];
    expect(unit.headings).toEqual(chunk?.headings);
    if (unit.charStart === chunk?.charStart) continue;
    const cut = [...cuts]
      .filter((place) => place > (chunk?.charStart ?? 0) && place <= unit.charStart)
      .at(-1);
    expect(cut).toBeDefined();
    expect(text.slice(cut, unit.charStart).trim()).toBe("");
  }
}

describe("files.read of a text that is too long for one message", () => {
  /** Over a million characters, of a format that is read whole. */
  const page = `<h1>Long</h1>${Array.from({ length: 30_000 }, (_, n) => `<p>Paragraph ${n} of a page that goes on.</p>`).join("")}`;
  const read = async (spool: string | undefined): Promise<ReadOutcome | undefined> => {
    const file = inputFor(written("page.html", page), spool === undefined ? {} : { spool });
    return (await readFiles({ files: [file] })).outcomes[0];
  };

  it("K7.1 sets it down in the spool, the same text and chunks that one message would have", async () => {
    const spool = path.join(temporaryFolder(), "spool");
    const [spooled, whole] = [await read(spool), await read(undefined)];
    if (spooled?.kind !== "spooled" || whole?.kind !== "document")
      throw new Error(JSON.stringify(spooled).slice(0, 500));
    const segments: PreparedSegment[] = [];
    for await (const segment of spooledSegments(spool)) segments.push(segment);
    expect(segments.length).toBeGreaterThan(1);
    const { text, units } = joined(segments);
    expect(text).toBe(whole.document.text);
    expect(units).toHaveLength(whole.document.units.length);
    const { text: _, contentHash: __, units: ___, ...about } = whole.document;
    expect(spooled).toMatchObject({
      byteHash: whole.byteHash,
      document: { ...about, spool },
    });
  });

  it("writes no spool for a text that fits", async () => {
    const spool = path.join(temporaryFolder(), "spool");
    const { outcomes } = await readFiles({
      files: [inputFor(written("a.md", "short"), { spool, longFileBytes: 1e6 })],
    });
    expect(outcomes[0]?.kind).toBe("document");
    expect(existsSync(spool)).toBe(false);
  });

  it("overwrites nothing", async () => {
    const spool = path.join(temporaryFolder(), "spool");
    writeFileSync(spool, "of somebody else");
    expect(await read(spool)).toMatchObject({ kind: "failed", message: expect.stringContaining("EEXIST") });
  });

  it("a spool that can't be written is no fault of the file: it is tried again", async () => {
    const spool = path.join(temporaryFolder(), "away", "spool");
    expect(await read(spool)).toMatchObject({ kind: "failed", failure: "io", permanent: false });
  });

  it("a spool that is not written to its end is not left behind", () => {
    const spool = path.join(temporaryFolder(), "spool");
    const chunked = chunkParts([partOf("one two three. ".repeat(60))], base);
    const document = { chunked, head };
    expect(() => spoolSegments(spool, document, AbortSignal.abort())).toThrow("aborted");
    expect(existsSync(spool)).toBe(false);
    const unwritable = { chunked, head: { ...head, title: Symbol("no text") as unknown as string } };
    expect(() => spoolSegments(spool, unwritable, undefined)).toThrow(/symbol/i);
    expect(existsSync(spool)).toBe(false);
  });

  it.each([1, 3, 100])("a spool that lacks its last %i bytes is not taken for a whole one", async (bytes) => {
    const spool = path.join(temporaryFolder(), "spool");
    expect((await read(spool))?.kind).toBe("spooled");
    writeFileSync(spool, readFileSync(spool).subarray(0, -bytes));
    const reading = (async () => {
      for await (const segment of spooledSegments(spool)) expect(segment.text).not.toBe("");
    })();
    await expect(reading).rejects.toThrow("not written to its end");
  });
});
