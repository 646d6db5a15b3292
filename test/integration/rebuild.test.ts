import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Client } from "../../rpc/client.ts";
import type { BaseView } from "../../rpc/contract/bases.ts";
import { startDaemon, watchFolder, type Daemon } from "../support/daemon.ts";
import { eventually } from "../support/eventually.ts";
import { untilFoundIn } from "../support/questions.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** Ways in which an index file comes to harm while no daemon runs. */
const harms: Record<string, (index: string) => void> = {
  "was deleted": (index) => {
    for (const end of ["", "-wal", "-shm"]) rmSync(index + end, { force: true });
  },
  "is no database any more": (index) =>
    writeFileSync(index, "not a database at all, but long enough to be read".repeat(100)),
  "is damaged in the middle": (index) => {
    const file = openSync(index, "r+");
    const { size } = statSync(index);
    for (let at = 4096; at < size; at += 4096) writeSync(file, Buffer.alloc(2000, 0x5a), 0, 2000, at);
    closeSync(file);
  },
};

interface Harmed {
  readonly base: BaseView;
  readonly word: string;
  readonly folder: string;
  readonly harm: (index: string) => void;
}

/** A base of fifty watched files and one of its own, whose words begin with the given one. */
async function baseOf({ client }: Daemon, word: string): Promise<Omit<Harmed, "harm">> {
  const folder = temporaryFolder();
  for (let n = 0; n < 50; n++)
    writeFileSync(path.join(folder, `n${n}.md`), `${word}n${n}x ${"in a text ".repeat(150)}\n`);
  const { base } = await watchFolder(client, folder);
  const owned = path.join(temporaryFolder(), "owned.md");
  writeFileSync(owned, `${word}owned bytes lie in the base\n`);
  await client.call("item.add", { baseId: base.id, paths: [owned] });
  rmSync(owned);
  return { base, word, folder };
}

/** Waits until it is rebuilt, and expects that it said nothing else meanwhile. */
async function untilRebuilt(client: Client, baseId: string): Promise<void> {
  const told: string[] = [];
  await eventually(async () => {
    const { activity } = (await client.call("base.get", { baseId })).base;
    if (told.at(-1) !== activity) told.push(activity);
    return told.includes("rebuilding") && activity === "idle" ? true : undefined;
  });
  expect(told.filter((activity) => activity !== "idle")).toEqual(["rebuilding"]);
}

describe("an index that came to harm", () => {
  it(`K8.2 one that ${Object.keys(harms).join(", or ")} is rebuilt by itself, says so meanwhile, and answers again`, async () => {
    const home = temporaryFolder();
    const first = await startDaemon({ home });
    const harmed: Harmed[] = [];
    for (const [n, harm] of Object.values(harms).entries())
      harmed.push({ ...(await baseOf(first, `zqharm${n}`)), harm });
    await eventually(async () => ((await first.client.call("system.status", {})).idle ? true : undefined));
    await first.end();
    for (const { base, harm } of harmed) {
      const index = path.join(first.dataDir, "KnowledgeBase", base.id, ".cherry/index.sqlite");
      expect(existsSync(index)).toBe(true);
      harm(index);
    }

    const { client } = await startDaemon({ home });
    await Promise.all(harmed.map(({ base }) => untilRebuilt(client, base.id)));
    for (const { base, word, folder } of harmed) {
      await untilFoundIn(client, `${word}n37x`, [path.join(folder, "n37.md")]);
      const { hits, warnings } = await client.call("search.query", {
        query: `${word}owned`,
        baseIds: [base.id],
      });
      expect(hits[0]?.conceptId).toBe("owned.md");
      expect(warnings).toEqual([]);
      const { counts } = (await client.call("base.get", { baseId: base.id })).base;
      expect(counts).toMatchObject({ completed: 51, failed: 0, active: 0 });
      expect((await client.call("base.check", { baseId: base.id })).problems).toEqual([]);
    }
  });

  it("K8.2 one whose rebuilding an orderly stop cut off is completed after the next start", async () => {
    const home = temporaryFolder();
    const folder = temporaryFolder();
    const first = await startDaemon({ home });
    const { base, source } = await watchFolder(first.client, folder);
    await first.end();
    const index = path.join(first.dataDir, "KnowledgeBase", base.id, ".cherry/index.sqlite");
    const empty = readFileSync(index);

    const second = await startDaemon({ home });
    for (const name of ["a.md", "b.md"]) writeFileSync(path.join(folder, name), "zqword\n");
    await second.client.call("source.sync", { sourceId: source.id });
    await second.end();
    for (const end of ["-wal", "-shm"]) rmSync(index + end, { force: true });
    writeFileSync(index, empty);

    const { client } = await startDaemon({ home });
    await untilFoundIn(client, "zqword", [path.join(folder, "a.md"), path.join(folder, "b.md")]);
    expect((await client.call("base.check", { baseId: base.id })).problems).toEqual([]);
  });
});
