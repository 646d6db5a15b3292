import { readdirSync, readlinkSync } from "node:fs";
import Sqlite from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { checkIndex } from "../../daemon/storage/index/check.ts";
import { commitRevisions } from "../../daemon/storage/index/commit.ts";
import { createMaintenance } from "../../daemon/storage/index/maintenance.ts";
import { removeSome } from "../../daemon/storage/index/remove.ts";
import { openShelf } from "../../daemon/storage/index/shelf.ts";
import { createIndex } from "../../daemon/storage/index/store.ts";
import { isDiskFull } from "../../daemon/runtime/errors.ts";
import { baseId, chunksOf, revision } from "../support/index-revision.ts";
import { temporaryFolder } from "../support/temporary.ts";

const pace = { sliceMs: 8, stop: new AbortController().signal };
const nothing = async () => undefined;

describe("a full disk", () => {
  it.each([
    ["small revisions", 20, 4],
    ["a large one", 1, 300],
  ])(
    "P4 rolls %s back with the reason, keeps what was there, and writes go on by themselves",
    async (_, count, units) => {
      const { db } = createIndex(
        { path: `${temporaryFolder()}/i.sqlite`, baseId, cacheKiB: 1024 },
        { substring: false },
      );
      const maintenance = createMaintenance(null);
      try {
        await commitRevisions(db, [revision("first", ["here"])], pace, nothing);
        const pages = Number(db.raw.pragma("page_count", { simple: true }));
        db.raw.pragma(`max_page_count = ${pages + 8}`);
        const more = Array.from({ length: count }, (_, at) =>
          revision(`m${at}`, chunksOf(`m${at}`, units, 60)),
        );
        const full = await commitRevisions(db, more, pace, nothing);
        expect(full.map(({ materialId }) => materialId)).toEqual(more.map(({ materialId }) => materialId));
        expect(full.some(({ error }) => error !== null && isDiskFull(error))).toBe(true);
        expect(await checkIndex(db, maintenance, pace)).toMatchObject({ ok: true });
        expect(db.statement("SELECT text FROM content WHERE text = 'here'").all()).toHaveLength(1);
        db.raw.pragma("max_page_count = 1000000");
        const again = await commitRevisions(db, more, pace, nothing);
        expect(again.filter(({ error }) => error !== null)).toEqual([]);
        removeSome(db, ["first"], 8);
        expect(await checkIndex(db, maintenance, pace)).toMatchObject({ ok: true, units: count * units });
      } finally {
        db.close();
      }
    },
  );
});

describe("an index that could not be made", () => {
  it.skipIf(process.platform !== "linux")("P16 leaves no open file behind", () => {
    const path = `${temporaryFolder()}/i.sqlite`;
    const nobody = null as unknown as string;
    const make = () => createIndex({ path, baseId: nobody, cacheKiB: 1024 }, { substring: false });
    expect(make).toThrow("NOT NULL");
    const open = readdirSync("/proc/self/fd").map(targetOf);
    expect(open.filter((target) => target.startsWith(path))).toEqual([]);
  });
});

/** Empty for a descriptor that was closed a moment ago, such as the one that listed them. */
function targetOf(descriptor: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`, { encoding: "utf8" });
  } catch {
    return "";
  }
}

describe("damage that shows while an index is in use", () => {
  it("K8.2 makes the index again and does the work at hand once more", async () => {
    const told: string[] = [];
    const shelf = openShelf({
      dataDir: temporaryFolder(),
      cacheKiB: 1024,
      lookEveryMs: 1000,
      stop: pace.stop,
      substringOf: () => false,
      onRecreated: (_, reason) => told.push(reason),
      onOpened: () => undefined,
    });
    await shelf.withSlot(baseId, (slot) => slot.create({ substring: false }));
    const seen: unknown[] = [];
    await shelf.use(baseId, async ({ db }) => {
      seen.push(db);
      if (seen.length === 1)
        throw new Sqlite.SqliteError("database disk image is malformed", "SQLITE_CORRUPT");
      await commitRevisions(db, [revision("a", ["after all"])], pace, nothing);
    });
    expect(new Set(seen).size).toBe(2);
    expect(told).toEqual([expect.stringContaining("malformed")]);
    expect(shelf.slot(baseId).state).toBe("rebuilding");
    await expect(shelf.use(baseId, () => Promise.reject(new Error("no damage")))).rejects.toThrow(
      "no damage",
    );
    expect(told).toHaveLength(1);
    await shelf.close();
  });
});
