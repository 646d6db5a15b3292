import { mkdirSync, renameSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Client } from "../../rpc/client.ts";
import { openEndpoint, send, sendVectors, type Answer } from "../embedding/endpoint.ts";
import { startDaemon, type Daemon } from "../support/daemon.ts";
import { eventually } from "../support/eventually.ts";
import { configureModel } from "../support/paid-model.ts";
import { itemOf, untilFoundIn } from "../support/questions.ts";
import { temporaryFolder } from "../support/temporary.ts";

const untilIdle = (client: Client) =>
  eventually(async () => ((await client.call("system.status", {})).idle ? true : undefined));

const countsOf = async (client: Client, baseId: string) =>
  (await client.call("base.get", { baseId })).base.counts;

/** A base with the paid model that watches a folder, and an endpoint that counts what it is asked. */
async function start(usual: Answer, resume: "ask" | "always" = "ask") {
  const home = temporaryFolder();
  const folder = path.join(home, "notes");
  mkdirSync(folder);
  const endpoint = await openEndpoint(usual);
  configureModel(home, { url: endpoint.url, resume });
  const daemon = await startDaemon({ home });
  const { base } = await daemon.client.call("base.create", { name: "paid", embeddingModelId: "paid" });
  const { source } = await daemon.client.call("source.add", { baseId: base.id, path: folder });
  const write = (name: string, text: string): string => {
    const file = path.join(folder, name);
    writeFileSync(file, text);
    return file;
  };
  const texts = (): string[] => endpoint.asked.flatMap((asked) => asked.texts);
  return { home, endpoint, daemon, base, source, write, texts };
}

/** Kills the daemon and starts it again, with the endpoint's requests counted from then on. */
async function crash(daemon: Daemon, asked: unknown[]): Promise<Client> {
  await daemon.end("SIGKILL");
  asked.length = 0;
  return (await startDaemon({ home: daemon.home })).client;
}

describe("a model that costs money", () => {
  it("K4.6 is not asked again after a crash until a person says so: all that waited is parked as indexing_interrupted", async () => {
    let silent = false;
    const { endpoint, daemon, base, write, texts } = await start((asked) => {
      if (!silent) void sendVectors(asked);
    });
    silent = true;
    for (let n = 0; n < 100; n++) write(`n${n}.md`, `zqpaid number ${n}\n`);
    await eventually(async () => (texts().some((text) => text.includes("zqpaid")) ? true : undefined));
    await eventually(async () => ((await countsOf(daemon.client, base.id)).items === 100 ? true : undefined));
    await eventually(async () =>
      (await daemon.client.call("system.status", {})).sources.watching === 1 ? true : undefined,
    );

    const client = await crash(daemon, endpoint.asked);
    silent = false;
    await untilIdle(client);
    expect(texts()).toEqual([]);
    expect(await countsOf(client, base.id)).toMatchObject({ items: 100, failed: 100, active: 0 });
    const { items } = await client.call("item.list", { baseId: base.id, type: "file" });
    expect(items[0]?.error).toMatch(/^indexing_interrupted: .*knowd job retry/);
    const status = await client.call("system.status", {});
    expect(status.queue).toMatchObject({ parked: 100, queued: 0, running: 0 });
    expect(status.warnings.join()).toContain("100 jobs are parked");

    write("new.md", "zqfresh is not part of what was interrupted\n");
    await untilFoundIn(client, "zqfresh", [path.join(daemon.home, "notes/new.md")]);
    // Beside the word of the searches themselves.
    const documents = texts().filter((text) => text !== "zqfresh");
    expect(documents).toEqual(["zqfresh is not part of what was interrupted"]);

    expect(await client.call("job.retry", {})).toEqual({ queued: 100 });
    expect((await countsOf(client, base.id)).failed).toBe(0);
    await untilIdle(client);
    expect(await countsOf(client, base.id)).toMatchObject({ completed: 101, failed: 0 });
    expect((await client.call("search.query", { query: "zqpaid", explain: true })).mode).toBe("hybrid");
  });

  it("K4.6 goes on by itself with resume: always, and batches that had arrived are not paid for again", async () => {
    let answers = Infinity;
    const usual: Answer = (asked) => {
      if (answers-- > 0) void sendVectors(asked);
    };
    const { endpoint, daemon, base, write, texts } = await start(usual, "always");
    endpoint.asked.length = 0;
    answers = 1;
    const parts = Array.from(
      { length: 80 },
      (_, n) => `## Part ${n}\n\n${`zqpart${n} in a text `.repeat(200)}`,
    );
    write("long.md", parts.join("\n\n"));
    await eventually(() => (endpoint.asked.length > 2 ? true : undefined));
    const paid = new Set(endpoint.asked[0]?.texts);
    const client = await crash(daemon, endpoint.asked);
    answers = Infinity;
    await eventually(async () => ((await countsOf(client, base.id)).completed === 1 ? true : undefined));
    expect(paid.size).toBeGreaterThan(10);
    expect(texts().filter((text) => paid.has(text))).toEqual([]);
    expect((await client.call("base.check", { baseId: base.id })).vectors).toBe(
      new Set([...paid, ...texts()]).size,
    );
  });

  it("K4.6 K8.5 an interrupted refresh is parked too, and the revision before goes on answering", async () => {
    let silent = false;
    const { endpoint, daemon, base, source, write, texts } = await start((asked) => {
      if (!silent) void sendVectors(asked);
    });
    const file = write("note.md", "zqbefore is what it said\n");
    await daemon.client.call("source.sync", { sourceId: source.id });
    silent = true;
    write("note.md", "zqafter is what it says now\n");
    await eventually(() => (texts().join().includes("zqafter") ? true : undefined));

    const client = await crash(daemon, endpoint.asked);
    silent = false;
    await untilIdle(client);
    expect(texts()).toEqual([]);
    expect(await itemOf(client, base.id, file)).toMatchObject({
      status: "completed",
      refreshError: expect.stringContaining("indexing_interrupted") as string,
    });
    await untilFoundIn(client, "zqbefore", [file]);
    expect(await client.call("job.retry", {})).toEqual({ queued: 1 });
    await untilFoundIn(client, "zqafter", [file]);
    expect((await itemOf(client, base.id, file)).refreshError).toBeNull();
  });

  it("K11.1 is asked nothing for a file that was touched, rewritten with the same bytes, renamed or moved, nor for a second copy", async () => {
    const { base, daemon, source, write, texts } = await start(sendVectors);
    const { client } = daemon;
    const file = write("note.md", "zqonce paid for\n");
    await client.call("source.sync", { sourceId: source.id });
    const { id } = await itemOf(client, base.id, file);
    const before = texts();
    write("note.md", "zqonce paid for\n");
    utimesSync(file, new Date(), new Date());
    await client.call("source.sync", { sourceId: source.id });
    const moved = path.join(path.dirname(file), "deep", "other.md");
    mkdirSync(path.dirname(moved));
    renameSync(file, moved);
    await client.call("source.sync", { sourceId: source.id });
    expect((await itemOf(client, base.id, moved)).id).toBe(id);
    write("copy.md", "zqonce paid for\n");
    await client.call("source.sync", { sourceId: source.id });
    expect((await countsOf(client, base.id)).completed).toBe(2);
    expect(texts()).toEqual(before);
  });

  it("K8.5 a new text that can't be embedded leaves the old revision answering, with the reason; the next save heals it", async () => {
    const { base, daemon, source, write } = await start((asked) => {
      if (asked.texts.join().includes("refused")) send(asked, 400, { error: { message: "not this one" } });
      else void sendVectors(asked);
    });
    const { client } = daemon;
    const file = write("note.md", "zqbefore is what it said\n");
    await client.call("source.sync", { sourceId: source.id });
    write("note.md", "zqafter is refused by the model\n");
    await eventually(async () =>
      (await itemOf(client, base.id, file)).refreshError === null ? undefined : true,
    );
    expect(await itemOf(client, base.id, file)).toMatchObject({
      status: "completed",
      error: null,
      refreshError: expect.stringContaining("refuses the request (400)") as string,
    });
    await untilFoundIn(client, "zqbefore", [file]);
    await untilFoundIn(client, "zqafter", []);
    expect((await client.call("base.check", { baseId: base.id })).ok).toBe(true);

    write("note.md", "zqhealed is what it says in the end\n");
    await untilFoundIn(client, "zqhealed", [file]);
    await untilFoundIn(client, "zqbefore", []);
    expect((await itemOf(client, base.id, file)).refreshError).toBeNull();
  });

  it("K8.5 a file that has grown over the cap keeps its revision until it may be read", async () => {
    const folder = temporaryFolder();
    const file = path.join(folder, "log.md");
    writeFileSync(file, "zqsmall is what it said\n");
    const { client } = await startDaemon();
    const { base } = await client.call("base.create", { name: "capped" });
    const added = await client.call("source.add", { baseId: base.id, path: folder, maxFileBytes: 1000 });
    await client.call("source.sync", { sourceId: added.source.id });
    writeFileSync(file, `zqlarge ${"x".repeat(2000)}\n`);
    await eventually(async () =>
      (await itemOf(client, base.id, file)).refreshError === null ? undefined : true,
    );
    await untilFoundIn(client, "zqsmall", [file]);
    await client.call("source.update", { sourceId: added.source.id, maxFileBytes: 100_000 });
    await untilFoundIn(client, "zqlarge", [file]);
    expect((await itemOf(client, base.id, file)).refreshError).toBeNull();
  });
});
