import { array, assert as check, constantFrom, oneof, property, string, stringMatching } from "fast-check";
import { describe, expect, it } from "vitest";
import { parseQuery, type ParsedQuery } from "../../workers/words/parse-query.ts";

/** A Wednesday. */
const now = new Date(2026, 4, 13, 15, 30);
const types = new Set(["pdf", "md", "docx", "markdown", "html", "c++"]);
const parse = (query: string): ParsedQuery => parseQuery(query, { now, isType: (name) => types.has(name) });

function day(year: number, month: number, date: number): number {
  return new Date(year, month - 1, date).getTime();
}

/** What a query is read as, without what is empty in it. */
function read(query: string): Record<string, unknown> {
  const { text, phrases, excluded, filters, notes } = parse(query);
  const filled = Object.entries({ phrases, excluded, ...filters, notes: notes.length }).filter(([, value]) =>
    Array.isArray(value) ? value.length > 0 : value !== null && value !== 0,
  );
  return { text: text.replace(/\s+/g, " ").trim(), ...Object.fromEntries(filled) };
}

const text = (query: string, as = query): [string, Record<string, unknown>] => [query, { text: as }];

const cases: [string, Record<string, unknown>][] = [
  text("rotate the keys"),
  text(""),
  text("   ", ""),
  text("e-mail"),
  text("a - b"),
  text("-"),
  text("--"),
  text("-5"),
  text("minus -5 degrees"),
  text("-2026-03-01"),
  text("--no-verify"),
  text("git commit --no-verify"),
  text("git commit -m message"),
  text("-rf"),
  text("-draft"),
  text('-"draft"'),
  text("-?"),
  text("foo -"),
  text("foo -- bar"),
  text("state-of-the-art"),
  text("http://x"),
  text("https://example.org/a?b=c-d"),
  text("C:\\path"),
  text("C:\\-path"),
  text("std::vector"),
  text("foo:bar"),
  text("10:30"),
  text("C# .NET"),
  text("#x"),
  text("#1234 crash"),
  text("tag:"),
  text("tag: x"),
  text("path: docs"),
  text("tag:!!!"),
  text('tag:""'),
  text("tagged:x"),
  text("mytag:x"),
  text("type"),
  text("認証 トークン"),
  text("AND OR NOT NEAR(a b) a*"),
  text("{title} : ^x"),
  text('"'),
  text('""'),
  text('"..."'),
  text('say "hello'),
  text('5" disk'),
  text('5" or 3" disk'),
  text('foo"bar baz"'),
  text('"foo"bar'),
  text("„offen"),
  text("」「"),
  text("笔名「林双不」的由来"),
  text("「微生物」としたのは誰"),
  text('\\"not a phrase\\"', '"not a phrase\\"'),
  text("\\-word", "-word"),
  text("path\\:x", "path:x"),
  text("-tag\\:x", "-tag:x"),
  text("don't", "don't"),
  ['"rotate the keys"', { text: "rotate the keys", phrases: ["rotate the keys"] }],
  ['how "to be" or', { text: "how to be or", phrases: ["to be"] }],
  ['"a" "b"', { text: "a b", phrases: ["a", "b"] }],
  ['what is "foo bar"?', { text: "what is foo bar?", phrases: ["foo bar"] }],
  ['("foo bar")', { text: "(foo bar)", phrases: ["foo bar"] }],
  ["“foo bar” baz", { text: "foo bar baz", phrases: ["foo bar"] }],
  ["„foo bar“", { text: "foo bar", phrases: ["foo bar"] }],
  ["„foo bar”", { text: "foo bar", phrases: ["foo bar"] }],
  ["«foo bar»", { text: "foo bar", phrases: ["foo bar"] }],
  ["»foo bar«", { text: "foo bar", phrases: ["foo bar"] }],
  ["「機械学習」", { text: "機械学習", phrases: ["機械学習"] }],
  ["『機械学習』 入門", { text: "機械学習 入門", phrases: ["機械学習"] }],
  ['"say \\"hello\\" now"', { text: 'say "hello" now', phrases: ['say "hello" now'] }],
  ['"path:x"', { text: "path:x", phrases: ["path:x"] }],
  ['"-word"', { text: "-word", phrases: ["-word"] }],
  ["keys -draft", { text: "keys", excluded: ["draft"] }],
  ["-draft keys", { text: "keys", excluded: ["draft"] }],
  ["keys -e-mail", { text: "keys", excluded: ["e-mail"] }],
  ["keys -package.json", { text: "keys", excluded: ["package.json"] }],
  ["keys -foo:bar", { text: "keys", excluded: ["foo:bar"] }],
  ["鍵 -月", { text: "鍵", excluded: ["月"] }],
  ['keys -"old draft"', { text: "keys", excluded: ["old draft"] }],
  ["keys -„old draft“", { text: "keys", excluded: ["old draft"] }],
  ["keys path:docs", { text: "keys", paths: ["docs"] }],
  ["path:docs", { text: "", paths: ["docs"] }],
  ["PATH:Docs", { text: "", paths: ["Docs"] }],
  ["path:src/**/*.ts x", { text: "x", paths: ["src/**/*.ts"] }],
  ["path:* x", { text: "x", paths: ["*"] }],
  ['path:"my notes/*.md" x', { text: "x", paths: ["my notes/*.md"] }],
  ["path:„my notes“ x", { text: "x", paths: ["my notes"] }],
  ['path:"C:\\my notes" x', { text: "x", paths: ["C:\\my notes"] }],
  ["-path:vendor x", { text: "x", notPaths: ["vendor"] }],
  ["path:a path:b", { text: "", paths: ["a", "b"] }],
  ["tag:x, y", { text: "y", tags: ["x"] }],
  ["tag:project/x", { text: "", tags: ["project/x"] }],
  ['tag:"a b" c', { text: "c", tags: ["a b"] }],
  ["tag:#x", { text: "", tags: ["#x"] }],
  ["-tag:x y", { text: "y", notTags: ["x"] }],
  ["type:pdf", { text: "", types: ["pdf"] }],
  ["type:PDF type:.md", { text: "", types: ["pdf", "md"] }],
  ["type:md,docx x", { text: "x", types: ["md", "docx"] }],
  ["-type:pdf x", { text: "x", notTypes: ["pdf"] }],
  ["type:nonsense x", { text: "type:nonsense x", notes: 1 }],
  ["type:md,nonsense", { text: "type:md,nonsense", notes: 1 }],
  ["after:2026", { text: "", after: day(2026, 1, 1) }],
  ["before:2026-03 x", { text: "x", before: day(2026, 3, 1) }],
  ["after:2026-03-02 before:2026-04", { text: "", after: day(2026, 3, 2), before: day(2026, 4, 1) }],
  ["after:2025 after:2026", { text: "", after: day(2026, 1, 1) }],
  ["-after:2026", { text: "", before: day(2026, 1, 1) }],
  ["-before:2026", { text: "", after: day(2026, 1, 1) }],
  ["after:2026-03-01T12:00:00Z", { text: "", after: Date.UTC(2026, 2, 1, 12) }],
  ['after:"last week"', { text: "", after: day(2026, 5, 4) }],
  ["after:soon x", { text: "after:soon x", notes: 1 }],
  ["after:2026-13", { text: "after:2026-13", notes: 1 }],
  [
    'keys "a b" -cc type:pdf tag:d path:e',
    {
      text: "keys a b",
      phrases: ["a b"],
      excluded: ["cc"],
      types: ["pdf"],
      tags: ["d"],
      paths: ["e"],
    },
  ],
];

describe("a query", () => {
  it.each(cases)("%s", (query, expected) => {
    expect(read(query)).toEqual(expected);
  });

  it("that is pasted keeps its quotes and minus signs, and may be filtered", () => {
    const long = `${"word ".repeat(33)}"quoted words" -dash`;
    expect(parse(long)).toMatchObject({ text: long, phrases: [], excluded: [] });
    expect(parse(`${long} tag:x`)).toMatchObject({ phrases: [], filters: { tags: ["x"] } });
  });

  it("has a bounded number of clauses: what follows is text", () => {
    const { filters, text } = parse("tag:x ".repeat(40));
    expect(filters.tags).toHaveLength(32);
    expect(text.match(/tag:x/g)).toHaveLength(8);
  });
});

const syntax = array(
  oneof(
    constantFrom(
      '"',
      "“",
      "”",
      "„",
      "«",
      "»",
      "「",
      "」",
      "-",
      "--",
      "\\",
      " ",
      "\u3000",
      "(",
      ":",
      "path:",
      "-tag:",
      "type:pdf",
      "after:7d",
      "before:x",
      "a",
      "月",
      "5",
      "*",
      "\n",
    ),
    string({ unit: "grapheme", maxLength: 4 }),
  ),
  { maxLength: 60 },
).map((parts) => parts.join(""));

describe("any string is a query (P23)", () => {
  it("no string makes it throw, and what is not syntax is text, letter for letter", () => {
    check(
      property(syntax, (query) => {
        const parsed = parse(query);
        const consumed = parsed.phrases.length + parsed.excluded.length;
        const { after, before, ...lists } = parsed.filters;
        const isPlain =
          consumed === 0 &&
          after === null &&
          before === null &&
          Object.values(lists).every((list) => list.length === 0);
        expect(!isPlain || parsed.text.replaceAll("\\", "") === query.replaceAll("\\", "")).toBe(true);
        for (const phrase of parsed.phrases) expect(parsed.text).toContain(phrase);
        // All characters of the text stand in the query, in this order.
        let at = 0;
        for (const character of parsed.text) {
          at = query.indexOf(character, at);
          expect(at).toBeGreaterThanOrEqual(0);
          at += character.length;
        }
      }),
      { numRuns: 1000 },
    );
  });

  it("words without any mark of syntax are what they were", () => {
    check(
      property(stringMatching(/^[\p{L}\p{N} .,!?'/_+#]{0,80}$/u), (query) => {
        expect(parse(query)).toMatchObject({ text: query, phrases: [], excluded: [], notes: [] });
      }),
    );
  });

  it.each([
    '"',
    "“",
    "„",
    "-",
    "\\",
    "(",
    '-"',
    "tag:",
    'tag:"',
    "path:“",
    "「",
    '\\"',
    "- ",
    "“ ",
    '" ',
    "-a ",
    "type:x,",
  ])("a million characters of %s are gone through before anybody gives up", (part) => {
    const query = part.repeat(1_000_000 / part.length);
    expect(parse(query).text.length).toBeLessThanOrEqual(query.length);
  });
});
