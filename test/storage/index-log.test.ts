import { statSync } from "node:fs";
import Sqlite from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  baseId,
  chunksOf,
  openTestRegistry,
  revision,
  type TestRegistry,
} from "../support/index-revision.ts";

const MEBIBYTE = 2 ** 20;
/** More than a log may keep. */
const MUCH = 40 * MEBIBYTE;

async function open(): Promise<TestRegistry & { logBytes: () => number; connect: () => Sqlite.Database }> {
  const test = openTestRegistry();
  await test.registry.create(baseId, { substring: false });
  await test.registry.commit(baseId, [revision("m", chunksOf("m", 3))]);
  const path = test.registry.indexPath(baseId);
  return {
    ...test,
    logBytes: () => statSync(`${path}-wal`).size,
    connect() {
      const raw = new Sqlite(path);
      onTestFinished(() => void raw.close());
      raw.pragma("wal_autocheckpoint = 0");
      return raw;
    },
  };
}

function fillLog(raw: Sqlite.Database): void {
  raw.exec(`CREATE TABLE filler (bytes); INSERT INTO filler VALUES (zeroblob(${MUCH})); DROP TABLE filler`);
}

describe("an index's log", () => {
  it("P25 that one transaction has blown up is cut in an idle moment", async () => {
    const { registry, connect, logBytes } = await open();
    fillLog(connect());
    expect(logBytes()).toBeGreaterThan(MUCH);
    expect(await registry.merge(baseId)).toBe(false);
    expect(logBytes()).toBe(0);
    expect(await registry.check(baseId)).toMatchObject({ ok: true, units: 3 });
  });

  it("P25 that a reader kept from being begun anew is cut by the next write once the reader has gone", async () => {
    const { registry, connect, logBytes } = await open();
    fillLog(connect());
    const reader = connect();
    reader.exec("BEGIN");
    expect(reader.prepare("SELECT count(*) FROM search_unit").pluck().get()).toBe(3);
    fillLog(connect());
    reader.exec("COMMIT");
    expect(logBytes()).toBeGreaterThan(2 * MUCH);
    await registry.commit(baseId, [revision("n", chunksOf("n", 2))]);
    expect(logBytes()).toBe(0);
    expect(await registry.check(baseId)).toMatchObject({ ok: true, units: 5 });
  });
});
