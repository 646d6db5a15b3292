import { describe, expect, it } from "vitest";
import { methodTable, type Params } from "../../rpc/contract/index.ts";
import type { SearchResult } from "../../rpc/contract/search.ts";
import { queryParams, useSearch } from "../support/search-fixture.ts";

const fixture = useSearch();
const signal = new AbortController().signal;
const words = { embeddingModelId: null, dimensions: null };

type Query = Partial<Omit<Params<"search.query">, "query">>;

function query(text: string, over: Query = {}): Promise<SearchResult> {
  return fixture.search.query(queryParams({ query: text, ...over }), signal);
}

async function titles(text: string, over: Query = {}): Promise<string[]> {
  const result = await query(text, over);
  expect(methodTable["search.query"].result.parse(result)).toEqual(result);
  return result.hits.map((hit) => hit.title).toSorted();
}

describe.each([
  ["by words", words],
  ["by words and meaning", {}],
])("a quoted phrase, searched %s", (_how, over) => {
  it("must stand in the passage, word beside word, in its order", async () => {
    const { add } = fixture.base(over);
    add({ title: "exact", chunks: ["We rotate the keys every month."] });
    add({ title: "apart", chunks: ["The keys of the door rotate in the lock."] });
    add({ title: "none", chunks: ["Rotation of crops."] });
    expect(await titles("rotate the keys")).toContain("apart");
    expect(await titles('"rotate the keys"')).toEqual(["exact"]);
    expect(await titles('month "rotate the keys" lock')).toEqual(["exact"]);
    expect(await titles("«rotate the keys» lock")).toEqual(["exact"]);
    expect(await titles('"keys" lock')).toEqual(["apart", "exact"]);
  });

  it("counts its small words too", async () => {
    const { add } = fixture.base(over);
    add({ title: "hamlet", chunks: ["To be or not to be, that is the question."] });
    add({ title: "other", chunks: ["Not the question to be asked, or is that to be?"] });
    expect(await titles('"to be or not to be"')).toEqual(["hamlet"]);
    expect(await titles('question "that is the"')).toEqual(["hamlet"]);
  });

  it("of CJK stands in one run", async () => {
    const { add } = fixture.base(over);
    add({ title: "learning", chunks: ["我爱机器学习和数学。"] });
    add({ title: "apart", chunks: ["机器很多，学习很少，器学无关。"] });
    expect(await titles("「机器学习」")).toEqual(["learning"]);
    expect(await titles('"学习和数学"')).toEqual(["learning"]);
    expect(await titles('"爱"')).toEqual(["learning"]);
    expect(await titles("机器学习")).toEqual(["apart", "learning"]);
  });

  it("that stands nowhere leaves nothing, and the answer says so", async () => {
    const { add } = fixture.base(over);
    add({ title: "keys", chunks: ["We rotate the keys every month."] });
    const result = await query('"keys every rotate"');
    expect(result.hits).toEqual([]);
    expect(result.warnings.join()).toContain('"keys every rotate"');
  });

  it("that stands nowhere beside other words is looked for word by word, on each page, and the answer says so", async () => {
    const { add } = fixture.base(over);
    add({ title: "keys", chunks: ["We rotate the keys every month."] });
    add({ title: "doors", chunks: ["Every door has a lock, and keys to it."] });
    const first = await query('lock "keys every rotate"', { topK: 1 });
    expect(first.warnings.join()).toContain('"keys every rotate"');
    const next = await query('lock "keys every rotate"', { topK: 1, cursor: first.cursor! });
    expect([...first.hits, ...next.hits].map(({ title }) => title).toSorted()).toEqual(["doors", "keys"]);
    expect(next.warnings).toEqual(first.warnings);
    expect(await titles('lock "rotate the keys"')).toEqual(["keys"]);
  });

  it("may stand in the title, the headings or the path", async () => {
    const { add } = fixture.base(over);
    add({ title: "Key Rotation Guide", chunks: [{ text: "Every month.", headings: ["The short way"] }] });
    add({ title: "Other", chunks: ["A guide to months, the way of short rotation for a key."] });
    expect(await titles('month "key rotation guide"')).toEqual(["Key Rotation Guide"]);
    expect(await titles('month "the short way"')).toEqual(["Key Rotation Guide"]);
  });

  it("-word and -phrase drop each passage that holds it, whichever lane found it", async () => {
    const { add } = fixture.base(over);
    add({ title: "final", chunks: ["The contract about the house was signed."] });
    add({
      title: "draft",
      chunks: ["The contract about the house is a draft.", "A contract about the garden house."],
    });
    add({ title: "old", chunks: ["The very old contract about houses."] });
    expect(await titles("contract house -drafts")).not.toContain("never");
    const result = await query("contract house -signed -old");
    expect(result.hits.map((hit) => hit.text)).toEqual(
      expect.arrayContaining([
        "The contract about the house is a draft.",
        "A contract about the garden house.",
      ]),
    );
    expect(result.hits).toHaveLength(2);
    expect(await titles('contract -"garden house" -"very old"')).toEqual(["draft", "final"]);
    expect(await titles("contract", { exclude: ["signed", "very old"] })).toEqual(["draft", "draft"]);
    expect(await titles("contract -contract")).toEqual([]);
  });
});

describe("a query's filters", () => {
  function library() {
    const made = fixture.base(words);
    const { add } = made;
    add(
      { title: "notes", path: "docs/My Notes/keys.md", chunks: ["Keys in the notes."] },
      { path: "/home/me/docs/My Notes/keys.md" },
    );
    add({ title: "code", path: "src/app/keys.ts", format: "code", chunks: ["Keys in the code."] });
    add({ title: "paper", path: "docs/keys.pdf", format: "pdf", chunks: ["Keys in the paper."] });
    return made;
  }

  it.each([
    ["keys path:docs", ["notes", "paper"]],
    ["keys path:DOCS", ["notes", "paper"]],
    ['keys path:"my notes"', ["notes"]],
    ["keys path:/home/me", ["notes"]],
    ["keys path:home", []],
    ["keys path:docs/**/*.md", ["notes"]],
    ["keys path:*.{ts,pdf}", ["code", "paper"]],
    ["keys -path:docs", ["code"]],
    ["keys -path:*.ts", ["notes", "paper"]],
    ["keys path:docs path:keys.pdf", ["paper"]],
    ["keys type:pdf", ["paper"]],
    ["keys type:code", ["code"]],
    ["keys type:ts", ["code"]],
    ["keys type:py", []],
    ["keys type:.MD type:pdf", ["notes", "paper"]],
    ["keys type:md,ts", ["code", "notes"]],
    ["keys -type:pdf", ["code", "notes"]],
    ["keys -type:ts -type:pdf", ["notes"]],
    ["keys type:pdf -path:docs", []],
    ["keys in quotes path:docs", ["notes", "paper"]],
  ])("%s", async (text, expected) => {
    library();
    expect(await titles(text)).toEqual(expected);
  });

  it("are joined with those beside it: both must hold", async () => {
    library();
    expect(await titles("keys path:docs", { filters: { types: ["pdf"] } })).toEqual(["paper"]);
    expect(await titles("keys type:code", { filters: { types: ["pdf"] } })).toEqual([]);
    expect(await titles("keys", { filters: { types: ["ts"], path: "src/**" } })).toEqual(["code"]);
  });

  it("of no known type are words, and the answer says so", async () => {
    library();
    const result = await query("keys type:nonsense");
    expect(result.hits.length).toBe(3);
    expect(result.warnings.join()).toContain("type:nonsense");
    const beside = await query("keys", { filters: { types: ["nonsense"] } });
    expect(beside.hits).toEqual([]);
    expect(beside.warnings.join()).toContain("nonsense");
  });

  it("take dates beside the query as they are written in it, and say what to write instead", async () => {
    library();
    expect(await titles("keys", { filters: { after: "1d", before: "2099" } })).toEqual([]);
    expect(await titles("keys", { filters: { after: "2025-01" } })).toHaveLength(3);
    expect(await titles("keys before:2025")).toEqual([]);
    await expect(query("keys", { filters: { after: "soonish" } })).rejects.toMatchObject({
      errorName: "INVALID_FIELD",
      data: { field: "filters.after", reason: expect.stringContaining("last-week") as string },
    });
  });

  it("K9.7 tags: all that are named, each with what stands below it", async () => {
    const { base } = library();
    const tag = (title: string, tags: string[]): void => {
      const item = fixture.catalog.items
        .list({ baseId: base.id, limit: 10 })
        .items.find((one) => one.title === title)!;
      fixture.catalog.items.complete(item.id, {
        format: item.format!,
        title,
        contentHash: "c0ffee",
        chunkCount: 1,
        sizeBytes: 1,
        warnings: [],
        fingerprint: "x",
        metadata: { tags },
      });
    };
    tag("notes", ["Project/Alpha", "#Übung", "to do"]);
    tag("code", ["project", "todo"]);
    expect(await titles("keys tag:project")).toEqual(["code", "notes"]);
    expect(await titles("keys tag:#PROJECT/alpha")).toEqual(["notes"]);
    expect(await titles('keys tag:übung tag:"To  Do"')).toEqual(["notes"]);
    expect(await titles("keys tag:project tag:todo")).toEqual(["code"]);
    expect(await titles("keys -tag:project")).toEqual(["paper"]);
    expect(await titles("keys tag:proj")).toEqual([]);
    expect(await titles("keys", { filters: { tags: ["project/alpha"] } })).toEqual(["notes"]);
    tag("notes", []);
    expect(await titles("keys tag:project")).toEqual(["code"]);
  });

  it("alone list the documents that pass, the one that was changed last first, page by page", async () => {
    const { base, add } = fixture.base(words);
    const when = (title: string): number =>
      fixture.catalog.items.list({ baseId: base.id, limit: 10 }).items.find((one) => one.title === title)!
        .changedAt;
    for (const title of ["one", "two", "three"]) {
      add({ title, path: `docs/${title}.md`, chunks: [`${title} begins.`, `${title} ends.`] });
      fixture.tick();
    }
    add({ title: "other", path: "else/other.md", chunks: ["Other."] });
    const first = await query("path:docs", { topK: 2 });
    expect(first.hits.map(({ text, score, scoreKind, rank }) => ({ text, score, scoreKind, rank }))).toEqual([
      { text: "three begins.", score: when("three"), scoreKind: "ranking", rank: 1 },
      { text: "two begins.", score: when("two"), scoreKind: "ranking", rank: 2 },
    ]);
    const second = await query("path:docs", { topK: 2, cursor: first.cursor! });
    expect(second.hits.map((hit) => hit.text)).toEqual(["one begins."]);
    expect(second.cursor).toBeUndefined();
    const oldest = await query("", { filters: { path: "docs/*" }, sort: "oldest" });
    expect(oldest.hits.map((hit) => hit.title)).toEqual(["one", "two", "three"]);
    const without = await query("path:docs -begins -two");
    expect(without.hits.map((hit) => hit.text)).toEqual(["three ends.", "one ends."]);
    await expect(query(" ? ")).rejects.toMatchObject({ errorName: "QUERY_EMPTY" });
  });

  it("are said as they were understood, on request", async () => {
    library();
    const { understood } = await query('keys "the notes" -code type:md', { explain: true });
    expect(understood).toEqual({
      text: "keys the notes",
      phrases: ["the notes"],
      excluded: ["code"],
      filters: { types: ["md"] },
    });
  });
});
