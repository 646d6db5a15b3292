import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { connect } from "../../rpc/client.ts";
import type { Change } from "../../rpc/contract/system.ts";
import { openEndpoint, send, sendVectors, type Asked } from "../embedding/endpoint.ts";
import { startDaemon, watchFolder } from "../support/daemon.ts";
import { eventually } from "../support/eventually.ts";
import { configureModel } from "../support/paid-model.ts";
import { itemOf, untilFoundIn } from "../support/questions.ts";
import { temporaryFolder } from "../support/temporary.ts";

describe("changes of the catalogue", () => {
  it("are told in order to who subscribed, and replayed to who was away, over a restart too", async () => {
    const home = temporaryFolder();
    const folder = temporaryFolder();
    const first = await startDaemon({ home });
    const listener = await connect({ socketPath: first.socketPath });
    const heard: Change[] = [];
    listener.on("events.change", (change) => heard.push(change));
    const { seq: from } = await listener.call("events.subscribe", {});
    const { base } = await watchFolder(first.client, folder);
    const file = path.join(folder, "a.md");
    writeFileSync(file, "zqheard of\n");
    await untilFoundIn(first.client, "zqheard", [file]);
    const { id } = await itemOf(first.client, base.id, file);
    await eventually(() =>
      heard.some((one) => one.id === id && one.status === "completed") ? true : undefined,
    );
    expect(heard.map((change) => change.seq)).toEqual(heard.map((_, at) => from + 1 + at));
    expect(heard[0]).toMatchObject({ entity: "base", action: "created", id: base.id, baseId: base.id });
    const replay = await first.client.call("changes.since", { seq: from });
    expect(replay).toMatchObject({ reset: false, more: false });
    expect(replay.changes).toEqual(heard);

    await listener.call("events.unsubscribe", {});
    const told = heard.length;
    await first.client.call("base.update", { baseId: base.id, name: "renamed" });
    expect(heard).toHaveLength(told);
    listener.close();
    await first.end();

    const { client } = await startDaemon({ home });
    const missed = await client.call("changes.since", { seq: heard.at(-1)!.seq });
    expect(missed.changes[0]).toMatchObject({ entity: "base", action: "updated", id: base.id });
    const some = await client.call("changes.since", { seq: from, limit: 2 });
    expect(some).toMatchObject({ more: true, seq: from + 2 });
    expect((await client.call("changes.since", { seq: missed.seq + 1_000_000 })).reset).toBe(true);
  });

  it("are told of the entities that were asked for alone", async () => {
    const { client, socketPath } = await startDaemon();
    const listener = await connect({ socketPath });
    const heard: Change[] = [];
    listener.on("events.change", (change) => heard.push(change));
    await listener.call("events.subscribe", { entities: ["source"] });
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, "a.md"), "zqonly\n");
    const { source } = await watchFolder(client, folder);
    await client.call("source.pause", { sourceId: source.id });
    await eventually(() => (heard.at(-1)?.status === "paused" ? true : undefined));
    expect(new Set(heard.map((change) => change.entity))).toEqual(new Set(["source"]));
    listener.close();
  });
});

describe("jobs", () => {
  it("one that runs is cancelled: its item says so, nothing of it is stored, and a reindex begins anew", async () => {
    const home = temporaryFolder();
    const folder = path.join(home, "notes");
    mkdirSync(folder);
    const held: Asked[] = [];
    let silent = false;
    const endpoint = await openEndpoint((asked) => {
      if (silent) held.push(asked);
      else void sendVectors(asked);
    });
    configureModel(home, { url: endpoint.url });
    const { client } = await startDaemon({ home });
    const { base } = await watchFolder(client, folder, { embeddingModelId: "paid" });
    silent = true;
    const file = path.join(folder, "slow.md");
    writeFileSync(file, "zqslow to be embedded\n");
    await eventually(() => (held.length > 0 ? true : undefined));
    const [job] = (await client.call("job.list", { baseId: base.id, state: "running" })).items;
    await client.call("job.cancel", { jobId: job!.id });
    const cancelled = await itemOf(client, base.id, file);
    expect(cancelled).toMatchObject({
      status: "failed",
      error: expect.stringContaining("cancelled") as string,
    });
    silent = false;
    for (const asked of held) void sendVectors(asked);
    await expect(client.call("job.cancel", { jobId: job!.id })).rejects.toMatchObject({
      errorName: "JOB_NOT_FOUND",
    });
    await eventually(async () => ((await client.call("system.status", {})).idle ? true : undefined));
    await untilFoundIn(client, "zqslow", []);
    expect((await itemOf(client, base.id, file)).status).toBe("failed");

    await client.call("item.reindex", { itemIds: [cancelled.id] });
    await untilFoundIn(client, "zqslow", [file]);
  });

  it("one that waits to be tried again is retried at once when a person says so", async () => {
    const home = temporaryFolder();
    const folder = path.join(home, "notes");
    mkdirSync(folder);
    let down = false;
    const endpoint = await openEndpoint((asked) => {
      if (down) send(asked, 500, { error: { message: "out for lunch" } }, { "retry-after": "3600" });
      else void sendVectors(asked);
    });
    configureModel(home, { url: endpoint.url });
    const { client } = await startDaemon({ home });
    const { base } = await watchFolder(client, folder, { embeddingModelId: "paid" });
    down = true;
    const file = path.join(folder, "later.md");
    writeFileSync(file, "zqlater is embedded\n");
    const job = await eventually(async () =>
      (await client.call("job.list", { baseId: base.id, state: "queued" })).items.find(
        (one) => one.error !== null,
      ),
    );
    expect(job.error).toContain("out for lunch");
    expect(job.runAfter).toBeGreaterThan(Date.now() + 60_000);
    down = false;
    expect(await client.call("job.retry", { jobId: job.id })).toEqual({ queued: 1 });
    await untilFoundIn(client, "zqlater", [file]);
    expect((await client.call("job.list", { baseId: base.id })).items).toEqual([]);
    await expect(client.call("job.retry", { jobId: 999_999 })).rejects.toMatchObject({
      errorName: "JOB_NOT_FOUND",
    });
  });
});
