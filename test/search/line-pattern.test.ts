import { array, assert, constantFrom, property, tuple, type Arbitrary } from "fast-check";
import { describe, expect, it } from "vitest";
import { compileLinePattern } from "../../workers/search/grep/line-pattern.ts";
import { seekLiteral } from "../../workers/search/grep/pattern/seek-literal.ts";
import { findLines, matchedTexts } from "../support/find-lines.ts";

const anyCase = { caseSensitive: false };

describe("a pattern in a text", () => {
  it.each([
    ["^b", ["b"]],
    ["b$", ["b"]],
    ["^$", [""]],
    ["a|b", ["a", "b"]],
    ["[^c]+", ["a", "b"]],
    ["\\s", []],
    [".", ["a", "b"]],
    ["\\W", []],
    ["[\\n]", []],
    ["\\-", []],
    ["", ["", "", ""]],
  ])("K10.4 ^ and $ bind to the line, and nothing crosses it: %s", (pattern, expected) => {
    expect(matchedTexts("a\nb\n\n", pattern)).toEqual(expected);
  });

  it("K10.4 counts empty lines from the very first one, and none behind the last line's end", () => {
    expect(findLines("\n\na\n\n", "^$").map(({ line }) => line.start)).toEqual([0, 1, 4]);
    expect(findLines("", "^$")).toEqual([]);
    expect(findLines("\n", "a", { invert: true }).map(({ line }) => line)).toEqual([
      { start: 0, end: 0, number: 1 },
    ]);
  });

  it.each([
    ["counts of nothing in counts of nothing", ["((((((){1000}){1000}){1000}){1000}){1000}){1000}"], "taken"],
    ["nested repetitions", [`${"(".repeat(45)}a${")+".repeat(45)}`], "too large"],
    ["nested choices of nothing", ["((((|){128}){128}){128}){128}"], "too large"],
    ["many large classes", Array.from({ length: 100 }, () => "\\pL".repeat(300)), "large classes"],
    [
      "many classes that overlap",
      Array.from({ length: 100 }, (_, at) =>
        Array.from({ length: 45 }, (_one, of) => `[^${String.fromCharCode(0x4000 + 45 * at + of)}]`).join(""),
      ),
      "overlap",
    ],
  ])("K10.4 is taken or refused at once: %s", (_name, patterns, reason) => {
    const options = { literal: false, caseSensitive: false, word: false, wholeLine: false, invert: false };
    const compile = () => {
      compileLinePattern({ patterns, ...options });
      throw new Error("taken");
    };
    expect(compile).toThrow(reason);
  });

  it.each([
    ["literal", "a.b*", "x a.b* y aab", { literal: true }, ["a.b*"]],
    ["word", "key", "key keys monkey key_x (key)", { word: true }, ["key", "key"]],
    ["word that begins with none", "-x", "a-x -x", { word: true }, ["-x"]],
    ["word of other scripts", "ключ", "ключи ключ", { word: true }, ["ключ"]],
    ["line", "a+", "aa\naab\na", { wholeLine: true }, ["aa", "a"]],
    ["case", "Key", "key Key KEY", {}, ["Key"]],
    ["no case", "straße", "STRASSE Straße", anyCase, ["Straße"]],
    ["no case beyond ASCII", "ks", "KS \u212a\u017f", anyCase, ["KS", "\u212a\u017f"]],
    ["no case of a property", "\\p{Lu}+", "aB1", anyCase, ["aB"]],
    ["no case, of what a property leaves out", "\\P{Lu}+|[\\P{Lu}]+|[[:^lower:]]+", "aB1", anyCase, ["1"]],
    ["smart case, small", "key", "key Key", { caseSensitive: null }, ["key", "Key"]],
    ["smart case, capital", "Key", "key Key", { caseSensitive: null }, ["Key"]],
    ["smart case, capital in a class", "[K]ey", "key Key", { caseSensitive: null }, ["Key"]],
    ["smart case, letters of escapes", "\\Sey", "key KEY", { caseSensitive: null }, ["key", "KEY"]],
    ["several", "x", "a b c", { patterns: ["c", "a"] }, ["a", "c"]],
    ["inverted", "b", "a\nb\nc", { invert: true }, ["a", "c"]],
    ["empty matches", "x*", "ab xx", {}, ["xx"]],
    ["many of one", "a", "aaa", {}, ["a", "a", "a"]],
    ["empty matches beside a surrogate pair", "x*", "😀😀", {}, [""]],
    ["what follows a surrogate pair", "x*", "😀xx", {}, ["xx"]],
    ["whole surrogate pairs", "[😀-😂]", "😀😁", {}, ["😀", "😁"]],
    ["the first alternative", "foo|foobar", "foobar", {}, ["foo"]],
    ["as little as will do", "a+?b|a", "aab", {}, ["aab"]],
    ["flags", "(?i)key(?-i:S)", "KEYS keys", {}, ["KEYS"]],
    ["sets of sets", "[a-z&&[^aeiou]]+", "hello", {}, ["h", "ll"]],
    ["dashes at a class's beginning", "[--a]+|[^-a]+", "-a-b", {}, ["-a-", "b"]],
    ["scripts", "\\p{Greek}+|\\p{han}", "αβ 語", {}, ["αβ", "語"]],
    ["verbose", "(?x) a b # two\n c", "abc", {}, ["abc"]],
  ])("finds by %s", (_name, pattern, text, over, expected) => {
    expect(matchedTexts(text, pattern, over)).toEqual(expected);
  });

  it.each([
    ["(", "a group is not closed"],
    ["a)", "without its ("],
    ["[a", "not closed"],
    ["*a", "nothing to repeat"],
    ["a{2,1}", "ends before it begins"],
    ["a{x}", "is no count"],
    ["a{9999}", "too large"],
    ["(\\w{1000}){1000}", "too large"],
    ["[z-a]", "ends before it begins"],
    ["(?=a)", "look-around"],
    ["(?<!a)", "look-around"],
    ["(a)\\1", "back-references"],
    ["\\q", "has no meaning"],
    ["\\p{Klingon}", "no Unicode property"],
    ["a\\nb", "line's end"],
    ["\\x{110000}", "needs the hexadecimal number"],
    ["(?-u:a)", "can't be turned off"],
    ["a\\", "ends too early"],
    ["(".repeat(200), "nested too deep"],
    ["[".repeat(200), "nested too deep"],
  ])("refuses %j and says why", (pattern, why) => {
    expect(() => matchedTexts("", pattern)).toThrow(why);
    expect(() => matchedTexts("", pattern)).toThrow(expect.objectContaining({ name: "PATTERN_INVALID" }));
  });

  it("a pattern that is no text is taken as one when it is literal", () => {
    expect(matchedTexts("f(x) = [", "(x) = [", { literal: true })).toEqual(["(x) = ["]);
  });

  it("finds what JavaScript's engine finds, line by line and place by place", () => {
    const atom = constantFrom(
      "a",
      "b",
      "[ab]",
      "[^a]",
      ".",
      "\\d",
      "ab",
      "é",
      "語",
      "😀",
      "^",
      "$",
      "\\b",
      "",
    );
    const piece: Arbitrary<string> = tuple(
      atom,
      constantFrom("", "", "", "*", "+", "?", "*?", "+?", "{2}", "{1,2}"),
    ).map(([one, times]) => `(?:${one})${times}`);
    const sequence = array(piece, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(""));
    const pattern = array(sequence, { minLength: 1, maxLength: 3 }).map((choices) => choices.join("|"));
    const letters = constantFrom("a", "b", "aab", "1", "é", "語", "😀", " ", "\n");
    const text = array(letters, { maxLength: 14 }).map((parts) => parts.join(""));
    assert(
      property(pattern, text, (source, given) => {
        expect(findLines(given, source)).toEqual(byJavaScript(given, source));
      }),
      { numRuns: 500 },
    );
  });

  it("K10.4 finds a literal of any length and letters wherever it stands, as the engine itself does", () => {
    const letters = constantFrom("a", "e", "u", "x", "-", "é", "😀", "\n");
    const literal = array(constantFrom("a", "e", "u", "x", "-", "é", "😀"), { minLength: 1, maxLength: 8 });
    const text = array(letters, { maxLength: 60 });
    assert(
      property(literal, text, (wanted, parts) => {
        const given = parts.join("");
        const seek = seekLiteral(wanted.join(""));
        for (let from = 0; from <= given.length; from++)
          expect(seek(given, from)).toBe(given.indexOf(wanted.join(""), from));
      }),
    );
  });

  it("a run is cut into turns, also where each character makes a new state", () => {
    const compiled = compileLinePattern({
      patterns: ["[ab]*a[ab]{300}$|x{400}"],
      literal: false,
      caseSensitive: true,
      word: false,
      wholeLine: false,
      invert: false,
    });
    const letterAt = (at: number) => "ab"[(Math.imul(at * at, 2654435761) >>> 16) % 2];
    const letters = Array.from({ length: 10_000 }, (_, at) => letterAt(at));
    const turns = [...compiled.lines(`${letters.join("")}c`, 0)];
    expect(turns.length).toBeGreaterThan(20);
    expect(turns.every((turn) => turn === null)).toBe(true);
  });
});

/** The same by the engine at hand, whose \b knows ASCII alone: é and 語 are no word characters to it. */
function byJavaScript(text: string, source: string) {
  const boundary = String.raw`(?:(?<=[\p{L}\d])(?![\p{L}\d])|(?<![\p{L}\d])(?=[\p{L}\d]))`;
  const expression = new RegExp(source.replaceAll("\\b", boundary), "gu");
  const found = [];
  let start = 0;
  for (const [before, line] of text.split("\n").entries()) {
    const end = start + line.length;
    const hits = start === text.length ? [] : [...line.matchAll(expression)];
    const from = start;
    const matches = hits.map((hit) => ({ start: from + hit.index, end: from + hit.index + hit[0].length }));
    const full = matches.filter((match) => match.end > match.start);
    if (matches.length > 0)
      found.push({
        line: { start, end, number: before + 1 },
        matches: full.length > 0 ? full : matches.slice(0, 1),
      });
    start = end + 1;
  }
  return found;
}
