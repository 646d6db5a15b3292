import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { shareDaemon, watchFolder } from "../support/daemon.ts";
import { eventually } from "../support/eventually.ts";
import { itemOf, untilFoundIn } from "../support/questions.ts";
import { temporaryFolder } from "../support/temporary.ts";

describe("deletes", () => {
  const daemon = shareDaemon({ "ingest.graceMs": 1000 });

  it("K11.1 of several watched files at once, each by a call of its own, all stay away", async () => {
    const folder = temporaryFolder();
    const files = Array.from({ length: 12 }, (_, n) => path.join(folder, `n${n}.md`));
    const kept = path.join(folder, "kept.md");
    for (const file of [...files, kept]) writeFileSync(file, "zqword\n");
    const { client } = daemon();
    const { base, source } = await watchFolder(client, folder);
    const ids = await Promise.all(files.map(async (file) => (await itemOf(client, base.id, file)).id));
    await Promise.all(ids.map((id) => client.call("item.delete", { itemIds: [id] })));
    const { items } = await client.call("source.list", { baseId: base.id });
    expect(items[0]?.exclude.toSorted()).toEqual(files.map((file) => `/${path.basename(file)}`).toSorted());
    for (const file of files) writeFileSync(file, "zqword, written once more\n");
    await client.call("source.sync", { sourceId: source.id });
    await untilFoundIn(client, "zqword", [kept]);
  });

  it("K8.8 end, and those after them too, when something else stands at the places of the base's own files", async () => {
    const loose = path.join(temporaryFolder(), "loose");
    mkdirSync(path.join(loose, "sub"), { recursive: true });
    for (const name of ["a.md", "b.md", "sub/c.md"]) writeFileSync(path.join(loose, name), `zq ${name}\n`);
    const { client, dataDir } = daemon();
    const { base } = await client.call("base.create", { name: "own" });
    const { added } = await client.call("item.add", { baseId: base.id, paths: [loose] });
    const raw = path.join(dataDir, "KnowledgeBase", base.id, "raw", "loose");
    for (const name of ["a.md", "sub"]) rmSync(path.join(raw, name), { recursive: true });
    mkdirSync(path.join(raw, "a.md", "inside"), { recursive: true });
    writeFileSync(path.join(raw, "sub"), "a file by now");
    const top = added.find(({ conceptId }) => conceptId === "loose");
    await client.call("item.delete", { itemIds: [top?.itemId ?? ""] });
    await eventually(async () => ((await client.call("system.status", {})).idle ? true : undefined));
    const { items } = await client.call("item.list", { baseId: base.id, limit: 100 });
    expect(items).toEqual([]);
    await expect(client.call("item.get", { itemId: top?.itemId ?? "" })).rejects.toMatchObject({
      errorName: "ITEM_NOT_FOUND",
    });
  });

  it("K11.2 of vanished files go on when a file stands where one of the folders was", async () => {
    const [one, other] = [temporaryFolder(), temporaryFolder()];
    mkdirSync(path.join(one, "d"));
    writeFileSync(path.join(one, "d", "a.md"), "zqfolder\n");
    writeFileSync(path.join(one, "kept.md"), "zqkept\n");
    for (const name of ["gone.md", "stays.md"]) writeFileSync(path.join(other, name), "zqother\n");
    const { client } = daemon();
    const first = await watchFolder(client, one, { name: "one" });
    const second = await watchFolder(client, other, { name: "other" });
    rmSync(path.join(one, "d"), { recursive: true });
    writeFileSync(path.join(one, "d"), "zqfile now\n");
    rmSync(path.join(other, "gone.md"));
    const itemsOf = async (baseId: string) => (await client.call("base.get", { baseId })).base.counts.items;
    await eventually(async () => ((await itemsOf(second.base.id)) === 1 ? true : undefined));
    await eventually(async () => ((await itemsOf(first.base.id)) === 2 ? true : undefined));
    expect((await client.call("item.list", { baseId: second.base.id, type: "file" })).items).toHaveLength(1);
  });
});
