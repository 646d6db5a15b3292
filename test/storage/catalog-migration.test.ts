import path from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { openCatalog } from "../../daemon/storage/catalog/catalog.ts";
import { catalogMigrations, CATALOG_APPLICATION_ID } from "../../daemon/storage/catalog/schema.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** A catalogue as version 1 left it: one base, a folder with a failed file, and work of each kind. */
function versionOne(): string {
  const file = path.join(temporaryFolder(), "catalog.sqlite");
  const database = new Sqlite(file);
  database.exec(catalogMigrations[0]?.sql ?? "");
  database.pragma(`application_id = ${CATALOG_APPLICATION_ID}`);
  database.pragma("user_version = 1");
  const columns = (
    database.pragma("table_info(base)") as { name: string; dflt_value: unknown; notnull: number }[]
  )
    .filter((column) => column.notnull === 1 && column.dflt_value === null)
    .map(({ name }) => name);
  const values: Record<string, string | number> = {
    id: "b",
    name: "notes",
    status: "completed",
    chunk_size: 1024,
    chunk_overlap: 200,
    chunk_strategy: "structured",
    chunk_hard: 0,
    substring: 0,
    fingerprint: "f",
    created_at: 1,
    updated_at: 1,
  };
  database
    .prepare(`INSERT INTO base (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`)
    .run(columns.map((name) => values[name] ?? 0));
  const item = database.prepare(
    `INSERT INTO item (id, base_id, group_id, type, status, error, title, concept_id, changed_at, created_at, updated_at)
     VALUES (?, 'b', ?, ?, ?, ?, ?, ?, 1, 1, 1)`,
  );
  item.run("d", null, "directory", "processing", null, "d", "d");
  item.run("x", "d", "file", "failed", "damaged", "x", "d/x");
  item.run("y", "d", "file", "idle", null, "y", "d/y");
  item.run("z", "d", "file", "deleting", null, "z", "d/z");
  const job = database.prepare(
    `INSERT INTO job (id, kind, state, base_id, item_id, priority, run_after, attempts, error, created_at)
     VALUES (?, ?, ?, 'b', ?, 10, 5, ?, ?, 1)`,
  );
  job.run(7, "index", "queued", "y", 2, "was locked");
  job.run(8, "delete", "running", "z", 1, null);
  job.run(40, "index", "queued", "x", 0, null);
  database.prepare("DELETE FROM job WHERE id = 40").run();
  database.close();
  return file;
}

describe("a catalogue of version 1", () => {
  it("P26 keeps its items and its work, and gives no number of a job a second time", () => {
    const catalog = openCatalog({ path: versionOne(), now: () => 100 });
    try {
      expect(catalog.items.require("x")).toMatchObject({ status: "failed", error: "damaged", failure: null });
      expect(catalog.bases.counts("b")).toMatchObject({ items: 2, failed: 1, skipped: 0, active: 1 });
      expect(catalog.jobs.get(7)).toMatchObject({
        kind: "index",
        itemId: "y",
        attempts: 2,
        error: "was locked",
      });
      expect(catalog.jobs.get(8)).toMatchObject({ kind: "delete", state: "running", itemId: "z" });
      expect(catalog.jobs.lastId()).toBe(40);
      const entry = { baseId: "b", itemId: "x", sourceId: null, priority: 10, runAfter: 0 } as const;
      expect(catalog.jobs.enqueue([{ ...entry, kind: "process" }])).toBe(1);
      expect(catalog.jobs.lastId()).toBe(41);
      expect(catalog.jobs.cancelOfItems(["x"])).toEqual([41]);
    } finally {
      catalog.close();
    }
  });
});
