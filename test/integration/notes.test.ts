import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { shareDaemon } from "../support/daemon.ts";
import { eventually } from "../support/eventually.ts";

const shared = shareDaemon();

async function start() {
  const daemon = shared();
  const { client } = daemon;
  const { base } = await client.call("base.create", { name: "base" });
  const rawOf = (baseId: string) => path.join(daemon.dataDir, "KnowledgeBase", baseId, "raw");
  return {
    ...daemon,
    base,
    rawOf,
    owned: () => (existsSync(rawOf(base.id)) ? readdirSync(rawOf(base.id)).sort() : []),
    add: (contents: string[], onConflict?: "rename" | "detect" | "replace") =>
      client.call("item.add", {
        baseId: base.id,
        notes: contents.map((content) => ({ content })),
        ...(onConflict && { onConflict }),
      }),
    untilIdle: () =>
      eventually(async () => ((await client.call("system.status", {})).idle ? true : undefined)),
  };
}

describe("notes", () => {
  it("K6.1, K6.2 are kept as snapshots named after their heading, and answer without their frontmatter", async () => {
    const { client, base, add, untilIdle, owned, rawOf } = await start();
    const body = "# Keys and locks\n\nzqrotate them each month\n\n---\nend: here\n";
    const { added } = await add([body]);
    await untilIdle();
    expect(added).toMatchObject([{ path: "# Keys and locks", conceptId: "Keys and locks.md" }]);
    expect(owned()).toEqual(["Keys and locks.md"]);
    expect(readFileSync(path.join(rawOf(base.id), "Keys and locks.md"), "utf8")).toMatch(
      /^---\ntype: "Note"\ntitle: "Keys and locks"\ntimestamp: "[^"]+"\n---\n# Keys/,
    );
    const { hits } = await client.call("search.query", { query: "zqrotate" });
    expect(hits[0]).toMatchObject({ title: "Keys and locks", conceptId: "Keys and locks.md" });
    expect(await client.call("kb.read", { itemId: added[0]!.itemId })).toMatchObject({ text: body });
  });

  it("K6.4 a blank note fails before anything is written, and fails no other", async () => {
    const { add, owned, client, base } = await start();
    const result = await add([" \n\t\n", "a real one"]);
    expect(result.failed).toEqual([{ path: "", reason: "the note is blank" }]);
    expect(result.added).toMatchObject([{ conceptId: "a real one.md" }]);
    expect(owned()).toEqual(["a real one.md"]);
    expect((await client.call("item.list", { baseId: base.id })).items).toHaveLength(1);
  });

  it("K5.4 conflict by their first non-empty line alone: rename, detect, replace", async () => {
    const { add, owned, untilIdle, client } = await start();
    const first = (await add(["\nShopping\nzqmilk"])).added[0]!;
    expect((await add(["Shopping\nzqbread"])).added).toMatchObject([{ conceptId: "Shopping_1.md" }]);
    expect(await add(["other", "  Shopping  "], "detect")).toEqual({
      added: [],
      conflicts: [{ path: "Shopping", itemId: first.itemId }],
      failed: [],
    });
    expect(owned()).toEqual(["Shopping.md", "Shopping_1.md"]);
    expect((await add(["Shopping\nzqcheese"], "replace")).added).toMatchObject([
      { conceptId: "Shopping.md" },
    ]);
    await untilIdle();
    const { hits } = await client.call("search.query", { query: "zqmilk" });
    expect(hits.filter((hit) => hit.text.includes("zqmilk"))).toEqual([]);
    expect(owned()).toEqual(["Shopping.md", "Shopping_1.md"]);
  });

  it("K3.4 go into a restored base as notes, byte for byte", async () => {
    const { client, base, add, untilIdle, rawOf } = await start();
    await add(["# One\n\nzqone body"]);
    await untilIdle();
    const restored = await client.call("base.restore", { baseId: base.id, embeddingModelId: null });
    expect(restored).toMatchObject({ added: 1, skipped: 0 });
    const { items } = await client.call("item.list", { baseId: restored.base.id });
    expect(items).toMatchObject([{ type: "note", title: "One", conceptId: "One.md" }]);
    expect(readFileSync(path.join(rawOf(restored.base.id), "One.md"))).toEqual(
      readFileSync(path.join(rawOf(base.id), "One.md")),
    );
    const again = { baseId: restored.base.id, notes: [{ content: "# One\nother" }] };
    expect((await client.call("item.add", { ...again, onConflict: "detect" })).conflicts).toHaveLength(1);
  });

  it("with neither paths, URLs nor notes, adding is refused with a clear error", async () => {
    const { client, base } = await start();
    await expect(client.call("item.add", { baseId: base.id })).rejects.toThrow(/paths, urls or notes/);
  });
});
