import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Client } from "../../rpc/client.ts";
import { shareDaemon, watchFolder } from "../support/daemon.ts";
import { eventually } from "../support/eventually.ts";
import { itemOf, pathsWith, untilFoundIn } from "../support/questions.ts";
import { temporaryFolder } from "../support/temporary.ts";

const countsOf = async (client: Client, baseId: string) =>
  (await client.call("base.get", { baseId })).base.counts;

const untilIdle = (client: Client) =>
  eventually(async () => ((await client.call("system.status", {})).idle ? true : undefined));

const filesIn = (folder: string) => readdirSync(folder, { recursive: true }).map(String).sort();

/** Some paragraphs of a few dozen words. */
const paragraphs = (word: string) =>
  Array.from({ length: 12 }, (_, n) => `${word} ${n} ${"stands in a text of some length ".repeat(12)}`).join(
    "\n\n",
  );

describe("a base", () => {
  const daemon = shareDaemon();

  it("K3.3 says how many items are on old chunk settings; a reindex of those clears it, and nothing else does", async () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, "long.md"), paragraphs("zqlong"));
    writeFileSync(path.join(folder, "other.md"), paragraphs("zqother"));
    const { client } = daemon();
    const { base, source } = await watchFolder(client, folder);
    const before = await countsOf(client, base.id);
    expect(before).toMatchObject({ completed: 2, stale: 0 });

    await client.call("base.update", { baseId: base.id, chunkSize: 100, chunkOverlap: 10 });
    expect(await countsOf(client, base.id)).toMatchObject({ completed: 2, stale: 2, chunks: before.chunks });
    expect(await itemOf(client, base.id, path.join(folder, "long.md"))).toMatchObject({ stale: true });
    await client.call("source.sync", { sourceId: source.id });
    expect((await countsOf(client, base.id)).stale).toBe(2);

    writeFileSync(path.join(folder, "other.md"), paragraphs("zqchanged"));
    await untilFoundIn(client, "zqchanged 7", [path.join(folder, "other.md")]);
    await eventually(async () => ((await countsOf(client, base.id)).stale === 1 ? true : undefined));

    expect(await client.call("base.reindex", { baseId: base.id, staleOnly: true })).toMatchObject({
      queued: 1,
    });
    await eventually(async () => ((await countsOf(client, base.id)).stale === 0 ? true : undefined));
    expect((await countsOf(client, base.id)).chunks).toBeGreaterThan(before.chunks);
    expect(await client.call("base.reindex", { baseId: base.id, staleOnly: true })).toMatchObject({
      queued: 0,
    });
  });

  it("K3 the delimiter strategy takes the blank line when it is told no separator, in a new base and in an old one", async () => {
    const { client } = daemon();
    const made = await client.call("base.create", { name: "new", chunkStrategy: "delimiter" });
    expect(made.base.chunkSeparator).toBe("\\n\\n");
    const { base } = await client.call("base.create", { name: "old" });
    const updated = await client.call("base.update", { baseId: base.id, chunkStrategy: "delimiter" });
    expect(updated.base).toMatchObject({ chunkStrategy: "delimiter", chunkSeparator: "\\n\\n" });
    await expect(client.call("base.update", { baseId: base.id, chunkSize: 100 })).rejects.toMatchObject({
      errorName: "INVALID_FIELD",
    });
  });

  it("K3.2 a base without a model is given one, is searched by meaning once it is embedded, and keeps it", async () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, "garden.md"), "The gardener waters tomatoes each evening.\n");
    const { client } = daemon();
    const { base } = await watchFolder(client, folder, { embeddingModelId: null });
    expect((await client.call("search.query", { query: "tomatoes" })).mode).toBe("bm25");
    expect((await client.call("base.check", { baseId: base.id })).vectors).toBe(0);

    const enabled = await client.call("base.enableEmbedding", {
      baseId: base.id,
      embeddingModelId: "static-en-128",
    });
    expect(enabled.base).toMatchObject({ embeddingModelId: "static-en-128", dimensions: 128 });
    await eventually(async () => {
      const { ok, vectors } = await client.call("base.check", { baseId: base.id });
      return ok && vectors === 1 ? true : undefined;
    });
    const { mode, hits } = await client.call("search.query", { query: "vegetables", explain: true });
    expect(mode).toBe("hybrid");
    expect(hits[0]).toMatchObject({ path: path.join(folder, "garden.md"), lanes: { vector: 1 } });
    await expect(
      client.call("base.enableEmbedding", { baseId: base.id, embeddingModelId: "static-en-128" }),
    ).rejects.toMatchObject({ errorName: "BASE_NOT_EMPTY" });
    await expect(
      client.call("base.enableEmbedding", { baseId: base.id, embeddingModelId: "none such" }),
    ).rejects.toBeInstanceOf(Error);
  });

  it("K3.2 a base that is given its model while files are being read has a vector for each text in the end", async () => {
    const folder = temporaryFolder();
    for (let n = 0; n < 150; n++)
      writeFileSync(path.join(folder, `n${n}.md`), `Note ${n}\n\n${`words of note ${n} `.repeat(80)}\n`);
    const { client } = daemon();
    const { base } = await client.call("base.create", { name: "late", embeddingModelId: null });
    await client.call("source.add", { baseId: base.id, path: folder });
    await eventually(async () =>
      (await client.call("base.get", { baseId: base.id })).base.counts.completed > 0 ? true : undefined,
    );
    await client.call("base.enableEmbedding", { baseId: base.id, embeddingModelId: "static-en-128" });
    await eventually(async () => {
      const { counts, activity } = (await client.call("base.get", { baseId: base.id })).base;
      const { idle } = await client.call("system.status", {});
      return counts.completed === 150 && activity === "idle" && idle ? true : undefined;
    });
    expect(await client.call("base.check", { baseId: base.id })).toMatchObject({
      problems: [],
      units: 150,
      vectors: 150,
    });
  });

  it("K3.4 restore copies what the base owns, watches its folders, counts what is missing, and leaves the old base alone", async () => {
    const home = temporaryFolder();
    const watched = path.join(home, "watched");
    const vanished = path.join(home, "vanished");
    const loose = path.join(home, "loose");
    for (const folder of [watched, vanished, loose]) mkdirSync(folder);
    writeFileSync(path.join(watched, "w.md"), "zqwatched lies in a watched folder\n");
    writeFileSync(path.join(vanished, "v.md"), "zqvanished lies in a folder that goes\n");
    writeFileSync(path.join(loose, "owned.md"), "zqowned was copied into the base\n");
    writeFileSync(path.join(loose, "empty.md"), "");
    const { client, dataDir } = daemon();
    const { base } = await watchFolder(client, watched, { name: "old" });
    const gone = await client.call("source.add", { baseId: base.id, path: vanished });
    await client.call("source.sync", { sourceId: gone.source.id });
    const { added } = await client.call("item.add", {
      baseId: base.id,
      paths: [path.join(loose, "owned.md"), path.join(loose, "empty.md"), loose],
    });
    const lost = await client.call("item.add", { baseId: base.id, paths: [path.join(loose, "owned.md")] });
    await untilIdle(client);
    const rawOf = (id: string) => path.join(dataDir, "KnowledgeBase", id, "raw");
    expect(added).toHaveLength(5);
    expect(lost.added[0]?.conceptId).toBe("owned_1.md");
    rmSync(path.join(rawOf(base.id), "owned_1.md"));
    rmSync(vanished, { recursive: true });
    rmSync(loose, { recursive: true });
    const oldCounts = await countsOf(client, base.id);
    const oldFiles = filesIn(rawOf(base.id));

    const restored = await client.call("base.restore", { baseId: base.id, embeddingModelId: null });
    expect(restored).toMatchObject({ added: 4, skipped: 2, unverified: 0 });
    expect(restored.base).toMatchObject({ name: "old (restored)", embeddingModelId: null, dimensions: null });
    await untilIdle(client);
    expect(await countsOf(client, restored.base.id)).toMatchObject({ items: 5, completed: 3, failed: 2 });
    const only = { baseIds: [restored.base.id] };
    const { hits } = await client.call("search.query", {
      query: "zqowned zqwatched zqvanished",
      foldDuplicates: false,
      ...only,
    });
    expect(new Set(hits.map((hit) => hit.conceptId))).toEqual(
      new Set(["owned.md", "loose/owned.md", "watched/w.md"]),
    );
    expect(filesIn(rawOf(restored.base.id))).toEqual(oldFiles.filter((name) => name !== "owned_1.md"));
    expect(await countsOf(client, base.id)).toEqual(oldCounts);
    expect(filesIn(rawOf(base.id))).toEqual(oldFiles);
    writeFileSync(path.join(watched, "later.md"), "zqlater comes to both bases\n");
    await eventually(async () => {
      const { hits: both } = await client.call("search.query", { query: "zqlater" });
      return new Set(both.map((hit) => hit.baseId)).size === 2 ? true : undefined;
    });
  });

  it("K3.4 a source that can't be verified is kept, and a failure on the way leaves no new base behind", async () => {
    const home = temporaryFolder();
    const parent = path.join(home, "parent");
    const folder = path.join(parent, "notes");
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, "n.md"), "zqhidden can't be reached for a while\n");
    const { client, dataDir } = daemon();
    const { base } = await watchFolder(client, folder);
    // A file in the place of its parent: whether the folder is still somewhere can't be told.
    rmSync(parent, { recursive: true });
    writeFileSync(parent, "");
    const restored = await client.call("base.restore", { baseId: base.id, name: "again" });
    expect(restored).toMatchObject({ added: 0, skipped: 0, unverified: 1 });
    await expect(client.call("base.restore", { baseId: base.id, name: "again" })).rejects.toMatchObject({
      errorName: "BASE_NAME_TAKEN",
    });

    const file = path.join(home, "owned.md");
    writeFileSync(file, "zqowned\n");
    const { added } = await client.call("item.add", { baseId: base.id, paths: [file] });
    const raw = path.join(dataDir, "KnowledgeBase", base.id, "raw", added[0]?.conceptId ?? "");
    await untilIdle(client);
    rmSync(raw);
    execFileSync("mkfifo", [raw]);
    await expect(client.call("base.restore", { baseId: base.id, name: "never" })).rejects.toMatchObject({
      data: { reason: expect.stringContaining("regular") as string },
    });
    const names = (await client.call("base.list", {})).items.map(({ name }) => name);
    expect(names.sort()).toEqual(["again", "notes"]);
    expect(readdirSync(path.join(dataDir, "KnowledgeBase")).length).toBe(2);
  });

  it("K3.4 K5.4 what a restored base owns is known by where it came from, in folders too, and keeps its name", async () => {
    const home = temporaryFolder();
    const loose = path.join(home, "loose");
    mkdirSync(path.join(loose, "deep"), { recursive: true });
    const paper = path.join(loose, "paper.md");
    const deep = path.join(loose, "deep", "inner.md");
    const lost = path.join(loose, "deep", "lost.md");
    writeFileSync(paper, "zqpaper was added by name\n");
    writeFileSync(deep, "zqinner lies in a folder\n");
    writeFileSync(lost, "zqlost goes\n");
    const { client, dataDir } = daemon();
    const { base } = await client.call("base.create", { name: "old", embeddingModelId: null });
    // In this order, so that the second paper is `paper_1.md` and its folder another item than the first.
    for (const paths of [[paper], [paper], [loose]])
      await client.call("item.add", { baseId: base.id, paths });
    await untilIdle(client);
    const rawOf = (id: string) => path.join(dataDir, "KnowledgeBase", id, "raw");
    // What the catalogue does not know is no material, and is not cloned.
    writeFileSync(path.join(rawOf(base.id), "loose", "stray.md"), "zqstray\n");
    rmSync(path.join(rawOf(base.id), "loose", "deep", "lost.md"));
    rmSync(path.join(rawOf(base.id), "paper.md"));

    const restored = await client.call("base.restore", { baseId: base.id, name: "new" });
    expect(restored).toMatchObject({ added: 2, skipped: 2, unverified: 0 });
    expect(filesIn(rawOf(restored.base.id))).toEqual([
      "loose",
      "loose/deep",
      "loose/deep/inner.md",
      "loose/paper.md",
      "paper_1.md",
    ]);
    const { conflicts } = await client.call("item.add", {
      baseId: restored.base.id,
      paths: [paper, deep, loose, lost],
      onConflict: "detect",
    });
    expect(conflicts.map((conflict) => conflict.path)).toEqual([paper, deep, loose]);
    const clone = await client.call("item.get", { itemId: conflicts[0]?.itemId ?? "" });
    expect(clone.item).toMatchObject({ baseId: restored.base.id, conceptId: "paper_1.md" });
  });

  it("K3.5 a deleted base is gone with jobs, index, folder and row; watched files stay; others go on answering", async () => {
    const home = temporaryFolder();
    const folder = path.join(home, "notes");
    mkdirSync(folder);
    for (let n = 0; n < 150; n++)
      writeFileSync(path.join(folder, `n${n}.md`), `zqdoomed ${paragraphs(`n${n}`)}`);
    const kept = path.join(home, "kept");
    mkdirSync(kept);
    writeFileSync(path.join(kept, "k.md"), "zqkept stays\n");
    const { client, dataDir } = daemon();
    await watchFolder(client, kept);
    const { base } = await client.call("base.create", { name: "doomed" });
    await client.call("source.add", { baseId: base.id, path: folder });
    await eventually(async () => ((await countsOf(client, base.id)).completed > 0 ? true : undefined));

    await client.call("base.delete", { baseId: base.id });
    await expect(client.call("base.get", { baseId: base.id })).rejects.toMatchObject({
      errorName: "BASE_NOT_FOUND",
    });
    expect(existsSync(path.join(dataDir, "KnowledgeBase", base.id))).toBe(false);
    expect((await client.call("job.list", { baseId: base.id })).items).toEqual([]);
    expect((await client.call("source.list", {})).items.map((source) => source.path)).toEqual([kept]);
    expect(readdirSync(folder)).toHaveLength(150);
    await untilFoundIn(client, "zqdoomed", []);
    expect(await pathsWith(client, "zqkept")).toEqual([path.join(kept, "k.md")]);
    await untilIdle(client);
    expect(existsSync(path.join(dataDir, "KnowledgeBase", base.id))).toBe(false);
    expect(daemon().log()).not.toMatch(/"level":"error"/);
  });

  it("K3.5 artefacts that can't be removed keep the row, and the delete may be asked for again", async ({
    skip,
  }) => {
    const { client, dataDir } = daemon();
    const { base } = await client.call("base.create", { name: "held" });
    const busy = path.join(dataDir, "KnowledgeBase", base.id, "raw", "busy");
    mkdirSync(busy);
    const unmount = (): void => void execFileSync("umount", ["-l", busy], { stdio: "pipe" });
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", busy], { stdio: "pipe" });
    } catch {
      skip("mounting needs root");
    }
    onTestFinished(() => {
      if (existsSync(busy)) unmount();
    });
    await expect(client.call("base.delete", { baseId: base.id })).rejects.toBeInstanceOf(Error);
    expect((await client.call("base.get", { baseId: base.id })).base.activity).toBe("idle");
    unmount();
    await client.call("base.delete", { baseId: base.id });
    expect((await client.call("base.list", {})).items).toEqual([]);
  });
});
