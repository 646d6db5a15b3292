import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { ParamsInput } from "../../rpc/contract/index.ts";
import { shareDaemon, watchFolder } from "../support/daemon.ts";
import { eventually } from "../support/eventually.ts";
import { temporaryFolder } from "../support/temporary.ts";

const shared = shareDaemon();
const UNKNOWN = "01932c07-4a3f-7b6e-9a52-0c5f0e9d7a11";
const NO_BASE = "3f0f7f4e-7d3b-4b43-9d7e-6e8f6f6e2a10";

function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  return folder;
}

async function start(files: Readonly<Record<string, string>> = {}) {
  const { client } = shared();
  const folder = folderOf(files);
  const { base } = await watchFolder(client, folder, { name: "watched", embeddingModelId: null });
  return {
    client,
    base,
    folder,
    untilIdle: () =>
      eventually(async () => ((await client.call("system.status", {})).idle ? true : undefined)),
  };
}

describe("the tools of agents", () => {
  it("K10.2 kb.list tells of each base what is in it, eight samples at most, and pages as K4.4 has it", async () => {
    const { client, base, folder, untilIdle } = await start({ "a.md": "zqone", "b.md": "zqtwo" });
    const { base: notes } = await client.call("base.create", { name: "notes", groupId: "mine" });
    const contents = Array.from({ length: 10 }, (_, n) => ({ content: `# Note ${n}\n\nzqnote` }));
    await client.call("item.add", { baseId: notes.id, notes: contents });
    await untilIdle();
    const listed = await client.call("kb.list", {});
    expect(listed).toMatchObject({
      items: [
        { baseId: notes.id, name: "notes", groupId: "mine", status: "completed", items: 10 },
        { baseId: base.id, name: "watched", items: 2, sources: [{ type: "directory", source: folder }] },
      ],
      untrusted: true,
    });
    expect(listed.items[0]?.sources).toHaveLength(8);
    expect(listed.nodes).toBeUndefined();
    const first = await client.call("kb.list", { limit: 1 });
    const rest = await client.call("kb.list", { limit: 1, cursor: first.cursor });
    expect([first, rest].map(({ items }) => items.map(({ name }) => name))).toEqual([["notes"], ["watched"]]);
    expect(rest.cursor).toBeUndefined();
    await expect(client.call("kb.list", { cursor: "x" })).rejects.toMatchObject({
      errorName: "CURSOR_INVALID",
    });
  });

  it("K10.2 kb.list of a base shows its tree depth first, with concept ids on completed leaves alone", async () => {
    const { client, base, folder } = await start({ "a.md": "zqone", "empty.md": "" });
    const { items, nodes, truncated } = await client.call("kb.list", { baseId: base.id });
    expect(items.map(({ baseId }) => baseId)).toEqual([base.id]);
    expect(truncated).toBe(false);
    expect(nodes?.map(({ depth, type, status, conceptId }) => [depth, type, status, conceptId])).toEqual([
      [0, "directory", "failed", null],
      [1, "file", "completed", `${path.basename(folder)}/a.md`],
      [1, "file", "failed", null],
    ]);
    await expect(client.call("kb.list", { baseId: NO_BASE })).rejects.toMatchObject({
      errorName: "BASE_NOT_FOUND",
    });
  });

  it("K10.3 kb.search takes 2 to 200 characters, and its hits are citations that hold", async () => {
    const { client, base, folder } = await start({ "keys.md": "# Keys\n\nzqrotate them each month." });
    for (const query of ["", "a", "  a  ", "x".repeat(201)])
      await expect(client.call("kb.search", { query })).rejects.toThrow(/query/);
    const { hits } = await client.call("kb.search", { query: "zqrotate" });
    expect(hits).toMatchObject([
      { baseId: base.id, conceptId: `${path.basename(folder)}/keys.md`, untrusted: true },
    ]);
    const { itemId, charStart, charEnd, contentHash, text } = hits[0]!;
    const citation = { itemId, charStart, charEnd, contentHash, text };
    expect(await client.call("citation.verify", citation)).toMatchObject({ status: "verified" });
  });

  it("K10.3 a base that can't be searched is a warning, and only when none can it is an error", async () => {
    const { client, base } = await start({ "keys.md": "zqrotate" });
    const { hits, warnings } = await client.call("kb.search", {
      query: "zqrotate",
      baseIds: [NO_BASE, base.id, base.id],
    });
    expect(hits).toHaveLength(1);
    expect(warnings).toEqual([`there is no base ${NO_BASE}`]);
    await expect(client.call("kb.search", { query: "zqrotate", baseIds: [NO_BASE] })).rejects.toMatchObject({
      errorName: "BASE_NOT_FOUND",
    });
  });

  it("K10.5 kb.manage adds notes and paths, each once however often it is named", async () => {
    const { client } = await start();
    const { base } = await client.call("base.create", { name: "notes", embeddingModelId: null });
    const file = path.join(folderOf({ "paper.md": "zqpaper" }), "paper.md");
    const note = { content: "# Keys\n\nzqkeys" };
    const done = await client.call("kb.manage", {
      action: "add",
      baseId: base.id,
      paths: [file, file, "/no/such/file"],
      notes: [note, note],
    });
    expect(done.added.map(({ conceptId }) => conceptId)).toEqual(["paper.md", "Keys.md"]);
    expect(done.failed).toMatchObject([{ path: "/no/such/file" }]);
    expect(done).toMatchObject({ action: "add", deleted: 0, queued: 0, notFound: [] });
  });

  it("K10.5 kb.manage deletes and refreshes what is there, and tells of unknown ids without failing", async () => {
    const { client, base, untilIdle } = await start({ "a.md": "zqone", "b.md": "zqtwo" });
    const { items } = await client.call("item.list", { baseId: base.id, type: "file" });
    const [first, second] = items.map(({ id }) => id) as [string, string];
    const { base: other } = await client.call("base.create", { name: "other" });
    const manage = (params: ParamsInput<"kb.manage">) => client.call("kb.manage", params);
    const twice = [first, UNKNOWN, first, UNKNOWN];
    expect(await manage({ action: "refresh", itemIds: twice })).toMatchObject({
      queued: 1,
      notFound: [UNKNOWN],
    });
    await untilIdle();
    expect(await manage({ action: "delete", baseId: other.id, itemIds: [second, second] })).toMatchObject({
      deleted: 0,
      notFound: [second],
    });
    expect(await manage({ action: "delete", itemIds: [second, UNKNOWN, second] })).toMatchObject({
      deleted: 1,
      notFound: [UNKNOWN],
    });
    expect(await client.call("item.find", { itemId: second })).toEqual({ items: [] });
  });

  it.each([
    [{ action: "add", notes: [{ content: "x" }] }, "baseId"],
    [{ action: "add", baseId: NO_BASE }, "paths, urls or notes"],
    [{ action: "add", baseId: NO_BASE, notes: [{ content: "x" }], itemIds: [UNKNOWN] }, "itemIds"],
    [{ action: "delete" }, "itemIds"],
    [{ action: "refresh", itemIds: [UNKNOWN], paths: ["/a"] }, "paths"],
    [{ action: "drop", itemIds: [UNKNOWN] }, "action"],
  ])("K10.5 kb.manage refuses %j and says which field is wrong", async (params, field) => {
    await expect(shared().client.callAny("kb.manage", params)).rejects.toThrow(field);
  });
});
