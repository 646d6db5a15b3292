import Sqlite from "better-sqlite3";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { openCatalog } from "../../daemon/storage/catalog/catalog.ts";
import { CATALOG_APPLICATION_ID, catalogMigrations } from "../../daemon/storage/catalog/schema.ts";
import { foldTag } from "../../workers/words/tag.ts";
import { useCatalog } from "../support/catalog-fixture.ts";
import { temporaryFolder } from "../support/temporary.ts";

const at = useCatalog();

function tagged(conceptId: string, tags: unknown): string {
  return at.complete(at.file(conceptId), { metadata: { tags } }).id;
}

const never = new AbortController().signal;

async function matching(...tags: string[]): Promise<string[] | undefined> {
  return (await at.catalog.items.matching(at.base.id, { tags }, never))?.toSorted();
}

describe("a tag", () => {
  it.each([
    ["#Project", "project"],
    ["  to   do ", "to do"],
    ["A / B//c/", "a/b/c"],
    ["ÜBUNG", "übung"],
    ["ＡＢＣ", "abc"],
    ["##", ""],
    ["/", ""],
    ["", ""],
    ["x".repeat(500), "x".repeat(200)],
  ])("%s is compared as %s", (tag, folded) => {
    expect(foldTag(tag)).toBe(folded);
  });
});

describe("items by their tags", () => {
  it("are found by a tag and by those above it, whatever case, with # or without", async () => {
    const alpha = tagged("alpha.md", ["Project/Alpha", "todo"]);
    const project = tagged("project.md", ["project", "project"]);
    tagged("projects.md", ["projects", "project-x", "project0"]);
    tagged("none.md", undefined);
    tagged("odd.md", [1, null, "", "#", { a: 1 }]);
    expect(await matching("#PROJECT")).toEqual([alpha, project]);
    expect(await matching("project/alpha")).toEqual([alpha]);
    expect(await matching("project", "todo")).toEqual([alpha]);
    expect(await matching("proj")).toEqual([]);
    expect(await at.catalog.items.matching(at.base.id, { notTags: ["project"] }, never)).toHaveLength(3);
    const other = at.catalog.items.matching(at.base.id, { tags: ["project"], notTags: ["todo"] }, never);
    expect(await other).toEqual([project]);
  });

  it("are found no more by what a new revision has not, and not when they fail, are missing or go", async () => {
    const id = tagged("a.md", ["old", "kept"]);
    at.complete(at.catalog.items.require(id), { metadata: { tags: ["kept", "new"] } });
    expect(await Promise.all(["old", "kept", "new"].map((tag) => matching(tag)))).toEqual([[], [id], [id]]);
    at.catalog.items.setMissing([id], 1);
    expect(await matching("kept")).toEqual([]);
    at.catalog.items.setMissing([id], null);
    expect(await matching("kept")).toEqual([id]);
    at.catalog.items.fail(id, "unreadable");
    at.raw((database) => expect(database.prepare("SELECT * FROM item_tag").all()).toEqual([]));
    at.complete(at.catalog.items.require(id), { metadata: { tags: ["kept"] } });
    at.catalog.items.beginDelete([id]);
    expect(await matching("kept")).toEqual([]);
    at.catalog.items.remove([id]);
    at.raw((database) => expect(database.prepare("SELECT * FROM item_tag").all()).toEqual([]));
  });

  it("that were read before tags were kept apart are found after the upgrade (P26)", async () => {
    const file = path.join(temporaryFolder(), "catalog.sqlite");
    const ids = Array.from({ length: 1200 }, (_, n) => `item ${String(n).padStart(4, "0")}`);
    const database = new Sqlite(file);
    for (const step of catalogMigrations.filter(({ version }) => version < 3)) database.exec(step.sql);
    database.pragma(`application_id = ${CATALOG_APPLICATION_ID}`);
    database.pragma("user_version = 2");
    database.exec(`INSERT INTO base (id, name, status, chunk_size, chunk_overlap, chunk_strategy, chunk_hard, substring,
        fingerprint, created_at, updated_at) VALUES ('base', 'base', 'completed', 10, 1, 'structured', 0, 0, 'f', 1, 1)`);
    const insert =
      database.prepare(`INSERT INTO item (id, base_id, type, status, title, concept_id, content_hash,
        chunk_count, fingerprint, metadata, changed_at, created_at, updated_at)
        VALUES (?, 'base', 'file', 'completed', 't', ?, 'hash', 1, 'f', ?, 1, 1, 1)`);
    database.transaction(() => {
      for (const id of ids) insert.run(id, id, JSON.stringify({ author: "x", tags: ["Übung/Eins"] }));
      insert.run("without", "without", JSON.stringify({ title: "tags", list: ["a"] }));
    })();
    database.close();
    const catalog = openCatalog({ path: file });
    const found = await catalog.items.matching("base", { tags: ["übung"] }, never);
    expect(found?.toSorted()).toEqual(ids.toSorted());
    catalog.close();
  });
});
