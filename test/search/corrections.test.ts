import { describe, expect, it } from "vitest";
import { methodTable } from "../../rpc/contract/index.ts";
import type { SearchResult } from "../../rpc/contract/search.ts";
import { queryParams, useSearch } from "../support/search-fixture.ts";

const fixture = useSearch();
const signal = new AbortController().signal;
const words = { embeddingModelId: null, dimensions: null };

function query(text: string): Promise<SearchResult> {
  return fixture.search.query(queryParams({ query: text }), signal);
}

describe("a common word that the base does not say", () => {
  it("is not taken for another one, where a model knows the language", async () => {
    const { add } = fixture.base();
    add({ title: "loan", chunks: ["The interest on the loan is paid at the stairs of the store."] });
    add({ title: "net", chunks: ["The router in the hall is too far from the top floor: move it."] });
    for (const text of ["internet", "internet upstairs", "sore"])
      expect((await query(text)).corrections).toBeUndefined();
    expect((await query("intrest")).corrections).toEqual([expect.objectContaining({ used: ["interest"] })]);
  });
});

describe("a word that occurs nowhere", () => {
  function base() {
    const made = fixture.base(words);
    const { add } = made;
    add({ title: "mail", chunks: ["You will receive a letter about the configuration of the database."] });
    add({ title: "science", chunks: ["Environmental science and open source software, by Fyodor."] });
    add({ title: "russian", chunks: ["Привет, компьютер работает."] });
    return made;
  }

  it.each([
    ["recieve", "receive", "mail"],
    ["Recieve", "receive", "mail"],
    ["configuraiton", "configuration", "mail"],
    ["databse", "database", "mail"],
    ["data base", "database", "mail"],
    ["enviromental", "environmental", "science"],
    ["enviormental", "environmental", "science"],
    ["opensource", "open source", "science"],
    ["sofware", "software", "science"],
    ["компютер", "компьютер", "russian"],
    ["lettre", "letter", "mail"],
    ["opne source", "open", "science"],
  ])("%s is searched for as %s", async (text, used, title) => {
    const { base: made } = base();
    const result = await query(text);
    expect(methodTable["search.query"].result.parse(result)).toEqual(result);
    expect(result.corrections).toEqual([
      { term: text.replace(" source", ""), used: [used], baseIds: [made.id] },
    ]);
    const [hit] = result.hits;
    expect(hit?.title).toBe(title);
    const marked = hit!.highlights.map(([start, end]) => hit!.text.slice(start, end).toLowerCase()).join(" ");
    expect(marked).toContain(used);
  });

  it.each([
    "xq7z",
    "12345",
    "NASAX",
    "recv",
    "foo_recieve",
    "recieve.txt",
    "recieveLetter",
    "电脑",
    "letters",
    "the",
    "abc",
    "zzzzzzzzzz",
  ])("%s is left as it is", async (text) => {
    base();
    expect((await query(text)).corrections).toBeUndefined();
  });

  it("in quotes is left as it is", async () => {
    base();
    const result = await query('"recieve a letter"');
    expect(result.corrections).toBeUndefined();
    expect(result.hits).toEqual([]);
  });

  it("counts less than one that is written so", async () => {
    const { add } = fixture.base(words);
    add({ title: "typo", chunks: ["About a letter we receive."] });
    add({ title: "exact", chunks: ["About the bureau of chemistry."] });
    for (let at = 0; at < 20; at++) add({ title: `other ${at}`, chunks: [`Filling number ${at}.`] });
    const result = await query("recieve bureau");
    expect(result.hits.map((hit) => hit.title)).toEqual(["exact", "typo"]);
  });

  it("is looked for in each base as that base writes it, and the answer names the bases", async () => {
    const one = fixture.base(words);
    const two = fixture.base(words);
    one.add({ title: "one", chunks: ["We receive letters."] });
    two.add({ title: "two", chunks: ["They recieve letters, wrongly spelt."] });
    const result = await query("recieve");
    expect(result.hits.map((hit) => hit.title).toSorted()).toEqual(["one", "two"]);
    expect(result.corrections).toEqual([{ term: "recieve", used: ["receive"], baseIds: [one.base.id] }]);
  });
});
