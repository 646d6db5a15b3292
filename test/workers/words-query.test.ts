import Sqlite from "better-sqlite3";
import * as fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { closeMatch, matchExpression, MAX_UNITS, meansAll, planQuery } from "../../workers/words/query.ts";
import { shapeBody } from "../../workers/words/shape.ts";

const database = new Sqlite(":memory:");
database.exec(
  "CREATE VIRTUAL TABLE words USING fts5(title, body, tokenize='porter unicode61 remove_diacritics 2')",
);
const find = database.prepare("SELECT rowid FROM words WHERE words MATCH ?").pluck();
afterAll(() => void database.close());

function finds(text: string, query: string, format = "markdown"): boolean {
  database.exec("DELETE FROM words");
  database.prepare("INSERT INTO words VALUES ('', ?)").run(shapeBody(text, format));
  const expression = matchExpression(query);
  return expression !== null && find.all(expression).length > 0;
}

describe("a query as an expression", () => {
  it.each([
    ["how do I rotate the keys", '"rotate" OR "keys" OR "how do I rotate the keys"'],
    ["keys keys", '"keys" OR "keys" OR "keys keys"'],
    ["to be or not to be", '"to" OR "be" OR "or" OR "not" OR "to" OR "be" OR "to be or not to be"'],
    ["令牌登录", '"令牌" OR "牌登" OR "登录" OR "令牌 牌登 登录"'],
    ["月", '"月"*'],
    ["这是什么认证", '"么认" OR "认证" OR "这是 是什 什么 么认 认证"'],
    ["C#", '"csharp"'],
    ["Go", '"Go"'],
    ["v1.2.3", '"v1" OR "2" OR "3" OR "v1 2 3" OR "1 2 3" OR "v1 2 3"'],
    [
      "does package-lock.json matter",
      '"package" OR "lock" OR "json" OR "package lock json" OR "matter" OR "does package lock json matter"',
    ],
    ["high-speed aircraft", '"high" OR "speed" OR "highspeed" OR "aircraft" OR "high speed aircraft"'],
    ["e.g. apples", '"apples" OR "e g apples"'],
    ["U.S. law", '"U S" OR "law" OR "U S law"'],
    ["DiffExecutor", '"DiffExecutor" OR "Diff" OR "Executor" OR "Diff Executor"'],
    ["xxxxxxxxxxxxy", '"xxxxxxxx"*'],
    ['a "quoted* NEAR(b) -c', '"quoted" OR "NEAR" OR "b" OR "c" OR "a quoted NEAR b c"'],
  ])("%s", (query, expected) => {
    expect(matchExpression(query)).toBe(expected);
  });

  it.each(["", "  ", "?!…", '"*()', "\0\u0001\n", "😀"])(
    "is null when there is no word in it: %j",
    (query) => {
      expect(matchExpression(query)).toBeNull();
    },
  );

  it.each([
    ["C#", "written in C# 12"],
    [".NET", "runs on ASP.NET and .NET 8"],
    ["C++", "the C++ standard"],
    ["Go", "a program in Go"],
    ["package-lock.json", "commit your package-lock.json"],
    ["v1.2.3", "since v1.2.3 it is gone"],
    ["foo_bar", "call foo_bar(1)"],
    ["user@example.org", "write to user@example.org"],
    ["0x7fff", "at address 0x7fff0000 or 0x7fff"],
    ["E-1042", "error E-1042: no disk"],
    ["describe-instances", "aws ec2 describe-instances --filters"],
    ["认证", "用户认证的方法"],
    ["令牌登录", "使用令牌登录系统"],
    ["证", "这里需要认证。"],
    ["ログイン", "まずログインします"],
    ["라이선스", "이 라이선스는 무료다"],
    ["rotating", "keys are rotated"],
    ["cafe", "Café"],
    ["перехват", "перехваты в матче"],
    ["ภาษา", "ภาษาไทย"],
    ["हिन्दी", "यह हिन्दी है"],
  ])("K9.5 the special term %s finds its text", (query, text) => {
    expect(finds(text, query)).toBe(true);
  });

  it("tells C# from C and C++", () => {
    expect(finds("the C language and C++", "C#")).toBe(false);
    expect(finds("written in C#", "C++")).toBe(false);
  });

  it("finds the parts of identifiers in code", () => {
    expect(finds("struct DiffExecutor {}", "executor", "code")).toBe(true);
  });

  it.each([
    ["launch ide met", true],
    ["package-lock.json", true],
    ["DiffExecutor trait", true],
    ["令牌登录 认证", true],
    ["keys", false],
    ["how do I rotate keys", false],
    ["one two three four five six seven", false],
    ["这是什么认证", false],
  ])("takes %s for keywords that all are meant: %s", (query, expected) => {
    expect(meansAll(planQuery(query) ?? [])).toBe(expected);
  });

  it.each([
    ["server restaurant taking orders from many", "a server in a restaurant taking orders from many", true],
    ["orders taking", "taking your orders", true],
    ["server restaurant", "a server stands for hours in a restaurant", false],
  ])("the words of %s are close together in %s: %s", (query, text, expected) => {
    database.exec("DELETE FROM words");
    database.prepare("INSERT INTO words VALUES ('', ?)").run(shapeBody(text, "markdown"));
    const whole = planQuery(query)?.find((unit) => unit.kind === "whole");
    expect(whole && find.all(closeMatch(whole)).length > 0).toBe(expected);
  });

  it("asks for 256 things at most, for one of them eight times at most", () => {
    const many = Array.from({ length: 2000 }, (_, n) => `w${n}x`).join(" ");
    expect(planQuery(many)?.length).toBeLessThanOrEqual(MAX_UNITS);
    expect(planQuery("的的".repeat(500))?.length).toBeLessThanOrEqual(8);
  });

  it("P23 any string is null or an expression that SQLite takes as words alone", () => {
    const syntax = fc.constantFrom(
      '"',
      "*",
      "(",
      ")",
      "NEAR(",
      " AND ",
      " OR ",
      " NOT ",
      "^",
      "-",
      ":",
      "title:",
      "{",
      "}",
      "+",
      "'",
    );
    const text = fc
      .array(fc.oneof(syntax, fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" })))
      .map((all) => all.join(""));
    fc.assert(
      fc.property(text, (query) => {
        const expression = matchExpression(query);
        if (expression === null) return;
        expect(expression).toMatch(/^"[\p{L}\p{N}\p{M} ]+"\*?( OR "[\p{L}\p{N}\p{M} ]+"\*?)*$/u);
        expect(() => find.all(expression)).not.toThrow();
        const wholes = planQuery(query)?.filter((unit) => unit.kind === "whole") ?? [];
        expect(() => wholes.map((whole) => find.all(closeMatch(whole)))).not.toThrow();
      }),
      { numRuns: 1000 },
    );
  });

  it("P23 a text of words is found by itself", () => {
    const word = fc.stringMatching(/^[a-z]{3,9}$/);
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), (all) => {
        expect(finds(`before ${all.join(" ")} after`, all.join(" "))).toBe(true);
      }),
    );
  });
});
