import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { createTokenizer } from "../../workers/search/tokenizer.ts";
import { planQuery } from "../../workers/words/query.ts";
import { shapeBody } from "../../workers/words/shape.ts";

interface Row {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

const folder = fileURLToPath(new URL("../bench/collections", import.meta.url));
const lines = (name: string, file: string): string[] =>
  readFileSync(`${folder}/${name}/${file}`, "utf8").trim().split("\n");
const rows = (name: string, file: string): Row[] => lines(name, file).map((line) => JSON.parse(line) as Row);

const names = [
  "claude-docs-sample",
  "everyday-ja",
  "everyday-zh",
  "fuzzer-code-sample",
  "paraphrase-en",
  "paraphrase-more-en",
];

describe("the project's own collections", () => {
  it.each(names)(
    "every judgement of %s is of a query and a document that are there, every query has one",
    (name) => {
      const documents = new Set(rows(name, "corpus.jsonl").map(({ id }) => id));
      const queries = new Set(rows(name, "queries.jsonl").map(({ id }) => id));
      const judged = lines(name, "qrels.tsv").map((line) => line.split("\t"));
      expect(judged.filter(([query, document]) => !queries.has(query!) || !documents.has(document!))).toEqual(
        [],
      );
      expect(new Set(judged.map(([query]) => query))).toEqual(queries);
      expect(documents.size).toBe(rows(name, "corpus.jsonl").length);
    },
  );

  it.each([
    ["paraphrase-en", 40, 440],
    ["paraphrase-more-en", 60, 180],
  ])("no question of %s shares a content word with the passage that answers it", (name, asked, all) => {
    const tokenizer = createTokenizer();
    onTestFinished(() => tokenizer.close());
    const passages = new Map(rows(name, "corpus.jsonl").map((row) => [row.id, row]));
    const answers = new Map(lines(name, "qrels.tsv").map((line) => line.split("\t") as [string, string]));
    const queries = rows(name, "queries.jsonl");
    expect([queries.length, new Set(answers.values()).size, passages.size]).toEqual([asked, asked, all]);
    const shared = queries.flatMap(({ id, text }) => {
      const { title, text: body } = passages.get(answers.get(id)!)!;
      const words = shapeBody(`${title} ${body}`, "markdown").match(/[\p{L}\p{N}]+/gu) ?? [];
      const there = new Set(tokenizer.terms(words));
      const asked = (planQuery(text) ?? [])
        .filter((unit) => unit.kind !== "whole")
        .flatMap((unit) => unit.tokens);
      expect(asked.length).toBeGreaterThan(1);
      return tokenizer.terms(asked).filter((term) => term !== null && there.has(term));
    });
    expect(shared).toEqual([]);
  });
});
