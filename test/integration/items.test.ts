import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { openCatalog } from "../../daemon/storage/catalog/catalog.ts";
import type { Client } from "../../rpc/client.ts";
import { shareDaemon, startDaemon, watchFolder, type Daemon } from "../support/daemon.ts";
import { eventually } from "../support/eventually.ts";
import { itemOf, untilFoundIn } from "../support/questions.ts";
import { temporaryFolder } from "../support/temporary.ts";

const untilIdle = (client: Client) =>
  eventually(async () => ((await client.call("system.status", {})).idle ? true : undefined));

const untilGone = (client: Client, itemId: string) =>
  eventually(() =>
    client.call("item.get", { itemId }).then(
      () => undefined,
      () => true,
    ),
  );

const shared = shareDaemon();

/** An empty base, a folder for files that are to be added, and a way to look at what the base owns. */
async function start(daemon: Daemon = shared()) {
  const loose = path.join(temporaryFolder(), "loose");
  mkdirSync(loose);
  const { client } = daemon;
  const { base } = await client.call("base.create", { name: "base" });
  const raw = path.join(daemon.dataDir, "KnowledgeBase", base.id, "raw");
  const write = (name: string, text: string): string => {
    const file = path.join(loose, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  const conceptsWith = async (word: string): Promise<string[]> => {
    const { hits } = await client.call("search.query", { query: `"${word}"`, topK: 50 });
    return [...new Set(hits.filter((hit) => hit.text.includes(word)).map((hit) => hit.conceptId))].sort();
  };
  return {
    ...daemon,
    base,
    loose,
    raw,
    write,
    conceptsWith,
    owned: () => readdirSync(raw, { recursive: true }).map(String).sort(),
  };
}

describe("adding to a base", () => {
  it("K5.4 rename takes the next name, detect writes nothing when there is a conflict, replace takes the old one's place", async () => {
    const { client, base, write, owned, conceptsWith } = await start();
    const paper = write("paper.md", "zqfirst wording\n");
    const other = write("other.md", "zqother file\n");
    const add = (paths: string[], onConflict?: "rename" | "detect" | "replace") =>
      client.call("item.add", { baseId: base.id, paths, ...(onConflict && { onConflict }) });

    const first = (await add([paper])).added[0]!;
    const twin = (await add([paper])).added[0]!;
    expect([first.conceptId, twin.conceptId]).toEqual(["paper.md", "paper_1.md"]);

    expect(await add([other, paper], "detect")).toEqual({
      added: [],
      conflicts: [{ path: paper, itemId: first.itemId }],
      failed: [],
    });
    expect(owned()).toEqual(["paper.md", "paper_1.md"]);
    expect((await add([other], "detect")).added).toHaveLength(1);

    write("paper.md", "zqsecond wording\n");
    const replaced = await add([paper], "replace");
    expect(replaced.added[0]?.conceptId).toBe("paper.md");
    expect(replaced.added[0]?.itemId).not.toBe(first.itemId);
    await untilIdle(client);
    expect(await conceptsWith("zqsecond")).toEqual(["paper.md"]);
    expect(await conceptsWith("zqfirst")).toEqual(["paper_1.md"]);
    expect(owned()).toEqual(["other.md", "paper.md", "paper_1.md"]);
  });

  it("K5.4 a folder conflicts with a folder of the same path alone; replacing it takes all below it along", async () => {
    const { client, base, write, loose, owned, conceptsWith } = await start();
    write("docs/a.md", "zqdocs a\n");
    write("docs/deep/b.md", "zqdocs b\n");
    const docs = path.join(loose, "docs");
    const add = (onConflict: "rename" | "detect" | "replace") =>
      client.call("item.add", { baseId: base.id, paths: [docs], onConflict });
    await add("rename");
    await add("rename");
    expect((await add("detect")).conflicts).toHaveLength(1);
    write("docs/a.md", "zqnewer a\n");
    renameSync(path.join(docs, "deep"), path.join(loose, "deep"));
    await add("replace");
    await untilIdle(client);
    expect(owned()).toEqual([
      "docs",
      "docs/a.md",
      "docs_1",
      "docs_1/a.md",
      "docs_1/deep",
      "docs_1/deep/b.md",
    ]);
    expect(await conceptsWith("zqnewer")).toEqual(["docs/a.md"]);
    // A file in the folder's place is of another type.
    renameSync(docs, path.join(loose, "moved"));
    writeFileSync(docs, "zqfile in the place of a folder\n");
    expect((await add("detect")).added[0]?.conceptId).toBe("docs_2");
  });

  it("K5.4 what a source watches is not replaced by a copy", async () => {
    const { client, base, write, loose } = await start();
    const file = write("a.md", "zqwatched\n");
    const { source } = await client.call("source.add", { baseId: base.id, path: loose });
    await client.call("source.sync", { sourceId: source.id });
    const before = await itemOf(client, base.id, file);
    const add = (paths: string[], onConflict: "detect" | "replace") =>
      client.call("item.add", { baseId: base.id, paths, onConflict });
    expect((await add([file], "detect")).conflicts).toEqual([{ path: file, itemId: before.id }]);
    for (const target of [file, loose]) {
      const { added, failed } = await add([target], "replace");
      expect(added).toEqual([]);
      expect(failed[0]?.reason).toContain("watched");
    }
    expect((await client.call("item.get", { itemId: before.id })).item.status).toBe("completed");
  });

  it("K5.2 imports go by a temporary file, whatever the name's length, and refuse a target that stands there", async () => {
    const { client, base, write, loose, raw, owned } = await start();
    const long = `${"長".repeat(84)}.md`;
    const file = write(long, "zqlong name\n");
    const add = (paths: string[]) => client.call("item.add", { baseId: base.id, paths });
    expect(await add([file])).toMatchObject({ added: [{ conceptId: long }], failed: [] });
    expect(owned()).toEqual([long]);

    writeFileSync(path.join(raw, "taken.md"), "stands here already\n");
    const taken = write("taken.md", "zqtaken\n");
    const { added, failed } = await add([taken]);
    expect(added).toEqual([]);
    expect(failed).toEqual([
      { path: taken, reason: expect.stringContaining("stands at the target") as string },
    ]);
    expect(readFileSync(path.join(raw, "taken.md"), "utf8")).toBe("stands here already\n");
    await untilIdle(client);
    expect(owned()).toEqual([long, "taken.md"].sort());
    expect((await client.call("item.list", { baseId: base.id })).items).toHaveLength(1);
    expect(readdirSync(loose).sort()).toEqual([long, "taken.md"].sort());
  });

  it("K1.1 a folder that holds the daemon's own data is added without it", async () => {
    const { client, base, home, raw } = await start(await startDaemon());
    writeFileSync(path.join(home, "x.md"), "zqx\n");
    const { added } = await client.call("item.add", { baseId: base.id, paths: [home] });
    expect(added.map(({ conceptId }) => conceptId)).toContain(`${path.basename(home)}/x.md`);
    expect(added.filter(({ path: from }) => from.startsWith(path.dirname(path.dirname(raw))))).toEqual([]);
  });

  it("K4.6 an import that a crash cut off does not leave its item waiting for ever", async () => {
    const { client, base, write, home, raw, ...daemon } = await start(await startDaemon());
    const paths = Array.from({ length: 150 }, (_, n) => write(`many/n${n}.md`, `zqmany ${n}\n`));
    const adding = client
      .call("item.add", { baseId: base.id, paths: [path.dirname(paths[0]!)] })
      .catch(() => null);
    await eventually(() =>
      existsSync(path.join(raw, "many")) && readdirSync(path.join(raw, "many")).length > 20
        ? true
        : undefined,
    );
    await daemon.end("SIGKILL");
    await adding;
    const again = await startDaemon({ home });
    await untilIdle(again.client);
    const { counts } = (await again.client.call("base.get", { baseId: base.id })).base;
    expect(counts.active).toBe(0);
    expect(counts.completed).toBeGreaterThan(15);
    expect(readdirSync(path.join(raw, "many")).filter((name) => name.startsWith(".import-"))).toEqual([]);
  });
});

describe("deleting from a base", () => {
  it("K5.5 an item takes only its own path along, then the folders that are empty", async () => {
    const { client, base, write, loose, owned, raw } = await start();
    for (const name of ["docs/a.md", "docs/deep/b.md", "docs/deep/c.md", "docsets/d.md"])
      write(name, `zq ${name}\n`);
    const paths = ["docs", "docsets"].map((name) => path.join(loose, name));
    const { added } = await client.call("item.add", { baseId: base.id, paths });
    await untilIdle(client);
    const idOf = (conceptId: string) => added.find((one) => one.conceptId === conceptId)!.itemId;
    const remove = async (conceptId: string) => {
      const itemId = idOf(conceptId);
      expect(await client.call("item.delete", { itemIds: [itemId, itemId] })).toMatchObject({ notFound: [] });
      await untilGone(client, itemId);
      await untilIdle(client);
    };
    await remove("docs/deep/b.md");
    expect(owned()).toEqual(["docs", "docs/a.md", "docs/deep", "docs/deep/c.md", "docsets", "docsets/d.md"]);
    writeFileSync(path.join(raw, "docs/deep/stranger.txt"), "nobody's");
    await remove("docs/deep");
    expect(owned()).toEqual([
      "docs",
      "docs/a.md",
      "docs/deep",
      "docs/deep/stranger.txt",
      "docsets",
      "docsets/d.md",
    ]);
    await remove("docsets/d.md");
    await remove("docs");
    expect(owned()).toEqual(["docs", "docs/deep", "docs/deep/stranger.txt"]);
    expect(readdirSync(loose).sort()).toEqual(["docs", "docsets"]);
  });

  it("K11.1 a watched file whose item is deleted stays away, also after a restart; the file itself is untouched", async () => {
    const home = temporaryFolder();
    const folder = path.join(home, "notes");
    const names = ["#odd [name]! *.md", "keep.md", "sub/x.md", "sub/deep/y.md", "trailing "];
    mkdirSync(path.join(folder, "sub/deep"), { recursive: true });
    for (const name of names) writeFileSync(path.join(folder, name), `zqword in ${name}\n`);
    const at = (name: string) => path.join(folder, name);
    const first = await startDaemon({ home });
    const { base, source } = await watchFolder(first.client, folder);
    const ids = await Promise.all(
      [names[0]!, "sub", "trailing "].map(async (name) => (await itemOf(first.client, base.id, at(name))).id),
    );
    await first.client.call("item.delete", { itemIds: ids });
    await untilFoundIn(first.client, "zqword", [at("keep.md")]);
    await first.client.call("source.sync", { sourceId: source.id });
    await untilFoundIn(first.client, "zqword", [at("keep.md")]);
    await first.end();
    const { client } = await startDaemon({ home });
    writeFileSync(at(names[0]!), "zqword was written to once more\n");
    await client.call("source.sync", { sourceId: source.id });
    await untilFoundIn(client, "zqword", [at("keep.md")]);
    for (const name of names) expect(existsSync(at(name))).toBe(true);
    await client.call("source.update", { sourceId: source.id, exclude: [] });
    await untilFoundIn(client, "zqword", names.map(at));
  });

  it("deleting a source's root ends the source as well", async () => {
    const { client, base, write, loose } = await start();
    write("a.md", "zqroot\n");
    const { source } = await client.call("source.add", { baseId: base.id, path: loose });
    await client.call("source.sync", { sourceId: source.id });
    expect(await client.call("item.delete", { itemIds: [source.itemId] })).toMatchObject({ deleted: 2 });
    expect((await client.call("source.list", {})).items).toEqual([]);
    write("b.md", "zqroot again\n");
    await untilIdle(client);
    expect((await client.call("base.get", { baseId: base.id })).base.counts.items).toBe(0);
    await untilFoundIn(client, "zqroot", []);
  });
});

describe("a delete that was begun", () => {
  it("K4.6 K8.8 is finished after a restart, whatever became of its job", async () => {
    const { client, base, write, loose, home, dataDir, owned, ...daemon } = await start(await startDaemon());
    for (let n = 0; n < 20; n++) write(`docs/n${n}.md`, `zqdoc ${n}\n`);
    const { added } = await client.call("item.add", { baseId: base.id, paths: [path.join(loose, "docs")] });
    await untilIdle(client);
    await daemon.end();
    // The state between two slices of a purge whose job went with one of its items.
    const catalog = openCatalog({ path: path.join(dataDir, "catalog.sqlite") });
    catalog.items.beginDelete(added.slice(5).map(({ itemId }) => itemId));
    catalog.close();

    const again = await startDaemon({ home });
    await eventually(() => (owned().length === 5 ? true : undefined));
    await untilIdle(again.client);
    const { items } = await again.client.call("item.list", { baseId: base.id, limit: 100 });
    expect(items.map(({ id }) => id).sort()).toEqual(
      added
        .slice(0, 5)
        .map(({ itemId }) => itemId)
        .sort(),
    );
    expect(await again.client.call("base.check", { baseId: base.id })).toMatchObject({ ok: true, units: 4 });
  });
});
