import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Client } from "../../rpc/client.ts";
import { openEndpoint, send, sendVectors, vectorFor } from "../embedding/endpoint.ts";
import { startDaemon, watchFolder } from "../support/daemon.ts";
import { eventually } from "../support/eventually.ts";
import { configureModel } from "../support/paid-model.ts";
import { itemOf, untilFoundIn } from "../support/questions.ts";
import { temporaryFolder } from "../support/temporary.ts";

const search = (client: Client) => client.call("search.query", { query: "zqfirst" });

const untilDone = (client: Client, baseId: string, completed: number) =>
  eventually(async () => {
    const { counts } = (await client.call("base.get", { baseId })).base;
    return counts.completed === completed && counts.active === 0 && counts.failed === 0 ? true : undefined;
  });

async function start() {
  const home = temporaryFolder();
  const folder = temporaryFolder();
  const file = (name: string): string => path.join(folder, name);
  writeFileSync(file("first.md"), "zqfirst text\n");
  const endpoint = await openEndpoint(sendVectors);
  const configure = (over: { model?: string; documentPrefix?: string }): void =>
    configureModel(home, { url: endpoint.url, id: "m", resume: "always", ...over });
  configure({});
  const daemon = await startDaemon({ home });
  const { client } = daemon;
  const { base, source } = await watchFolder(client, folder, { embeddingModelId: "m" });
  expect((await search(client)).mode).toBe("hybrid");
  return { home, file, endpoint, configure, base, source, client, end: () => daemon.end() };
}

describe("another model behind the id of a base's", () => {
  it("is noticed at the next start: words answer alone and nothing is embedded until the base is embedded anew", async () => {
    const { home, file, endpoint, configure, base, source, end } = await start();
    await end();
    configure({ model: "other-model" });
    endpoint.asked.length = 0;
    const second = await startDaemon({ home });
    const { client } = second;
    const told = `the model m is another one now (openai/other-model) than the vectors of the base "${base.name}" are of (openai/some-model)`;
    const answer = await search(client);
    expect(answer.mode).toBe("bm25");
    expect(answer.hits.map(({ path }) => path)).toEqual([file("first.md")]);
    expect(answer.degraded).toContain(told);
    expect(answer.degraded).toContain(`knowd reindex --base "${base.name}"`);
    expect((await client.call("system.status", {})).warnings.join()).toContain(told);
    writeFileSync(file("second.md"), "zqsecond text\n");
    await client.call("source.sync", { sourceId: source.id });
    expect((await itemOf(client, base.id, file("second.md"))).error).toContain(told);
    expect(endpoint.asked).toEqual([]);

    expect(await client.call("base.reindex", { baseId: base.id })).toEqual({ queued: 2, refused: 0 });
    await untilDone(client, base.id, 2);
    const documents = new Set(endpoint.asked.flatMap(({ texts }) => texts));
    expect([...documents].filter((text) => text.startsWith("zq")).sort()).toEqual([
      "zqfirst text",
      "zqsecond text",
    ]);
    expect(await client.call("base.check", { baseId: base.id })).toMatchObject({ ok: true, vectors: 2 });
    expect(await search(client)).toMatchObject({ mode: "hybrid" });
    expect((await client.call("system.status", {})).warnings).toEqual([]);
    await second.end();
    expect((await search((await startDaemon({ home })).client)).mode).toBe("hybrid");
  });

  it("may go as it came: with the old settings the vectors answer again, and what came meanwhile is embedded", async () => {
    const { home, file, configure, base, source, end } = await start();
    await end();
    configure({ documentPrefix: "passage: " });
    const away = await startDaemon({ home });
    writeFileSync(file("second.md"), "zqsecond text\n");
    await away.client.call("source.sync", { sourceId: source.id });
    expect((await search(away.client)).mode).toBe("bm25");
    await away.end();
    configure({});
    const { client } = await startDaemon({ home });
    await untilDone(client, base.id, 2);
    await untilFoundIn(client, "zqsecond", [file("second.md")]);
    const answer = await search(client);
    expect([answer.mode, answer.degraded]).toEqual(["hybrid", undefined]);
  });

  it("is noticed by the length of its vectors too, and enableEmbedding with the base's own id embeds it anew", async () => {
    const { file, endpoint, base, source, client } = await start();
    const wider = (text: string): number[] => [...vectorFor(text), 1];
    let isDown = false;
    endpoint.next.push(
      ...Array.from({ length: 50 }, () => (asked: Parameters<typeof sendVectors>[0]) => {
        if (isDown) send(asked, 401, {});
        else
          send(asked, 200, { data: asked.texts.map((text, index) => ({ index, embedding: wider(text) })) });
      }),
    );
    writeFileSync(file("second.md"), "zqsecond text\n");
    await client.call("source.sync", { sourceId: source.id });
    expect((await itemOf(client, base.id, file("second.md"))).error).toContain("gives vectors of 4 numbers");
    isDown = true;
    const own = { baseId: base.id, embeddingModelId: "m" };
    await expect(client.call("base.enableEmbedding", own)).rejects.toMatchObject({
      message: expect.any(String) as string,
    });
    isDown = false;
    expect((await client.call("base.enableEmbedding", own)).base.dimensions).toBe(4);
    await untilDone(client, base.id, 2);
    expect((await search(client)).mode).toBe("hybrid");
    await expect(client.call("base.enableEmbedding", own)).rejects.toThrow("has items");
  });
});
