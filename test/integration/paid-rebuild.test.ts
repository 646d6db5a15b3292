import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, it } from "vitest";
import type { Client } from "../../rpc/client.ts";
import { openEndpoint } from "../embedding/endpoint.ts";
import { startDaemon, watchFolder } from "../support/daemon.ts";
import { eventually } from "../support/eventually.ts";
import { configureModel } from "../support/paid-model.ts";
import { itemOf, untilFoundIn } from "../support/questions.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** No work waits or runs, and what was to be found out about the index is known. */
const untilRested = (client: Client, baseId: string) =>
  eventually(async () => {
    const { base } = await client.call("base.get", { baseId });
    const { idle } = await client.call("system.status", {});
    return idle && base.activity === "idle" ? true : undefined;
  });

/** A base with a paid model whose two files are indexed, and whose daemon has ended. */
async function indexed(resume: "ask" | "always", signal: NodeJS.Signals) {
  const home = temporaryFolder();
  const folder = path.join(home, "notes");
  mkdirSync(folder);
  const files = ["known", "unknown"].map((name) => {
    const file = path.join(folder, `${name}.md`);
    writeFileSync(file, `zq${name} costs money\n`);
    return file;
  });
  const endpoint = await openEndpoint();
  configureModel(home, { url: endpoint.url, resume });
  const daemon = await startDaemon({ home });
  const { base } = await watchFolder(daemon.client, folder, { embeddingModelId: "paid" });
  await daemon.end(signal);
  endpoint.asked.length = 0;
  const index = path.join(daemon.dataDir, "KnowledgeBase", base.id, ".cherry/index.sqlite");
  return {
    base,
    files,
    texts: () => endpoint.asked.flatMap((asked) => asked.texts).filter((text) => text.startsWith("zq")),
    loseIndex: (): void => {
      for (const end of ["", "-wal", "-shm"]) rmSync(index + end, { force: true });
    },
    /** All that was paid for, but the vectors of this many texts. */
    forgetVectors: (keep: number): void => {
      const cache = new Sqlite(path.join(daemon.dataDir, "vectors.sqlite"));
      cache
        .prepare(
          "DELETE FROM vector WHERE vector_id NOT IN (SELECT vector_id FROM vector ORDER BY 1 LIMIT ?)",
        )
        // The first is the model's probe for its dimensions.
        .run(1 + keep);
      cache.close();
    },
    again: () => startDaemon({ home }),
  };
}

describe("an index of a paid model that was lost", () => {
  it.each(["SIGTERM", "SIGKILL"] as const)(
    "K8.2 is rebuilt by itself from the vectors at hand, and nothing is paid for (%s)",
    async (signal) => {
      const { base, files, texts, loseIndex, again } = await indexed("ask", signal);
      loseIndex();
      const { client } = await again();
      await untilFoundIn(client, "costs", files);
      await untilRested(client, base.id);
      expect(texts()).toEqual([]);
      expect(await client.call("base.check", { baseId: base.id })).toMatchObject({ ok: true, vectors: 2 });
      expect((await client.call("system.status", {})).queue.parked).toBe(0);
      expect((await itemOf(client, base.id, files[0] ?? "")).refreshError).toBeNull();
    },
  );

  it.each(["SIGTERM", "SIGKILL"] as const)(
    "K4.6 waits for a word where it would cost money, and only there; each start says so (%s)",
    async (signal) => {
      const { base, texts, loseIndex, forgetVectors, again } = await indexed("ask", signal);
      loseIndex();
      forgetVectors(1);
      for (let start = 0; start < 2; start++) {
        const daemon = await again();
        const { client } = daemon;
        await untilRested(client, base.id);
        await eventually(async () =>
          (await client.call("system.status", {})).queue.parked === 1 ? true : undefined,
        );
        expect((await client.call("search.query", { query: "costs money" })).hits).toHaveLength(1);
        expect(texts()).toEqual([]);
        const { items } = await client.call("item.list", { baseId: base.id, type: "file" });
        const told = items.filter((item) => item.refreshError?.startsWith("indexing_interrupted"));
        expect(told).toHaveLength(1);
        expect(items.every((item) => item.status === "completed")).toBe(true);
        if (start === 0) {
          await daemon.end(signal);
          continue;
        }
        expect(await client.call("job.retry", {})).toEqual({ queued: 1 });
        await eventually(async () =>
          (await client.call("base.check", { baseId: base.id })).ok ? true : undefined,
        );
        expect(texts()).toHaveLength(1);
        expect((await client.call("search.query", { query: "costs money" })).hits).toHaveLength(2);
      }
    },
  );

  it("K4.6 is paid for again with resume: always", async () => {
    const { files, texts, loseIndex, forgetVectors, again } = await indexed("always", "SIGKILL");
    loseIndex();
    forgetVectors(0);
    await untilFoundIn((await again()).client, "costs", files);
    expect(texts()).toHaveLength(2);
  });
});
