import { describe, expect, it } from "vitest";
import { compilePathGlobs } from "../../daemon/search/path-globs.ts";

/** Of a watched folder /home/me/notes that stands in its base as "notes". */
const paths = ["a.md", "a.txt", "docs/b.md", "docs/old/c.md", "src/docs/d.md", "src/e.ts"];

function passing(...globs: string[]): string[] {
  const passes = compilePathGlobs(globs);
  return paths.filter((path) => passes({ conceptId: `notes/${path}`, path: `/home/me/notes/${path}` }));
}

describe("globs over paths", () => {
  it.each([
    [["*.md"], ["a.md", "docs/b.md", "docs/old/c.md", "src/docs/d.md"]],
    [["/*.md"], ["a.md"]],
    [["docs/*.md"], ["docs/b.md"]],
    [["docs/**"], ["docs/b.md", "docs/old/c.md"]],
    [["**/docs/*.md"], ["docs/b.md", "src/docs/d.md"]],
    [["notes/docs/*"], ["docs/b.md"]],
    [["!*.md"], ["a.txt", "src/e.ts"]],
    [["!docs"], ["a.md", "a.txt", "src/e.ts"]],
    [["!/docs"], ["a.md", "a.txt", "src/docs/d.md", "src/e.ts"]],
    [["!old/"], ["a.md", "a.txt", "docs/b.md", "src/docs/d.md", "src/e.ts"]],
    [["*.md", "!docs"], ["a.md"]],
    [
      ["!*.md", "a.*"],
      ["a.md", "a.txt"],
    ],
    [["a.*", "!*.md"], ["a.txt"]],
    [["*.{ts,txt}"], ["a.txt", "src/e.ts"]],
    [["docs"], []],
    [["docs/"], []],
    [["/home/me/notes/docs/*"], ["docs/b.md"]],
    [["!/home/me/notes/src/**"], ["a.md", "a.txt", "docs/b.md", "docs/old/c.md"]],
    [["nothing"], []],
  ])("%j lets pass what ripgrep's -g would: %j", (globs, expected) => {
    expect(passing(...globs)).toEqual(expected);
  });

  it("of an item that has no file only the path in the base counts", () => {
    const passes = compilePathGlobs(["/b.md"]);
    expect(passes({ conceptId: "a/b.md", path: null })).toBe(false);
    expect(passes({ conceptId: "b.md", path: null })).toBe(true);
  });
});
