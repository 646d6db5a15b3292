import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { openEndpoint, sendVectors } from "../embedding/endpoint.ts";
import { startDaemon, watchFolder } from "../support/daemon.ts";
import { eventually } from "../support/eventually.ts";
import { configureModel } from "../support/paid-model.ts";
import { itemOf, untilFoundIn } from "../support/questions.ts";
import { temporaryFolder } from "../support/temporary.ts";

describe("a base whose model is not configured for a while", () => {
  it("K3.1 catches up by itself when it is: with new files, and with new texts of old ones", async () => {
    const home = temporaryFolder();
    const folder = temporaryFolder();
    const [old, fresh, same] = ["old.md", "fresh.md", "same.md"].map((name) => path.join(folder, name)) as [
      string,
      string,
      string,
    ];
    writeFileSync(old, "zqfirst text\n");
    writeFileSync(same, "zqsame text\n");
    const endpoint = await openEndpoint(sendVectors);
    configureModel(home, { url: endpoint.url, id: "model", resume: "always" });
    const first = await startDaemon({ home });
    const { base, source } = await watchFolder(first.client, folder, { embeddingModelId: "model" });
    await first.end();

    rmSync(path.join(home, "config", "knowd", "config.toml"));
    writeFileSync(old, "zqsecond text\n");
    writeFileSync(fresh, "zqfresh text\n");
    const away = await startDaemon({ home });
    await away.client.call("source.sync", { sourceId: source.id });
    expect(await itemOf(away.client, base.id, fresh)).toMatchObject({ status: "failed" });
    expect((await itemOf(away.client, base.id, old)).refreshError).toContain("not configured");
    await away.end();

    configureModel(home, { url: endpoint.url, id: "model", resume: "always" });
    endpoint.asked.length = 0;
    const { client } = await startDaemon({ home });
    await eventually(async () => {
      const { counts } = (await client.call("base.get", { baseId: base.id })).base;
      return counts.completed === 3 && counts.active === 0 ? true : undefined;
    });
    await untilFoundIn(client, "zqsecond", [old]);
    await untilFoundIn(client, "zqfresh", [fresh]);
    await untilFoundIn(client, "zqsame", [same]);
    expect((await itemOf(client, base.id, old)).refreshError).toBeNull();
    const texts = endpoint.asked.flatMap((asked) => asked.texts);
    expect(texts.filter((text) => text.includes("zqsame text"))).toEqual([]);
  });
});
