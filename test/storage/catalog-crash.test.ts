import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { openCatalog, openCatalogDatabase } from "../../daemon/storage/catalog/catalog.ts";
import { useCatalog } from "../support/catalog-fixture.ts";

const built = fileURLToPath(new URL("../../dist/daemon/storage/catalog/catalog.js", import.meta.url));

/** Adds files one by one, saying each as it is acknowledged; then begins a transaction, writes, and hangs in it. */
const writer = `
const { openCatalog } = await import(process.argv[1]);
const { writeSync } = await import("node:fs");
const catalog = openCatalog({ path: process.argv[2] });
const file = (name) => catalog.items.create({ baseId: process.argv[3], groupId: null, sourceId: null, type: "file",
  title: name, conceptId: name, path: null, sourceKey: null });
const job = (item) => ({ kind: "index", baseId: item.baseId, itemId: item.id, sourceId: null, priority: 20, runAfter: 0 });
for (let n = 0; n < 50; n++) {
  const item = catalog.transaction(() => { const made = file("f" + n); catalog.jobs.enqueue([job(made)]); return made; });
  writeSync(1, item.id + "\\n");
}
const [claimed] = catalog.jobs.claim({ now: 1, limit: 1, kind: "index", suspects: false });
writeSync(1, "claimed " + claimed.id + "\\n");
catalog.transaction(() => {
  for (let n = 0; n < 2000; n++) file("never" + n);
  writeSync(1, "hanging\\n");
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});
`;

async function killedInTransaction(path: string, baseId: string): Promise<string[]> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", writer, built, path, baseId], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    if (line === "hanging") child.kill("SIGKILL");
    else lines.push(line);
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  return lines;
}

describe("the catalogue after a crash", () => {
  const at = useCatalog();

  it("P1, K4.6 keeps every acknowledged row and nothing of a transaction that was cut short", async () => {
    at.catalog.close();
    const lines = await killedInTransaction(at.path, at.base.id);
    const acknowledged = lines.filter((line) => !line.startsWith("claimed"));
    const catalog = at.reopen("crashed");
    expect(catalog.closedCleanly).toBe(false);
    expect(acknowledged).toHaveLength(50);
    expect(catalog.items.leavesOfBase(at.base.id).sort()).toEqual(acknowledged.sort());
    expect(catalog.bases.counts(at.base.id)).toMatchObject({ items: 50, active: 50 });
    expect(catalog.jobs.counts()).toMatchObject({ queued: 49, running: 1 });
    expect(catalog.jobs.get(Number(lines.at(-1)?.slice("claimed ".length)))).toMatchObject({
      state: "running",
      attempts: 1,
    });
    expect(at.raw((database) => database.pragma("integrity_check", { simple: true }))).toBe("ok");
  });

  it("says whether the last daemon closed it in good order", () => {
    expect(at.catalog.closedCleanly).toBe(true);
    expect(at.reopen("crashed").closedCleanly).toBe(false);
    expect(at.reopen("closed").closedCleanly).toBe(true);
  });

  it("P4 a stop that can't be marked as clean still closes the file, and the next start takes it for a crash", () => {
    at.raw((database) =>
      database.exec(`CREATE TRIGGER refuse BEFORE UPDATE ON catalog_state WHEN new.closed_cleanly = 1
        BEGIN SELECT raise(ABORT, 'no room'); END`),
    );
    expect(() => at.catalog.close()).toThrow("no room");
    expect(() => at.catalog.bases.all()).toThrow("not open");
    expect(at.reopen("crashed").closedCleanly).toBe(false);
    at.raw((database) => database.exec("DROP TRIGGER refuse"));
  });

  it("P3 the catalogue is written with synchronous FULL", () => {
    const database = openCatalogDatabase(`${at.path}-own`);
    expect(database.raw.pragma("synchronous", { simple: true })).toBe(2);
    database.close();
  });

  it("refuses a file that is no catalogue", () => {
    writeFileSync(`${at.path}-text`, "not a database at all, but long enough to be looked at".repeat(100));
    expect(() => openCatalog({ path: `${at.path}-text` })).toThrow(/not a database/);
    at.catalog.close();
    copyFileSync(at.path, `${at.path}-foreign`);
    at.raw((database) => database.pragma("application_id = 7"));
    expect(() => openCatalog({ path: at.path })).toThrow(/not a database of this kind/);
  });
});
