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
import { startDaemon, watchFolder } from "../support/daemon.ts";
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

describe("an index that came to harm", () => {
  it.each(Object.entries(harms))(
    "K8.2 one that %s is rebuilt by itself, says so meanwhile, and answers again",
    async (_, harm) => {
      const home = temporaryFolder();
      const folder = temporaryFolder();
      for (let n = 0; n < 50; n++)
        writeFileSync(path.join(folder, `n${n}.md`), `zqword${n} ${"in a text ".repeat(150)}\n`);
      const first = await startDaemon({ home });
      const { base } = await watchFolder(first.client, folder);
      const owned = path.join(temporaryFolder(), "owned.md");
      writeFileSync(owned, "zqowned bytes lie in the base\n");
      await first.client.call("item.add", { baseId: base.id, paths: [owned] });
      rmSync(owned);
      await eventually(async () => ((await first.client.call("system.status", {})).idle ? true : undefined));
      await first.end();
      const index = path.join(first.dataDir, "KnowledgeBase", base.id, ".cherry/index.sqlite");
      expect(existsSync(index)).toBe(true);
      harm(index);

      const { client } = await startDaemon({ home });
      const viewOf = async (of: Client) => (await of.call("base.get", { baseId: base.id })).base;
      const ids: string[] = [];
      await eventually(async () => {
        const { activity } = await viewOf(client);
        if (ids.at(-1) !== activity) ids.push(activity);
        return ids.includes("rebuilding") && activity === "idle" ? true : undefined;
      });
      expect(ids.filter((activity) => activity !== "idle")).toEqual(["rebuilding"]);
      await untilFoundIn(client, "zqword37", [path.join(folder, "n37.md")]);
      const { hits, warnings } = await client.call("search.query", { query: "zqowned" });
      expect(hits[0]?.conceptId).toBe("owned.md");
      expect(warnings).toEqual([]);
      expect((await viewOf(client)).counts).toMatchObject({ completed: 51, failed: 0, active: 0 });
      expect((await client.call("base.check", { baseId: base.id })).problems).toEqual([]);
    },
  );

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
