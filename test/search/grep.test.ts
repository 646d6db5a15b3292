import { describe, expect, it } from "vitest";
import type { EncodedPart, GrepPart } from "../../rpc/contract/grep.ts";
import { methodTable, type ParamsInput } from "../../rpc/contract/index.ts";
import { useSearch } from "../support/search-fixture.ts";

const fixture = useSearch();
const signal = new AbortController().signal;
const parse = (params: ParamsInput<"kb.grep">) => methodTable["kb.grep"].params.parse(params);
const grep = (params: ParamsInput<"kb.grep">) =>
  fixture.search.grep(parse(params), { signal, sendPart: null });

/** Streams a grep to a reader that takes a turn of the loop over each part. */
async function stream(params: ParamsInput<"kb.grep">) {
  const parts: GrepPart[] = [];
  const sizes: number[] = [];
  let open = 0;
  let mostOpen = 0;
  const sendPart = async (encoded: EncodedPart) => {
    mostOpen = Math.max(mostOpen, ++open);
    const part = decoded(encoded);
    parts.push(part);
    sizes.push(JSON.stringify(part).length);
    await new Promise((resolve) => setTimeout(resolve, 1));
    open--;
  };
  const result = await fixture.search.grep(parse({ ...params, stream: true }), { signal, sendPart });
  return { result, documents: parts.flatMap((part) => part.documents), parts: parts.length, sizes, mostOpen };
}

function decoded({ utf8 }: EncodedPart): GrepPart {
  return JSON.parse(Buffer.from(utf8.join(""), "latin1").toString()) as GrepPart;
}

function leanLines(documents: GrepPart["documents"]) {
  return documents.flatMap(({ path, lean }) => {
    const texts = lean?.texts.split("\n") ?? [];
    expect(texts).toHaveLength(lean?.line.length ?? 0);
    return texts.map((text, at) => [path, lean?.line[at], text]);
  });
}

describe("kb.grep", () => {
  it("answers lines around each match once, and none that matches", async () => {
    fixture.base().add({ title: "a", chunks: ["1\n2 key\n3\n4\n5 key key\n6 key\n7\n8\n9\n10 key\n11"] });
    const { matches } = await grep({ pattern: "key", before: 2, after: 1, perLine: true });
    expect(matches.map(({ line, linesBefore, linesAfter }) => [linesBefore, line, linesAfter])).toEqual([
      [["1"], 2, ["3"]],
      [["4"], 5, []],
      [[], 6, ["7"]],
      [["8", "9"], 10, ["11"]],
    ]);
    const plain = await grep({ pattern: "key" });
    expect(plain.matches).toHaveLength(5);
    expect(plain.matches[0]).not.toHaveProperty("linesBefore");
  });

  it("counts lines and names documents, up to the limit", async () => {
    const { add } = fixture.base();
    add({ title: "a", path: "a.md", chunks: ["key key\nkey"] });
    add({ title: "b", path: "b.md", chunks: ["none"] });
    add({ title: "c", path: "c.md", chunks: ["a key"] });
    const counts = await grep({ pattern: "key", output: "counts" });
    expect(methodTable["kb.grep"].result.parse(counts)).toEqual(counts);
    expect(counts.files?.map(({ conceptId, lines }) => [conceptId, lines])).toEqual([
      ["a.md", 2],
      ["c.md", 1],
    ]);
    expect(counts).toMatchObject({ matches: [], documents: 3, truncated: false });
    const inverted = await grep({ pattern: "key", output: "documents", invert: true });
    expect(inverted.files?.map(({ conceptId }) => conceptId)).toEqual(["b.md"]);
    const first = await grep({ pattern: "key", output: "documents", limit: 1 });
    expect([first.files?.length, first.truncated]).toEqual([1, true]);
    const capped = await grep({ pattern: "key", maxCount: 1 });
    expect(capped.matches.map(({ line }) => line)).toEqual([1, 1, 1]);
  });

  it("takes several globs and types, and says which patterns are none", async () => {
    const { add } = fixture.base();
    add({ title: "a", path: "a.md", format: "markdown", chunks: ["key"] });
    add({ title: "b", path: "old/b.md", format: "markdown", chunks: ["key"] });
    add({ title: "c", path: "c.txt", format: "text", chunks: ["key"] });
    const names = async (over: object) =>
      (await grep({ pattern: "key", ...over })).matches.map(({ conceptId }) => conceptId);
    expect(await names({ glob: ["*.md", "!old"] })).toEqual(["a.md"]);
    expect(await names({ glob: "!*.md" })).toEqual(["c.txt"]);
    expect(await names({ types: ["no such format"] })).toEqual([]);
    await expect(grep({ pattern: "(?=a)" })).rejects.toMatchObject({
      errorName: "PATTERN_INVALID",
      data: { reason: expect.stringContaining("look-around") as string },
    });
  });

  it("an answer in one piece is bounded in matches and in bytes, and says that there is more", async () => {
    const { add } = fixture.base();
    add({ title: "many", chunks: [`key ${"x".repeat(1900)}\n`.repeat(2000)] });
    const found = await grep({ pattern: "key", limit: 5000, before: 5 });
    expect(found.truncated).toBe(true);
    expect(found.matches.length).toBeGreaterThan(500);
    expect(JSON.stringify(found).length).toBeLessThan(4_000_000);
    await expect(grep({ pattern: "key", limit: 5001 })).rejects.toMatchObject({
      errorName: "INVALID_FIELD",
      data: { field: "limit" },
    });
    await expect(grep({ pattern: "key", stream: true })).rejects.toMatchObject({
      errorName: "INVALID_FIELD",
      data: { field: "stream" },
    });
  });

  it("streams more than one answer holds, part by part, each sent when the one before was taken", async () => {
    const { add } = fixture.base();
    const text = Array.from({ length: 9000 }, (_, at) =>
      at % 3 === 2 ? `line ${at}` : `key ${at} key`,
    ).join("\n");
    add({ title: "many", path: "a.md", chunks: [text] });
    add({ title: "hidden", path: "b.md", chunks: [text] }, { visible: false });
    add({ title: "last", path: "c.md", chunks: ["one key"] });
    const all = await stream({ pattern: "key", limit: 1_000_000, before: 1, after: 1 });
    const matches = all.documents.flatMap((document) => document.matches);
    const lines = text.split("\n");
    const expected = lines.flatMap((line, at) => (line.startsWith("key") ? [at + 1, at + 1] : []));
    expect(matches.map(({ line }) => line)).toEqual([...expected, 1]);
    for (const { charStart, charEnd } of matches.slice(0, -1))
      expect(text.slice(charStart, charEnd)).toBe("key");
    // Lines around matches are told once, wherever one part ends.
    const around = matches.flatMap(({ linesBefore = [], linesAfter = [] }) => [
      ...linesBefore,
      ...linesAfter,
    ]);
    expect(around).toEqual(lines.filter((line) => line.startsWith("line")));
    expect(all.result).toMatchObject({
      matches: [],
      streamed: matches.length,
      truncated: false,
      documents: 3,
    });
    expect([all.parts > 5, all.mostOpen]).toEqual([true, 1]);
    const some = await stream({ pattern: "key", limit: 2500, perLine: true });
    expect(some.result).toMatchObject({ streamed: 2500, truncated: true });
    expect(some.documents.flatMap((document) => document.matches)).toHaveLength(2500);
  });

  it("a lean stream tells the same lines, or what matched in them, and as many as the limit says", async () => {
    const { add } = fixture.base();
    const text = Array.from({ length: 3000 }, (_, at) => (at % 4 === 3 ? "" : `key ${at} key`)).join("\n");
    add({ title: "a", path: "a.md", chunks: [`${text}\n${"x".repeat(1999)}😀 key`] });
    add({ title: "b", path: "b.md", chunks: ["one key"] });
    add({ title: "hidden", path: "c.md", chunks: ["one key"] }, { visible: false });
    for (const asked of [
      { pattern: "key|^$", perLine: true },
      { pattern: "key" },
      { pattern: "one", invert: true },
    ]) {
      const params = { ...asked, limit: 1_000_000 };
      const full = await stream(params);
      const shown = full.documents.flatMap(({ path, matches }) =>
        matches.map(({ line, lineText, match }) => [
          path,
          line,
          "perLine" in asked || "invert" in asked ? lineText : match,
        ]),
      );
      const lean = await stream({ ...params, lean: true });
      expect(leanLines(lean.documents)).toEqual(shown);
      expect(lean.result).toEqual(full.result);
      const some = await stream({ ...params, limit: 7, lean: true });
      expect(leanLines(some.documents)).toEqual(shown.slice(0, 7));
      expect(some.result).toMatchObject({ streamed: 7, truncated: shown.length > 7 });
    }
    for (const over of [{}, { stream: true, before: 1 }]) {
      await expect(grep({ pattern: "key", lean: true, ...over })).rejects.toMatchObject({
        errorName: "INVALID_FIELD",
      });
    }
  });

  it("the lines around matches count for the size of a part", async () => {
    const long = "x".repeat(2000);
    fixture.base().add({ title: "long", chunks: [`key\n${`${long}\n`.repeat(50)}`.repeat(30)] });
    const { documents, sizes } = await stream({ pattern: "key", after: 50, limit: 1_000_000 });
    const behind = documents.flatMap(({ matches }) => matches.flatMap(({ linesAfter = [] }) => linesAfter));
    expect(behind).toEqual(Array.from({ length: 1500 }, () => long));
    expect(Math.max(...sizes)).toBeLessThan(500_000);
  });

  it("a line of many matches is told in several parts, each match once", async () => {
    fixture.base().add({ title: "long", chunks: [`${"ab".repeat(5000)}\nb`] });
    const { documents } = await stream({ pattern: "a", limit: 1_000_000 });
    const starts = documents.flatMap(({ matches }) => matches.map(({ charStart }) => charStart));
    expect(starts).toEqual(Array.from({ length: 5000 }, (_, at) => 2 * at));
  });

  it("a document that is replaced while it is streamed is not told twice", async () => {
    const { add, index } = fixture.base();
    const item = add({ title: "many", path: "a.md", chunks: ["key\n".repeat(5000)] });
    let parts = 0;
    let found = 0;
    const sendPart = async (part: EncodedPart) => {
      found += decoded(part).documents.reduce((sum, { matches }) => sum + matches.length, 0);
      if (++parts > 1) return;
      index.remove(item.id);
      index.add({ id: item.id, path: "a.md", chunks: ["key again\n".repeat(5000)] });
    };
    const params = parse({ pattern: "key", limit: 1_000_000, stream: true });
    await fixture.search.grep(params, { signal, sendPart });
    expect(parts).toBeGreaterThan(0);
    expect(found).toBeLessThanOrEqual(5000);
  });

  it("K1.2 what the catalogue hides, or shows again, counts for the next grep, however soon it comes", async () => {
    const { add } = fixture.base();
    const item = add({ title: "a", path: "a.md", chunks: ["one zqkey"] });
    add({ title: "b", path: "b.md", chunks: ["two zqkey"] });
    const { items } = fixture.catalog;
    const found = async () => (await grep({ pattern: "zqkey" })).matches.map(({ lineText }) => lineText);
    const streamed = async () => {
      const { documents } = await stream({ pattern: "zqkey", lean: true, perLine: true });
      return leanLines(documents).map(([, , text]) => text);
    };
    expect([await found(), await streamed()]).toEqual([
      ["one zqkey", "two zqkey"],
      ["one zqkey", "two zqkey"],
    ]);
    items.setMissing([item.id], 1);
    expect([await found(), await streamed()]).toEqual([["two zqkey"], ["two zqkey"]]);
    items.setMissing([item.id], null);
    expect(await streamed()).toEqual(["one zqkey", "two zqkey"]);
    items.beginDelete([item.id]);
    expect([await found(), await streamed()]).toEqual([["two zqkey"], ["two zqkey"]]);
  });

  it("K9.7 several at once with one pattern find what each would find alone", async () => {
    const { add } = fixture.base();
    const text = (at: number) =>
      Array.from({ length: 3000 }, (_, line) => `${"ab".repeat(line % 40)} ${at} c${line % 7}`).join("\n");
    for (let at = 0; at < 6; at++) add({ title: `${at}`, path: `${at}.md`, chunks: [text(at)] });
    const params = { pattern: "(a|b)*b [0-4] c[0-3]", lean: true, perLine: true, limit: 1_000_000 };
    const alone = leanLines((await stream(params)).documents);
    expect(alone.length).toBeGreaterThan(5000);
    const together = await Promise.all([1, 2, 3, 4].map(() => stream(params)));
    for (const { documents } of together) expect(leanLines(documents)).toEqual(alone);
  });

  it("ends when its reader is gone", async () => {
    fixture.base().add({ title: "many", chunks: ["key\n".repeat(9000)] });
    const abort = new AbortController();
    const sendPart = () => {
      abort.abort();
      return Promise.resolve();
    };
    const params = parse({ pattern: "key", limit: 1_000_000, stream: true });
    await expect(fixture.search.grep(params, { signal: abort.signal, sendPart })).rejects.toMatchObject({
      errorName: "CANCELLED",
    });
  });

  it("K9.7 ends at its deadline where the work is too much, and who comes meanwhile and next is answered", async () => {
    const { base, add } = fixture.base();
    const letterAt = (at: number) => "ab"[(Math.imul(at * at, 2654435761) >>> 16) % 2];
    add({ title: "long", chunks: [Array.from({ length: 400_000 }, (_, at) => letterAt(at)).join("")] });
    // Each character makes a new state of thousands of steps.
    const heavy = grep({ pattern: "[ab]*a[ab]{900}(x|[ab]{900}y)", baseIds: [base.id], deadlineMs: 400 });
    const meanwhile = grep({ pattern: "nowhere", baseIds: [base.id] });
    expect(await meanwhile).toMatchObject({ matches: [], documents: 1 });
    await expect(heavy).rejects.toMatchObject({ errorName: "DEADLINE" });
    const { pid } = fixture.host.stats();
    expect(await grep({ pattern: "nowhere", baseIds: [base.id] })).toMatchObject({ documents: 1 });
    // It let go by itself: nobody had to end the process.
    expect(fixture.host.stats().pid).toBe(pid);
  });
});
