import { describe, expect, it } from "vitest";
import { refusalOf, useCatalog } from "../support/catalog-fixture.ts";

describe("names inside a base", () => {
  const at = useCatalog();
  const concept = (id: string): string => at.catalog.items.require(id).conceptId;

  it("K5.1 conflicts take _N: files before the extension, directories at their end", () => {
    expect([1, 2, 3].map(() => at.file("paper.pdf").conceptId)).toEqual([
      "paper.pdf",
      "paper_1.pdf",
      "paper_2.pdf",
    ]);
    expect([1, 2].map(() => at.directory("v1.2").conceptId)).toEqual(["v1.2", "v1.2_1"]);
    expect([1, 2].map(() => at.file("x/.env").conceptId)).toEqual(["x/.env", "x/.env_1"]);
  });

  it("K5.1 files and directories share one reservation set, each base has its own", () => {
    at.directory("notes");
    expect(at.file("notes").conceptId).toBe("notes_1");
    const other = at.catalog.bases.create({
      ...at.base,
      id: "3f0f7f4e-7d3b-4b43-9d7e-6e8f6f6e2a10",
      name: "other",
    });
    expect(at.file("notes", { baseId: other.id }).conceptId).toBe("notes");
  });

  it("K5.1 a name is held until the row goes, not only until the delete begins", () => {
    const item = at.file("a.md");
    at.catalog.items.beginDelete([item.id]);
    expect(at.file("a.md").conceptId).toBe("a_1.md");
    at.catalog.items.remove([item.id]);
    expect(at.file("a.md").conceptId).toBe("a.md");
  });

  it("K5.1 the .md slot of a processed file is reserved, moves and goes with it", () => {
    const paper = at.file("paper.pdf", { processed: true });
    expect(at.file("paper.md").conceptId).toBe("paper_1.md");
    expect(at.file("paper.pdf", { processed: true }).conceptId).toBe("paper_2.pdf");
    const moved = at.catalog.items.move(paper.id, {
      path: "/x/thesis.pdf",
      conceptId: "thesis.pdf",
      title: "t",
      groupId: null,
    });
    expect(moved.conceptId).toBe("thesis.pdf");
    expect(at.file("thesis.md").conceptId).toBe("thesis_1.md");
    expect(at.file("paper.md").conceptId).toBe("paper.md");
    at.catalog.items.beginDelete([paper.id]);
    at.catalog.items.remove([paper.id]);
    expect([at.file("thesis.md").conceptId, at.file("thesis.pdf").conceptId]).toEqual([
      "thesis.md",
      "thesis.pdf",
    ]);
  });

  it("K5.1 many files of one name each get the next number", () => {
    const names = at.catalog.transaction(() =>
      Array.from({ length: 300 }, () => at.file("note.md").conceptId),
    );
    expect(names).toEqual(["note.md", ...Array.from({ length: 299 }, (_, n) => `note_${n + 1}.md`)]);
  });

  it.each([
    ["README.md", "readme.md", "readme_1.md"],
    ["caf\u00e9.md", "cafe\u0301.md", "cafe\u0301_1.md"],
    ["straße", "STRASSE", "STRASSE_1"],
  ])("K2.3 the twins %j and %j are told apart by a suffix", (first, second, expected) => {
    at.file(first);
    expect(at.file(second).conceptId).toBe(expected);
    expect(at.catalog.items.byConceptId(at.base.id, second)).toBeUndefined();
    expect(at.catalog.items.byConceptId(at.base.id, expected)?.conceptId).toBe(expected);
  });

  it.each([
    "",
    "/etc/passwd",
    "a\0b",
    ".",
    "..",
    "../a",
    "a/../..",
    ".cherry",
    ".cherry/index.sqlite",
    "./.cherry/x",
  ])("K2.2 the concept id %j is refused when an item is made and when it is moved", (conceptId) => {
    const item = at.file("a.md");
    const move = (): unknown =>
      at.catalog.items.move(item.id, { path: "/x", conceptId, title: "x", groupId: null });
    expect(refusalOf(() => at.file(conceptId))?.errorName).toBe("PATH_INVALID");
    expect(refusalOf(move)?.errorName).toBe("PATH_INVALID");
    expect(concept(item.id)).toBe("a.md");
  });

  it("K2.2 a concept id is kept in its normal form", () => {
    expect(at.file("./a//b/../c.md").conceptId).toBe("a/c.md");
    expect(at.file(".cherry\\x").conceptId).toBe(".cherry\\x");
  });

  it("K11.1 a move keeps id, revision and its own name, and clears what was missing", () => {
    const item = at.complete(at.file("a.md", { path: "/w/a.md", sourceKey: "/w/a.md" }));
    at.file("b.md");
    at.catalog.items.setMissing([item.id], at.clock.now);
    const moved = at.catalog.items.move(item.id, {
      path: "/w/b.md",
      conceptId: "b.md",
      title: "b.md",
      groupId: null,
    });
    expect(moved).toMatchObject({
      id: item.id,
      conceptId: "b_1.md",
      path: "/w/b.md",
      status: "completed",
      chunkCount: 3,
      missingSince: null,
    });
    const again = at.catalog.items.move(item.id, {
      path: "/w/b.md",
      conceptId: "B_1.md",
      title: "b",
      groupId: null,
    });
    expect(again.conceptId).toBe("B_1.md");
    expect(at.catalog.items.bySourceKey(at.base.id, "file", "/w/b.md")?.id).toBe(item.id);
    expect(at.catalog.items.byPath("/w/a.md")).toEqual([]);
    expect(at.file("a.md").conceptId).toBe("a.md");
  });

  it("K5.4 what exists is found by its type and full key, the oldest first, unless it is deleting", () => {
    const { items } = at.catalog;
    const first = at.file("a.pdf", { sourceKey: "/home/me/a.pdf" });
    const second = at.file("a.pdf", { sourceKey: "/home/me/a.pdf" });
    const url = at.file("u.md", { type: "url", sourceKey: "https://example.org/a" });
    const note = at.file("n.md", { type: "note", sourceKey: "https://example.org/a" });
    const found = (type: "file" | "url" | "note" | "directory", key: string): string | undefined =>
      items.bySourceKey(at.base.id, type, key)?.id;
    expect(found("file", "/home/me/a.pdf")).toBe(first.id);
    expect([found("url", "https://example.org/a"), found("note", "https://example.org/a")]).toEqual([
      url.id,
      note.id,
    ]);
    expect([found("directory", "/home/me/a.pdf"), found("file", "a.pdf")]).toEqual([undefined, undefined]);
    items.beginDelete([first.id]);
    expect(found("file", "/home/me/a.pdf")).toBe(second.id);
  });
});
