import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { ownerScope } from "../../daemon/runtime/scope.ts";
import { methodTable, type Params, type ParamsInput, type Result } from "../../rpc/contract/index.ts";
import { useSearch } from "../support/search-fixture.ts";

const fixture = useSearch();
const signal = new AbortController().signal;
const readDefaults = { charStart: 0, caseSensitive: false, literal: false, limit: 50 };
const read = (params: Partial<Params<"kb.read">>) =>
  fixture.search.read({ ...readDefaults, ...params }, { signal, scope: ownerScope });
const grep = (params: ParamsInput<"kb.grep">) =>
  fixture.search.grep(methodTable["kb.grep"].params.parse(params), { signal, sendPart: null });

/** What reading says of the revision that has its length. */
function ofRevision(revisions: readonly string[], { totalChars }: Result<"kb.read">) {
  const text = revisions.find(({ length }) => length === totalChars) ?? "";
  const contentHash = createHash("sha256").update(text).digest("hex");
  return { contentHash, matches: [{ charStart: text.length - 4, charEnd: text.length }] };
}

describe("kb.read", () => {
  const text = "Line one about keys.\nLine two.\nKEYS again.";

  it("K10.4 answers a window with the total and says when it was cut", async () => {
    const { base, add } = fixture.base();
    const item = add({ title: "Keys", path: "keys.md", chunks: [text] }, { path: "/home/me/keys.md" });
    const window = await read({ itemId: item.id, charStart: 5, charEnd: 8 });
    expect(methodTable["kb.read"].result.parse(window)).toEqual(window);
    expect(window).toMatchObject({
      text: "one",
      charStart: 5,
      charEnd: 8,
      totalChars: text.length,
      truncated: false,
    });
    expect(await read({ path: "/home/me/keys.md" })).toMatchObject({ text, truncated: false });
    expect(await read({ baseId: base.id, conceptId: "keys.md", charStart: 1000 })).toMatchObject({
      text: "",
    });
    const long = add({ title: "Long", chunks: ["x".repeat(30_000)] });
    expect(await read({ itemId: long.id })).toMatchObject({
      charEnd: 20_000,
      totalChars: 30_000,
      truncated: true,
    });
  });

  it("K10.4 finds a pattern, whatever its case, fifty matches at most by default", async () => {
    const { add } = fixture.base();
    const item = add({ title: "Keys", chunks: [text] });
    const found = await read({ itemId: item.id, pattern: "keys" });
    expect(methodTable["kb.read"].result.parse(found)).toEqual(found);
    expect(found.matches?.map(({ line, match }) => [line, match])).toEqual([
      [1, "keys"],
      [3, "KEYS"],
    ]);
    expect(found).toMatchObject({ truncated: false, totalChars: text.length });
    const limited = await read({ itemId: item.id, pattern: "[a-z]", limit: 3 });
    expect(limited.matches).toHaveLength(3);
    expect(limited.truncated).toBe(true);
    await expect(read({ itemId: item.id, pattern: "(" })).rejects.toMatchObject({
      errorName: "PATTERN_INVALID",
    });
  });

  it("K10.4 matches are of the revision whose hash and length stand beside them, while the file changes", async () => {
    const { add, index } = fixture.base();
    const revisions = ["keys", `${"long before ".repeat(50)}keys`];
    const [short = "", long = ""] = revisions;
    const item = add({ title: "Keys", path: "keys.md", chunks: [short] });
    const answers: Result<"kb.read">[] = [];
    for (let round = 0; round < 40; round++) {
      const reading = Promise.allSettled([read({ itemId: item.id, pattern: "keys" })]);
      index.remove(item.id);
      index.add({ id: item.id, path: "keys.md", chunks: [round % 2 === 0 ? long : short] });
      // One that came between the two steps finds nothing to read.
      const [settled] = await reading;
      if (settled.status === "fulfilled") answers.push(settled.value);
    }
    for (const answer of answers) expect(answer).toMatchObject(ofRevision(revisions, answer));
    expect(answers.length).toBeGreaterThan(0);
  });

  it("K1.2 K10.4 reads nothing that the catalogue does not show", async () => {
    const { add } = fixture.base();
    const hidden = add({ title: "hidden", chunks: ["keys"] }, { visible: false });
    await expect(read({ itemId: hidden.id })).rejects.toMatchObject({ errorName: "ITEM_NOT_READABLE" });
    await expect(read({ path: "/nowhere" })).rejects.toMatchObject({ errorName: "ITEM_NOT_FOUND" });
    await expect(read({})).rejects.toMatchObject({ errorName: "INVALID_FIELD" });
    expect((await grep({ pattern: "keys" })).matches).toEqual([]);
  });

  it("K10.4 no expression can hang: on a line that would hold others for ever it is answered, and so is who comes meanwhile", async () => {
    const { base, add } = fixture.base();
    const item = add({ title: "bomb", chunks: [`${"a".repeat(300_000)}!`] });
    const bombs = ["(a+)+$", "(a|a)*b|(a?){40}a{40}c", "(.*)(.*)(.*)(.*)[bc]$"].map((pattern) =>
      grep({ pattern, baseIds: [base.id] }),
    );
    expect(await read({ itemId: item.id, charEnd: 1 })).toMatchObject({ text: "a" });
    for (const bomb of bombs) expect(await bomb).toMatchObject({ matches: [], documents: 1 });
  });
});

describe("kb.grep", () => {
  it("K10.4 looks through all documents of all bases in the order of their paths", async () => {
    const first = fixture.base();
    const second = fixture.base();
    first.add({ title: "b", path: "b.md", chunks: ["rotate_keys(1)"] }, { path: "/home/me/b.md" });
    first.add({ title: "a", path: "a.md", chunks: ["no\nrotate_key(2)"] });
    second.add({ title: "c", path: "c.txt", chunks: ["ROTATE_KEYS(3)"] });
    const all = await grep({ pattern: "rotate_keys?\\(" });
    expect(methodTable["kb.grep"].result.parse(all)).toEqual(all);
    expect(all.matches.map(({ conceptId, line }) => `${conceptId}:${line}`).toSorted()).toEqual([
      "a.md:2",
      "b.md:1",
      "c.txt:1",
    ]);
    expect(all).toMatchObject({ documents: 3, truncated: false, warnings: [] });
    const globbed = await grep({ pattern: "rotate", glob: "*.txt" });
    expect(globbed.matches.map(({ conceptId }) => conceptId)).toEqual(["c.txt"]);
    expect((await grep({ pattern: "rotate", glob: "/home/me/*" })).matches).toHaveLength(1);
    const one = await grep({ pattern: "rotate", limit: 1 });
    expect([one.matches.length, one.truncated]).toEqual([1, true]);
    const exact = await grep({ pattern: "rotate", limit: 3 });
    expect([exact.matches.length, exact.truncated]).toEqual([3, false]);
  });

  it("is sensitive to case when the pattern has a capital, escapes aside", async () => {
    const { add } = fixture.base();
    add({ title: "a", chunks: ["Keys KEYS keys"] });
    const count = async (pattern: string, over = {}) => (await grep({ pattern, ...over })).matches.length;
    expect(await count("keys")).toBe(3);
    expect(await count("Keys")).toBe(1);
    expect(await count("\\Skeys", {})).toBe(0);
    expect(await count("\\Seys")).toBe(3);
    expect(await count("Keys", { caseSensitive: false })).toBe(3);
  });

  it("K1.2 matches in what is hidden take no place of those that are shown", async () => {
    const { add } = fixture.base();
    for (let at = 0; at < 9; at++) add({ title: `a${at}`, chunks: ["keys"] }, { visible: false });
    add({ title: "shown", chunks: ["keys keys"] });
    const found = await grep({ pattern: "keys", limit: 3 });
    expect([found.matches.map(({ conceptId }) => conceptId), found.truncated]).toEqual([
      ["shown.md", "shown.md"],
      false,
    ]);
    expect((await grep({ pattern: "keys", limit: 3, glob: "*.md" })).matches).toHaveLength(2);
  });

  it("stops when it is cancelled", async () => {
    fixture.base().add({ title: "a", chunks: ["keys"] });
    const abort = new AbortController();
    const cancelled = fixture.search.grep(methodTable["kb.grep"].params.parse({ pattern: "keys" }), {
      signal: abort.signal,
      sendPart: null,
    });
    abort.abort();
    await expect(cancelled).rejects.toMatchObject({ errorName: "CANCELLED" });
  });
});

describe("item.chunks", () => {
  it("pages an item's chunks in their order", async () => {
    const { add } = fixture.base();
    const item = add({ title: "Keys", chunks: ["one", { text: "two", headings: ["H"] }, "three"] });
    const first = await fixture.search.chunks({ itemId: item.id, limit: 2 }, signal);
    expect(methodTable["item.chunks"].result.parse(first)).toEqual(first);
    expect(first.items.map(({ text, unitIndex, headings }) => [text, unitIndex, headings])).toEqual([
      ["one", 0, []],
      ["two", 1, ["H"]],
    ]);
    const rest = await fixture.search.chunks(
      { itemId: item.id, limit: 2, cursor: first.cursor ?? "" },
      signal,
    );
    expect(rest.items.map(({ text }) => text)).toEqual(["three"]);
    expect(rest.cursor).toBeUndefined();
    const bad = fixture.search.chunks({ itemId: item.id, limit: 2, cursor: "x" }, signal);
    await expect(bad).rejects.toMatchObject({ errorName: "CURSOR_INVALID" });
  });
});
