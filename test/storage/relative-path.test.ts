import nodePath from "node:path";
import { array, assert, constantFrom, oneof, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { KnowdError } from "../../daemon/runtime/errors.ts";
import {
  checkRelativePath,
  isBelow,
  markdownSlot,
  resolveBelow,
  twinKey,
  withSuffix,
} from "../../daemon/storage/relative-path.ts";

function reasonOf(path: string): unknown {
  try {
    checkRelativePath(path);
  } catch (error) {
    if (error instanceof KnowdError && error.errorName === "PATH_INVALID") return error.data["reason"];
    throw error;
  }
  return null;
}

describe("relative paths", () => {
  it.each([
    ["", "it is empty"],
    ["/etc/passwd", "it is absolute"],
    ["a\0b", "it has a NUL character"],
    [".", "it names the root itself"],
    ["a/..", "it names the root itself"],
    ["./", "it names the root itself"],
    ["..", "it climbs out of the root"],
    ["../a", "it climbs out of the root"],
    ["a/../../b", "it climbs out of the root"],
    [".cherry", ".cherry is the control folder"],
    [".cherry/index.sqlite", ".cherry is the control folder"],
    ["./.cherry/x", ".cherry is the control folder"],
    ["a/../.cherry/x", ".cherry is the control folder"],
  ])("K2.2 %j is refused: %s", (path, reason) => {
    expect(reasonOf(path)).toBe(reason);
  });

  it.each([
    ["a.md", "a.md"],
    ["a//b.md", "a/b.md"],
    ["./a/./b.md", "a/b.md"],
    ["a/", "a"],
    ["a/../b.md", "b.md"],
    ["..a/b", "..a/b"],
    ["...", "..."],
    [".cherry\\x", ".cherry\\x"],
    [".cherryx/a", ".cherryx/a"],
    ["a/.cherry/b", "a/.cherry/b"],
    [" .cherry", " .cherry"],
    ["C:\\x", "C:\\x"],
  ])("K2.2 %j is legal and stands as %j", (path, normal) => {
    expect(checkRelativePath(path)).toBe(normal);
  });

  it("K2.2 whatever passes stays below the root on the host, and passes again unchanged", () => {
    const part = oneof(
      constantFrom(".", "..", ".cherry", "a", "b c", "", "é", "\\"),
      string({ maxLength: 6 }),
    );
    assert(
      property(array(part, { maxLength: 8 }), (parts) => {
        const path = parts.join("/");
        if (reasonOf(path) !== null) return;
        const normal = checkRelativePath(path);
        expect(checkRelativePath(normal)).toBe(normal);
        expect(resolveBelow("/data/raw", normal).startsWith("/data/raw/")).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it.each(["..\\..\\x", "C:\\Windows", "D:x", "\\\\host\\share\\x", "a\\..\\..\\x"])(
    "K2.2 the host-side check refuses %j on Windows",
    (path) => {
      expect(() => resolveBelow("C:\\data\\raw", path, nodePath.win32)).toThrow(/not allowed/);
    },
  );

  it("K2.3 what a link leads out of the root is not below it", () => {
    expect(isBelow("/home/me/notes", "/home/me/notes/a/b.md")).toBe(true);
    expect(isBelow("/home/me/notes", "/home/me/notes..x")).toBe(false);
    expect(isBelow("/home/me/notes", "/home/me/notes/..x")).toBe(true);
    expect(isBelow("/home/me/notes", "/home/me/notes")).toBe(false);
    expect(isBelow("/home/me/notes", "/etc/passwd")).toBe(false);
  });

  it.each([
    ["README.md", "readme.MD", true],
    ["caf\u00e9.md", "cafe\u0301.md", true],
    ["CAFÉ", "cafe\u0301", true],
    ["straße", "STRASSE", true],
    ["ὈΔΥΣΣΕΎΣ", "ὀδυσσεύς", true],
    ["a.md", "b.md", false],
    ["cafe", "café", false],
  ])("K2.3 %j and %j are twins: %s", (one, other, twins) => {
    expect(twinKey(one) === twinKey(other)).toBe(twins);
  });

  it("K2.3 every Unicode form and every case of a name has one key", () => {
    assert(
      property(string({ unit: "grapheme", maxLength: 12 }), (name) => {
        expect(twinKey(name.normalize("NFD"))).toBe(twinKey(name.normalize("NFC")));
        expect(twinKey(name.toUpperCase())).toBe(twinKey(name));
      }),
    );
  });

  it.each([
    ["paper.pdf", 1, "file", "paper_1.pdf"],
    ["a/b.tar.gz", 2, "file", "a/b.tar_2.gz"],
    [".bashrc", 1, "file", ".bashrc_1"],
    ["Makefile", 3, "file", "Makefile_3"],
    ["v1.2", 1, "directory", "v1.2_1"],
    ["a.d/b.d", 1, "directory", "a.d/b.d_1"],
  ] as const)("K5.1 %s with suffix %i as a %s is %s", (path, n, kind, expected) => {
    expect(withSuffix(path, n, kind)).toBe(expected);
  });

  it("K5.1 a suffix keeps a long name within 255 bytes and its characters whole", () => {
    const name = withSuffix(`d/${"😀".repeat(62)}abc.md`, 12, "file");
    expect(Buffer.byteLength(name.slice(2))).toBeLessThanOrEqual(255);
    expect(Buffer.from(name).toString()).toBe(name);
    expect(name.endsWith("_12.md")).toBe(true);
  });

  it("K5.1 the Markdown slot of a file stands beside it", () => {
    expect(markdownSlot("a/paper.pdf")).toBe("a/paper.md");
    expect(markdownSlot("scan")).toBe("scan.md");
  });

  it.each(["a.md", "d/A.MD", "a.md.md", `${"x".repeat(252)}.md`, `${"é".repeat(126)}x.c`])(
    "K5.1 the Markdown slot of %s is a name of its own, short enough for every system",
    (name) => {
      const slot = markdownSlot(name);
      expect(twinKey(slot)).not.toBe(twinKey(name));
      expect(slot.endsWith(".md")).toBe(true);
      expect(Buffer.byteLength(slot.slice(slot.lastIndexOf("/") + 1))).toBeLessThanOrEqual(255);
    },
  );
});
