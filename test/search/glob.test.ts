import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileGlob } from "../../daemon/search/glob.ts";

describe("a glob", () => {
  it.each([
    ["*.md", "notes/keys.md", true],
    ["*.md", "notes/keys.txt", false],
    ["notes/*.md", "notes/keys.md", true],
    ["notes/*.md", "notes/a/keys.md", false],
    ["notes/**", "notes/a/b.txt", true],
    ["**/b.txt", "b.txt", true],
    ["**/b.txt", "a/c/b.txt", true],
    ["**/b.txt", "a/xb.txt", false],
    ["a/**/b", "a/b", true],
    ["a/**/b", "a/x/y/b", true],
    ["a/**/b", "a/xb", false],
    ["/home/me/**/*.md", "/home/me/notes/keys.md", true],
    ["*.{md,txt}", "x/keys.txt", true],
    ["{a,b{c,d}}/*", "bd/x", true],
    ["key?.md", "keys.md", true],
    ["key?.md", "key.md", false],
    ["[k-m]eys.md", "leys.md", true],
    ["[!k]eys.md", "keys.md", false],
    ["[", "[", true],
    ["\\*.md", "*.md", true],
    ["\\*.md", "a.md", false],
    ["notizen/ü*.md", "notizen/übersicht.md", true],
    ["*", "a/b/c", true],
  ])("%s on %s: %s", (glob, path, expected) => {
    expect(compileGlob(glob)(path)).toBe(expected);
  });

  it("matches a path that is written as it is", () => {
    const name = fc.stringMatching(/^[a-z0-9._ -]{1,8}$/);
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 5 }), (names) => {
        const path = names.join("/");
        expect(compileGlob(path)(path)).toBe(true);
        expect(compileGlob(`**/${names.at(-1)}`)(path)).toBe(true);
      }),
    );
  });

  it("ends soon for any pattern", () => {
    const hostile = `${"*a".repeat(120)}*b`;
    expect(compileGlob(`${hostile}/`)("a".repeat(3000))).toBe(false);
    expect(compileGlob(`${"**/".repeat(100)}x`)("a/".repeat(500))).toBe(false);
    expect(compileGlob("{a,b}".repeat(40))("a")).toBe(false);
    fc.assert(
      fc.property(fc.string(), fc.string(), (glob, path) => typeof compileGlob(glob)(path) === "boolean"),
    );
  });
});
