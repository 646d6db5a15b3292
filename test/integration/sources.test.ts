import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Client } from "../../rpc/client.ts";
import { shareDaemon, startDaemon, watchFolder } from "../support/daemon.ts";
import { eventually } from "../support/eventually.ts";
import { itemOf, pathsWith, untilFoundIn } from "../support/questions.ts";
import { temporaryFolder } from "../support/temporary.ts";

const sourceOf = async (client: Client, sourceId: string) =>
  (await client.call("source.list", { limit: 100 })).items.find(({ id }) => id === sourceId);

const untilState = (client: Client, sourceId: string, state: string) =>
  eventually(async () => ((await sourceOf(client, sourceId))?.state === state ? true : undefined));

describe("a source", () => {
  const daemon = shareDaemon({ "ingest.graceMs": 60_000 });
  const forgetful = shareDaemon({ "ingest.graceMs": 900 });

  it("K11.2 that is paused answers from what was indexed, also after a restart, and catches up when it is resumed", async () => {
    const home = temporaryFolder();
    const folder = temporaryFolder();
    const file = path.join(folder, "a.md");
    writeFileSync(file, "zqfirst wording\n");
    writeFileSync(path.join(folder, "goes.md"), "zqgoes away\n");
    const first = await startDaemon({ home, settings: { "ingest.graceMs": 0 } });
    const { base, source } = await watchFolder(first.client, folder);
    const { id } = await itemOf(first.client, base.id, file);
    const { sourceId } = { sourceId: source.id };
    expect((await first.client.call("source.pause", { sourceId })).source.state).toBe("paused");
    writeFileSync(file, "zqsecond wording\n");
    rmSync(path.join(folder, "goes.md"));
    await first.end();

    const { client } = await startDaemon({ home, settings: { "ingest.graceMs": 0 } });
    expect(await pathsWith(client, "zqfirst")).toEqual([file]);
    await expect(client.call("source.rescan", { sourceId })).rejects.toMatchObject({
      errorName: "SOURCE_UNAVAILABLE",
    });
    expect(await pathsWith(client, "zqgoes")).toEqual([path.join(folder, "goes.md")]);
    await client.call("source.resume", { sourceId });
    await untilFoundIn(client, "zqsecond", [file]);
    await untilFoundIn(client, "zqgoes", []);
    await untilState(client, sourceId, "watching");
    expect((await itemOf(client, base.id, file)).id).toBe(id);
  });

  it("K11.4 is read in place, takes a change of its rules at once, and leaves with its items but without touching a file", async () => {
    const folder = temporaryFolder();
    mkdirSync(path.join(folder, "drafts"));
    for (const name of ["a.md", "b.txt", "drafts/c.md", ".hidden.md"])
      writeFileSync(path.join(folder, name), `zqrule in ${name}\n`);
    const at = (...names: string[]) => names.map((name) => path.join(folder, name));
    const { client, dataDir } = daemon();
    const { base, source } = await watchFolder(client, folder);
    const sourceId = source.id;
    await untilFoundIn(client, "zqrule", at("a.md", "b.txt", "drafts/c.md"));
    expect(readdirSync(path.join(dataDir, "KnowledgeBase", base.id, "raw"))).toEqual([]);

    const updated = await client.call("source.update", { sourceId, exclude: ["drafts/"] });
    expect(updated.source.exclude).toEqual(["drafts/"]);
    await untilFoundIn(client, "zqrule", at("a.md", "b.txt"));
    await client.call("source.update", { sourceId, include: ["*.md"], exclude: [], hidden: true });
    await untilFoundIn(client, "zqrule", at("a.md", "drafts/c.md", ".hidden.md"));

    await client.call("source.remove", { sourceId });
    await untilFoundIn(client, "zqrule", []);
    await eventually(async () =>
      (await client.call("item.list", { baseId: base.id })).items.length === 0 ? true : undefined,
    );
    writeFileSync(path.join(folder, "later.md"), "zqrule later\n");
    for (const file of at("a.md", "b.txt", "drafts/c.md", ".hidden.md")) expect(existsSync(file)).toBe(true);
    const again = await client.call("source.add", { baseId: base.id, path: folder });
    await client.call("source.sync", { sourceId: again.source.id });
    await untilFoundIn(client, "zqrule", at("a.md", "b.txt", "drafts/c.md", "later.md"));
    await expect(client.call("source.add", { baseId: base.id, path: folder })).rejects.toMatchObject({
      errorName: "SOURCE_EXISTS",
    });
  });

  it("that holds the daemon's own folder leaves it out, whatever is excluded later", async () => {
    const { client, home, dataDir } = daemon();
    writeFileSync(path.join(home, "note.md"), "zqhome\n");
    const { base } = await client.call("base.create", { name: "home" });
    const { source } = await client.call("source.add", { baseId: base.id, path: home, hidden: true });
    await client.call("source.update", { sourceId: source.id, exclude: ["nothing"] });
    await client.call("source.sync", { sourceId: source.id });
    const { items } = await client.call("item.list", { baseId: base.id, type: "file", limit: 100 });
    expect(items.map((item) => item.path)).toEqual([path.join(home, "note.md")]);
    expect(dataDir.startsWith(home)).toBe(true);
  });

  it("K11.1 is compared right after the start, and pays nothing for what did not change", async () => {
    const home = temporaryFolder();
    const folder = temporaryFolder();
    for (let n = 0; n < 40; n++) writeFileSync(path.join(folder, `n${n}.md`), `zqsame ${n}\n`);
    const first = await startDaemon({ home });
    const { base, source } = await watchFolder(first.client, folder);
    const updatedAt = async (client: Client) =>
      (await client.call("item.list", { baseId: base.id, type: "file", limit: 100 })).items.map(
        (item) => item.updatedAt,
      );
    const before = await updatedAt(first.client);
    await first.end();
    const { client } = await startDaemon({ home });
    expect(await client.call("source.sync", { sourceId: source.id })).toMatchObject({ failed: 0 });
    expect(await client.call("source.rescan", { sourceId: source.id })).toEqual({
      changed: 0,
      gone: 0,
      files: 40,
    });
    expect(await updatedAt(client)).toEqual(before);
    expect((await client.call("system.status", {})).queue).toMatchObject({ queued: 0, running: 0 });
  });

  it("K11.2 hides a vanished file at once, lets it come back as it was within the grace period, and deletes it after that", async () => {
    const folder = temporaryFolder();
    const file = path.join(folder, "a.md");
    const text = "zqvanishing file\n";
    writeFileSync(file, text);
    writeFileSync(path.join(folder, "stays.md"), "zqstays\n");
    const { client } = forgetful();
    const { base } = await watchFolder(client, folder);
    const { id } = await itemOf(client, base.id, file);
    rmSync(file);
    await untilFoundIn(client, "zqvanishing", []);
    const { item } = await client.call("item.get", { itemId: id });
    expect(item).toMatchObject({ status: "completed", missingSince: expect.any(Number) as number });
    writeFileSync(file, text);
    await untilFoundIn(client, "zqvanishing", [file]);
    expect((await itemOf(client, base.id, file)).id).toBe(id);
    rmSync(file);
    const countOf = async () => (await client.call("base.get", { baseId: base.id })).base.counts.items;
    await eventually(async () => ((await countOf()) === 1 ? true : undefined));
    await expect(client.call("item.get", { itemId: id })).rejects.toMatchObject({
      errorName: "ITEM_NOT_FOUND",
    });
  });

  it("K11.2 what is missing in a source that can't be vouched for holds up the deletes of no other source", async () => {
    const home = temporaryFolder();
    const [held, other] = [path.join(home, "held"), path.join(home, "other")];
    for (const folder of [held, other]) mkdirSync(folder);
    for (let n = 0; n < 600; n++) writeFileSync(path.join(held, `${n}.md`), `zqheld ${n}\n`);
    writeFileSync(path.join(held, "stays.md"), "zqstays\n");
    for (const name of ["a.md", "b.md"]) writeFileSync(path.join(other, name), `zqother in ${name}\n`);
    const { client } = forgetful();
    const { base, source } = await watchFolder(client, held);
    const { base: second } = await watchFolder(client, other);
    const countOf = async (id: string) => (await client.call("base.get", { baseId: id })).base.counts.items;
    for (let n = 0; n < 600; n++) rmSync(path.join(held, `${n}.md`));
    await eventually(async () => {
      const { hits } = await client.call("search.query", { baseIds: [base.id], query: "zqheld", topK: 1 });
      return hits.every((hit) => !hit.text.includes("zqheld")) ? true : undefined;
    });
    await client.call("source.pause", { sourceId: source.id });
    rmSync(path.join(other, "a.md"));
    await eventually(async () => ((await countOf(second.id)) === 1 ? true : undefined));
    expect(await countOf(base.id)).toBe(601);
  });

  it("K11.3 a reindex leaves out what is missing or can't be verified, says so, and deletes none of it", async () => {
    const home = temporaryFolder();
    const folder = path.join(home, "notes");
    const other = path.join(home, "other");
    for (const each of [folder, other]) mkdirSync(each);
    const at = (name: string) => path.join(folder, name);
    for (const name of ["a.md", "b.md"]) writeFileSync(at(name), `zqkept in ${name}\n`);
    writeFileSync(path.join(other, "o.md"), "zqother\n");
    const { client } = daemon();
    const { base, source } = await watchFolder(client, folder);
    const { source: second } = await client.call("source.add", { baseId: base.id, path: other });
    await client.call("source.sync", { sourceId: second.id });
    const ids = await Promise.all(
      ["a.md", "b.md"].map(async (name) => (await itemOf(client, base.id, at(name))).id),
    );

    rmSync(at("b.md"));
    await untilFoundIn(client, "zqkept", [at("a.md")]);
    expect(await client.call("item.reindex", { itemIds: ids })).toEqual({
      queued: 1,
      refused: 1,
      notFound: [],
    });
    await untilFoundIn(client, "zqkept", [at("a.md")]);

    renameSync(folder, path.join(home, "away"));
    await untilState(client, source.id, "unavailable");
    expect(await client.call("item.reindex", { itemIds: ids })).toEqual({
      queued: 0,
      refused: 2,
      notFound: [],
    });
    expect(await client.call("base.reindex", { baseId: base.id })).toEqual({ queued: 1, refused: 2 });
    await client.call("source.sync", { sourceId: second.id });
    expect(await pathsWith(client, "zqkept")).toEqual([at("a.md")]);
    const { items } = await client.call("item.list", { baseId: base.id, type: "file" });
    expect(items.map(({ status, refreshError }) => ({ status, refreshError }))).toEqual(
      items.map(() => ({ status: "completed", refreshError: null })),
    );

    renameSync(path.join(home, "away"), folder);
    await untilState(client, source.id, "watching");
    writeFileSync(at("b.md"), "zqkept in b.md, again\n");
    await untilFoundIn(client, "zqkept", [at("a.md"), at("b.md")]);
    expect((await itemOf(client, base.id, at("b.md"))).id).toBe(ids[1]);
  });

  it("K11.2 that goes away in the middle of its indexing lets the daemon rest, and is completed when it is back", async () => {
    const home = temporaryFolder();
    const folder = path.join(home, "notes");
    mkdirSync(folder);
    for (let n = 0; n < 400; n++) writeFileSync(path.join(folder, `n${n}.md`), `zqleaves ${n}\n`);
    const { client } = daemon();
    const { base } = await client.call("base.create", { name: "notes" });
    const { source } = await client.call("source.add", { baseId: base.id, path: folder });
    const counts = async () => (await client.call("base.get", { baseId: base.id })).base.counts;
    await eventually(async () => ((await counts()).completed > 0 ? true : undefined));
    renameSync(folder, path.join(home, "away"));
    await untilState(client, source.id, "unavailable");
    await eventually(async () => ((await client.call("system.status", {})).idle ? true : undefined));
    expect((await counts()).active).toBeGreaterThan(0);
    expect((await client.call("system.status", {})).idle).toBe(true);

    renameSync(path.join(home, "away"), folder);
    await eventually(async () => ((await counts()).completed === 400 ? true : undefined));
    await eventually(async () => ((await client.call("system.status", {})).idle ? true : undefined));
    expect((await client.call("system.status", {})).queue).toMatchObject({ queued: 0, running: 0 });
  });
});
