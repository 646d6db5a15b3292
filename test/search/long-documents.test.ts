import path from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { createReaders } from "../../workers/search/readers.ts";
import { createSearchService } from "../../workers/search/service.ts";
import { readUtf8Json } from "../../daemon/runtime/utf8-json.ts";
import type { LineMatch, SearchTasks } from "../../workers/search/contract.ts";
import { buildIndex } from "../support/build-index.ts";
import { baseId, openTestRegistry } from "../support/index-revision.ts";
import { segmentsFor, stageAll } from "../support/index-segments.ts";
import { temporaryFolder } from "../support/temporary.ts";

const signal = new AbortController().signal;

function openService() {
  const service = createSearchService({ contentCacheBytes: 1 << 20, vectorCacheBytes: 1 << 22 });
  onTestFinished(() => service.close());
  return async <T extends keyof SearchTasks>(task: T, input: SearchTasks[T]["input"]) =>
    (await service.run(task, input, signal)) as SearchTasks[T]["output"];
}

const lines = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${name} line ${at} of the harbour report`);

async function openLong() {
  const { registry } = openTestRegistry();
  await registry.create(baseId, { substring: false });
  const target = { baseId, indexPath: registry.indexPath(baseId) };
  const query = (text: string, more: Partial<SearchTasks["index.search"]["input"]> = {}) => ({
    ...target,
    query: text,
    queryVector: null,
    model: null,
    fusion: { kind: "rrf" as const },
    candidates: 5,
    filters: null,
    ...more,
  });
  return { registry, target, query, ask: openService() };
}

describe("a document of many segments", () => {
  it("K9.6 K10.4 hits, windows, chunks and matches count in the whole document, under its hash", async () => {
    const { registry, target, query, ask } = await openLong();
    const parts = [lines("first", 10), lines("second", 10), lines("third", 10)];
    const whole = parts
      .flat()
      .map((line) => `${line}\n`)
      .join("");
    const contentHash = await stageAll(registry, "long", segmentsFor("long", parts));
    const { candidates } = await ask("index.search", query("third line 7"));
    const [best] = candidates;
    expect(best).toMatchObject({
      materialId: "long",
      text: "third line 7 of the harbour report",
      contentHash,
    });
    expect(whole.slice(best?.charStart, best?.charEnd)).toBe(best?.text);
    for (const [charStart, charEnd] of [
      [0, 50],
      [300, 420],
      [0, 5000],
      [whole.length, whole.length + 9],
    ] as const) {
      expect(await ask("index.window", { ...target, materialId: "long", charStart, charEnd })).toEqual({
        text: whole.slice(charStart, charEnd),
        totalChars: whole.length,
        contentHash,
      });
    }
    const chunks = await ask("index.chunks", { ...target, materialId: "long", afterIndex: 18, limit: 3 });
    expect(chunks?.chunks.map(({ charStart, charEnd }) => whole.slice(charStart, charEnd))).toEqual([
      "second line 9 of the harbour report",
      "third line 0 of the harbour report",
      "third line 1 of the harbour report",
    ]);
    const options = {
      patterns: ["line 9"],
      literal: true,
      caseSensitive: true,
      word: false,
      wholeLine: false,
      invert: false,
    };
    const found = await ask("index.find", { ...target, materialId: "long", options, limit: 10 });
    expect(found?.matches.map(({ line }) => line)).toEqual([10, 20, 30]);
    for (const { charStart, charEnd } of found?.matches ?? [])
      expect(whole.slice(charStart, charEnd)).toBe("line 9");
    const grepOptions = { ...options, output: "matches", perLine: false, maxPerDocument: Infinity } as const;
    const grepInput = {
      ...target,
      materialIds: null,
      stream: null,
      options: { ...grepOptions, lean: false, linesBefore: 1, linesAfter: 1 },
      most: { matches: 2, chars: 10_000 },
    };
    const first = await ask("index.grep", { ...grepInput, from: null });
    expect(first).toMatchObject({ materialIds: ["long"], matches: [2], looked: 0 });
    const rest = await ask("index.grep", { ...grepInput, from: first.next });
    expect(rest).toMatchObject({ materialIds: ["long"], matches: [1], looked: 1, next: null });
    const matches = [first, rest].flatMap(({ json }) =>
      json.flatMap((one) => readUtf8Json(one) as LineMatch[]),
    );
    expect(matches.map(({ line }) => line)).toEqual([10, 20, 30]);
    // Lines around a match stand in the neighbouring segments too.
    const around = matches.map(({ linesBefore, linesAfter }) => [linesBefore, linesAfter]);
    const harbour = (line: string) => `${line} of the harbour report`;
    expect(around).toEqual([
      [[harbour("first line 8")], [harbour("second line 0")]],
      [[harbour("second line 8")], [harbour("third line 0")]],
      [[harbour("third line 8")], []],
    ]);
  });

  it("K1.2 K8.5 what is staged, or on its way out, is no hit and takes no place of one", async () => {
    const { registry, query, ask } = await openLong();
    await stageAll(registry, "long", segmentsFor("long", [["harbour of the old revision"]]));
    const staging = await registry.stage(baseId, {
      materialId: "long",
      relativePath: "long.log",
      format: "text",
    });
    const other = await registry.stage(baseId, {
      materialId: "new",
      relativePath: "new.log",
      format: "text",
    });
    await staging.add(segmentsFor("long", [lines("harbour harbour", 500)])[0]!);
    await other.add(segmentsFor("new", [lines("harbour harbour", 500)])[0]!);
    const texts = async (more = {}) =>
      (await ask("index.search", query("harbour", more))).candidates.map(({ text }) => text);
    const old = ["harbour of the old revision"];
    expect(await texts()).toEqual(old);
    expect(await texts({ queryVector: Float32Array.of(1, 1, 1, 1) })).toEqual(old);
    expect(await texts({ filters: { materialIds: ["long"] } })).toEqual(old);
    await staging.commit();
    expect(new Set(await texts()).has(old[0]!)).toBe(false);
    expect(await texts()).toHaveLength(5);
  });

  it("is one document for those who group by document", async () => {
    const { registry, query, ask } = await openLong();
    const parts = [lines("one", 5), lines("two", 5)];
    const staging = await registry.stage(baseId, {
      materialId: "long",
      relativePath: "long.log",
      format: "text",
    });
    await staging.add(segmentsFor("long", parts)[0]!);
    await stageAll(registry, "between", segmentsFor("between", [lines("between", 5)]));
    await staging.add(segmentsFor("long", parts)[1]!);
    await staging.commit();
    const { candidates } = await ask("index.search", query("harbour report", { perDocument: true }));
    expect(candidates.map(({ materialId }) => materialId).sort()).toEqual(["between", "long"]);
  });

  it("an index that was not brought up to date yet answers all the same, and is opened anew when it is", async () => {
    const file = path.join(temporaryFolder(), "index.sqlite");
    const index = buildIndex(file, { baseId });
    index.add({ id: "a", chunks: ["a harbour in the old index"] });
    index.close();
    const raw = new Sqlite(file);
    for (const table of [
      "segmented_material",
      "content_segment",
      "unseen_material",
      "kept_units",
      "hidden_units",
    ])
      raw.exec(`DROP TABLE ${table}`);
    const target = { baseId, indexPath: file };
    const ask = openService();
    expect(await ask("index.window", { ...target, materialId: "a", charStart: 2, charEnd: 9 })).toMatchObject(
      {
        text: "harbour",
      },
    );
    const readers = createReaders({ vectorCacheBytes: 1 << 20 });
    onTestFinished(() => readers.closeAll());
    const before = readers.get(target).reader;
    raw.exec("CREATE TABLE hidden_units (first INTEGER PRIMARY KEY, last, material_id)");
    raw.close();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(readers.get(target).reader).not.toBe(before);
  });
});
