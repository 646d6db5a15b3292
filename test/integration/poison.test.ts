import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Client } from "../../rpc/client.ts";
import { startDaemon, watchFolder, type Daemon } from "../support/daemon.ts";
import { eventually } from "../support/eventually.ts";
import { endlessPdf, poison } from "../support/poison.ts";
import { pathsWith } from "../support/questions.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** How often a host was lost with this file alone in it, to be tried again. */
const lostAlone = (daemon: Daemon, name: string): number =>
  daemon
    .log()
    .split("\n")
    .filter((line) => line.includes("a batch was lost"))
    .filter((line) => path.basename((JSON.parse(line) as { item?: string }).item ?? "") === name).length;

/** Enough for what ends at all (larger files get more), on a busy machine as well; one that never ends takes it three times. */
const DEADLINE_MS = 1500;

async function failuresOf(client: Client, baseId: string): Promise<Record<string, string | null>> {
  const { items } = await client.call("item.list", { baseId, status: "failed", type: "file", limit: 100 });
  return Object.fromEntries(items.map((item) => [path.basename(item.path ?? ""), item.error]));
}

const idle = async (client: Client): Promise<void> =>
  void (await eventually(
    async () => ((await client.call("system.status", {})).idle ? true : undefined),
    120_000,
  ));

describe("poison documents", () => {
  it("P10 end in a bounded time, take no good document with them, and leave the daemon as it was", async () => {
    const home = temporaryFolder();
    const folder = path.join(home, "notes");
    mkdirSync(folder);
    for (let n = 0; n < 300; n++) writeFileSync(path.join(folder, `${n}.md`), `# Note ${n}\n\nzqgood${n}x\n`);
    for (const [name, make] of Object.entries(poison)) writeFileSync(path.join(folder, name), make());
    const daemon = await startDaemon({
      home,
      settings: { "ingest.taskDeadlineMs": DEADLINE_MS, "ingest.idleExitMs": 1000 },
    });
    const { client } = daemon;
    const { base } = await watchFolder(client, folder);
    await idle(client);

    const failures = await failuresOf(client, base.id);
    expect(failures).toEqual({
      "gzip.md": expect.stringContaining("application/gzip"),
      "random.txt": expect.stringContaining("neither text nor of a known format"),
      "garbage.pdf": expect.stringContaining("could not be opened"),
      "pages.pdf": expect.stringContaining("None of its pages"),
      "endless.pdf": expect.stringContaining("longer than its deadline twice, alone"),
    });
    const { counts } = (await client.call("base.get", { baseId: base.id })).base;
    expect(counts.completed).toBe(300 + Object.keys(poison).length - Object.keys(failures).length);
    for (const word of [
      "zqgood7x",
      "zqgood299x",
      "zqlaughs",
      "zqnested",
      "zqbold",
      "zqattributes",
      "zqwide",
      "zqlone",
      "zqnuls",
    ])
      expect([word, (await pathsWith(client, word)).length]).toEqual([word, 1]);
    // Once with the batch that it was in (which may have held it alone), then alone, twice: the second time it is concluded.
    const alone = lostAlone(daemon, "endless.pdf");
    expect(alone).toBeGreaterThanOrEqual(1);
    expect(alone).toBeLessThanOrEqual(2);
    expect((await client.call("base.check", { baseId: base.id })).problems).toEqual([]);

    const status = await client.call("system.status", {});
    expect(status.pid).toBe(daemon.process.pid);
    await eventually(async () => {
      const { hosts, rssBytes } = await client.call("system.status", {});
      expect(hosts.worker).toMatchObject({ state: "stopped", rssBytes: null });
      // Far below what a document of 20 MB takes on its way; the rest is the allocator's.
      expect(rssBytes).toBeLessThan(300 * 2 ** 20);
      return true;
    }, 20_000);
  }, 180_000);

  it("P11 and those that were lost with them are done while other work never ends", async () => {
    const home = temporaryFolder();
    const [notes, busy] = [path.join(home, "notes"), path.join(home, "busy")];
    for (const folder of [notes, busy]) mkdirSync(folder);
    writeFileSync(path.join(notes, "endless.pdf"), endlessPdf());
    for (let n = 0; n < 20; n++) writeFileSync(path.join(notes, `${n}.md`), `zqinnocent${n}x\n`);
    for (let n = 0; n < 400; n++) writeFileSync(path.join(busy, `${n}.md`), `zqbusy ${n}\n`);
    const daemon = await startDaemon({
      home,
      settings: { "ingest.taskDeadlineMs": DEADLINE_MS, "ingest.settleMs": 0 },
    });
    const { client } = daemon;
    const one = (await client.call("base.create", { name: "notes", embeddingModelId: null })).base;
    const other = (await client.call("base.create", { name: "busy", embeddingModelId: null })).base;
    await client.call("source.add", { baseId: one.id, path: notes });
    await client.call("source.add", { baseId: other.id, path: busy });

    const done = new AbortController();
    const reindexing = (async () => {
      while (!done.signal.aborted) {
        await client.call("base.reindex", { baseId: other.id });
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    })();
    try {
      await eventually(async () => {
        const { counts } = (await client.call("base.get", { baseId: one.id })).base;
        expect(counts).toMatchObject({ completed: 20, failed: 1, active: 0 });
        return true;
      }, 90_000);
      expect((await client.call("system.status", {})).idle).toBe(false);
    } finally {
      done.abort();
      await reindexing;
    }
    expect(await failuresOf(client, one.id)).toEqual({
      "endless.pdf": expect.stringContaining("twice, alone"),
    });
    expect((await client.call("base.get", { baseId: other.id })).base.counts.failed).toBe(0);
  }, 120_000);
});
