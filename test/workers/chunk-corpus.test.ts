import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { ChunkSettings } from "../../workers/contract.ts";
import { ReadProblem } from "../../workers/parse/reader.ts";
import { parserName, readers } from "../../workers/parse/registry.ts";
import { expectChunkLaws, prepareWhole } from "../support/chunk-laws.ts";
import { base } from "../support/chunking.ts";
import { createStory, type Story } from "../support/corpus/story.ts";
import { type Writer, writers } from "../support/corpus/writers.ts";
import { parseAs } from "../support/parse.ts";

const seeds: readonly number[] = [1, 2];
const settings: readonly ChunkSettings[] = [
  base,
  { ...base, chunkSize: 64, chunkOverlap: 16 },
  { ...base, chunkSize: 200, chunkOverlap: 0, strategy: "delimiter", separator: "\\n" },
  { ...base, strategy: "delimiter", separator: null, hard: true },
];
/** Larger cases belong to the tests of their formats. */
const MAX_CASE_BYTES = 1024 * 1024;
const folder = fileURLToPath(new URL("../../../shared/cases", import.meta.url));
const missing = !existsSync(join(folder, "cases.tsv"));
if (missing) console.warn("The hard inputs of ../shared/cases are not here: their tests are skipped.");

describe("K7 laws over documents of all formats", () => {
  const byFile = writers.map((writer) => [writer.file, writer] as const);

  it.each(byFile)(
    "K7.1 %s: exact slices, whole clusters, nothing lost, the same ids each time",
    async (file, writer) => {
      for (const seed of seeds) {
        const story = storyFor(writer, seed);
        const bytes = writer.write(story);
        const parsed = await parseAs(file, bytes);
        const [first, ...others] = settings.map((chunking) => expectChunkLaws(parsed, chunking));
        expect(prepareWhole(await parseAs(file, bytes), base)).toEqual(first);
        expect(story.marks.filter((mark) => first?.text.includes(mark) !== true)).toEqual([]);
        const headings = writer.headings === true ? headingMarks(story) : [];
        const paths = others.flatMap(({ units }) => units.flatMap((unit) => unit.headings)).join("\n");
        expect(headings.filter((mark) => !paths.includes(mark))).toEqual([]);
      }
    },
  );

  it("each registered reader has a writer in the corpus", async () => {
    const parsers = new Set<string>();
    for (const writer of writers) {
      parsers.add(
        (await parseAs(writer.file, writer.write(createStory(1, 2, writer.ascii === true)))).parser,
      );
    }
    // Readers without an extension only say why a file is not read.
    const reading = readers.filter(({ extensions }) => extensions.length > 0).map(parserName);
    expect(reading.filter((parser) => !parsers.has(parser))).toEqual([]);
  });
});

function headingMarks({ blocks, marks }: Story): string[] {
  const headings = blocks.flatMap((block) => (block.kind === "heading" ? [block.text] : []));
  return marks.filter((mark) => headings.some((heading) => heading.split(" ").includes(mark)));
}

function storyFor(writer: Writer, seed: number): Story {
  return createStory(seed, seed * 16, writer.ascii === true);
}

describe.skipIf(missing)("K7 laws over hard inputs", () => {
  it.each(missing ? [] : readdirSync(folder).filter((name) => statSync(join(folder, name)).isDirectory()))(
    "K7.1 %s: the laws hold for each file that gives a document",
    async (group) => {
      const broken: string[] = [];
      for (const path of filesIn(join(folder, group))) {
        try {
          const parsed = await parseAs(basename(path), readFileSync(path));
          for (const chunking of settings.slice(0, 2)) expectChunkLaws(parsed, chunking);
        } catch (error) {
          if (!(error instanceof ReadProblem)) broken.push(`${path}: ${String(error)}`);
        }
      }
      expect(broken).toEqual([]);
    },
    20_000,
  );
});

function filesIn(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => statSync(path).size <= MAX_CASE_BYTES);
}
