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

/** Two bases with a paid model, each of two files that are indexed, and whose daemon has ended. */
async function indexed(resume: "ask" | "always", signal: NodeJS.Signals) {
  const home = temporaryFolder();
  const endpoint = await openEndpoint();
  configureModel(home, { url: endpoint.url, resume });
  const daemon = await startDaemon({ home });
  const made = async (name: string) => {
    const folder = path.join(home, name);
    mkdirSync(folder);
    const files = ["one", "other"].map((word) => {
      const file = path.join(folder, `${word}.md`);
      writeFileSync(file, `zq${name}${word} costs money\n`);
      return file;
    });
    const { base } = await watchFolder(daemon.client, folder, { embeddingModelId: "paid" });
    return { id: base.id, files };
  };
  const bases = { kept: await made("kept"), partly: await made("partly") };
  await daemon.end(signal);
  endpoint.asked.length = 0;
  return {
    ...bases,
    texts: () => endpoint.asked.flatMap((asked) => asked.texts).filter((text) => text.startsWith("zq")),
    loseIndexes: (): void => {
      for (const { id } of Object.values(bases))
        for (const end of ["", "-wal", "-shm"])
          rmSync(path.join(daemon.dataDir, "KnowledgeBase", id, `.cherry/index.sqlite${end}`), {
            force: true,
          });
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

const answers = async (client: Client, baseId: string): Promise<number> =>
  (await client.call("search.query", { query: "costs money", baseIds: [baseId] })).hits.length;

describe("an index of a paid model that was lost", () => {
  it.each(["SIGTERM", "SIGKILL"] as const)(
    "K8.2 K4.6 is rebuilt by itself from the vectors at hand, waits for a word where it would cost money, and only there; each start says so (%s)",
    async (signal) => {
      const { kept, partly, texts, loseIndexes, forgetVectors, again } = await indexed("ask", signal);
      loseIndexes();
      forgetVectors(3);
      for (let start = 0; start < 2; start++) {
        const daemon = await again();
        const { client } = daemon;
        await eventually(async () => ((await answers(client, kept.id)) === 2 ? true : undefined));
        await untilRested(client, kept.id);
        await untilRested(client, partly.id);
        await eventually(async () =>
          (await client.call("system.status", {})).queue.parked === 1 ? true : undefined,
        );
        expect(await client.call("base.check", { baseId: kept.id })).toMatchObject({ ok: true, vectors: 2 });
        expect((await client.call("job.list", { baseId: kept.id })).items).toEqual([]);
        expect((await itemOf(client, kept.id, kept.files[0] ?? "")).refreshError).toBeNull();
        expect(await answers(client, partly.id)).toBe(1);
        expect(texts()).toEqual([]);
        const { items } = await client.call("item.list", { baseId: partly.id, type: "file" });
        const told = items.filter((item) => item.refreshError?.startsWith("indexing_interrupted"));
        expect(told).toHaveLength(1);
        expect(items.every((item) => item.status === "completed")).toBe(true);
        if (start === 0) {
          await daemon.end(signal);
          continue;
        }
        expect(await client.call("job.retry", {})).toEqual({ queued: 1 });
        await eventually(async () =>
          (await client.call("base.check", { baseId: partly.id })).ok ? true : undefined,
        );
        expect(texts()).toHaveLength(1);
        expect(await answers(client, partly.id)).toBe(2);
      }
    },
  );

  it("K4.6 is paid for again with resume: always", async () => {
    const { kept, partly, texts, loseIndexes, forgetVectors, again } = await indexed("always", "SIGKILL");
    loseIndexes();
    forgetVectors(0);
    await untilFoundIn((await again()).client, "costs", [...kept.files, ...partly.files]);
    expect(texts()).toHaveLength(4);
  });
});
