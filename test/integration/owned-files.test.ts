import { renameSync, readFileSync, rmSync, writeFileSync, mkdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { shareDaemon, startDaemon, type Daemon } from "../support/daemon.ts";
import { eventually } from "../support/eventually.ts";
import { temporaryFolder } from "../support/temporary.ts";

const shared = shareDaemon({ "ingest.graceMs": 300 });

/** A base with one note, indexed and followed. */
async function keepNote(daemon: Daemon, content: string) {
  const { client, dataDir } = daemon;
  const { base } = await client.call("base.create", { name: "notes" });
  const { added } = await client.call("item.add", { baseId: base.id, notes: [{ content }] });
  const { itemId, conceptId } = added[0]!;
  const item = async () => (await client.call("item.get", { itemId })).item;
  await eventually(async () => ((await item()).status === "completed" ? true : undefined));
  const raw = path.join(dataDir, "KnowledgeBase", base.id, "raw");
  return {
    client,
    base,
    itemId,
    raw,
    item,
    file: path.join(raw, conceptId),
    text: async () => (await client.call("kb.read", { itemId })).text,
    untilText: (wanted: string) =>
      eventually(async () => ((await client.call("kb.read", { itemId })).text === wanted ? true : undefined)),
  };
}

/** Sends changes of one item while `during` runs and a while after. */
async function changesOf(daemon: Daemon, itemId: string, during: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const stop = daemon.client.on("events.change", ({ id, status }) => {
    if (id === itemId && status === "reading") count++;
  });
  await daemon.client.call("events.subscribe", { entities: ["item"] });
  await during();
  await new Promise((resolve) => setTimeout(resolve, 800));
  stop();
  await daemon.client.call("events.unsubscribe", {});
  return count;
}

describe("a note edited where it stands", () => {
  it("is taken up again, also from an editor that saves by renaming, and is read once for each save", async () => {
    const daemon = shared();
    const { itemId, file, untilText, item } = await keepNote(daemon, "# Plan\n\nzqbefore");
    const head = readFileSync(file, "utf8").split("# Plan")[0]!;
    const readings = await changesOf(daemon, itemId, async () => {
      writeFileSync(file, `${head}# Plan\n\nzqedited in place`);
      await untilText("# Plan\n\nzqedited in place");
      writeFileSync(`${file}.swp`, `${head}# Plan\n\nzqsaved by renaming`);
      renameSync(`${file}.swp`, file);
      await untilText("# Plan\n\nzqsaved by renaming");
    });
    expect(readings).toBeLessThanOrEqual(3);
    expect((await item()).title).toBe("Plan");
    const { hits } = await daemon.client.call("search.query", { query: "zqsaved" });
    expect(hits[0]).toMatchObject({ itemId, title: "Plan" });
  });

  it("K6.2 keeps its front matter out of the text when an editor saved it with CRLF and a BOM", async () => {
    const { file, untilText, text: textOf } = await keepNote(shared(), "# Windows\n\nzqline");
    const text = readFileSync(file, "utf8").replace("zqline", "zqother");
    writeFileSync(file, `\uFEFF${text.replaceAll("\n", "\r\n")}`);
    await untilText("# Windows\n\nzqother");
    expect(await textOf()).not.toContain("title:");
  });

  it("that was emptied is said to be empty, and answers again once there is text", async () => {
    const { file, item, untilText, client } = await keepNote(shared(), "zqfull of words");
    writeFileSync(file, "");
    await eventually(async () => ((await item()).failure === "empty" ? true : undefined));
    expect((await client.call("search.query", { query: "zqfull" })).hits).toEqual([]);
    writeFileSync(file, "zqback without front matter");
    await untilText("zqback without front matter");
  });

  it("K11.2 that was deleted stops answering at once and goes after the grace period, unless it comes back", async () => {
    const { file, item, client, itemId, base, text } = await keepNote(shared(), "zqfleeting");
    const away = path.join(temporaryFolder(), "away.md");
    renameSync(file, away);
    await eventually(async () => ((await item()).missingSince !== null ? true : undefined));
    renameSync(away, file);
    await eventually(async () => ((await item()).missingSince === null ? true : undefined));
    expect(await eventually(text)).toBe("zqfleeting");
    rmSync(file);
    await eventually(async () => {
      const { items } = await client.call("item.list", { baseId: base.id });
      return items.length === 0 ? true : undefined;
    });
    await expect(client.call("item.get", { itemId })).rejects.toThrow(/no such item/);
  });

  it("leaves other files alone, and keeps its item when the whole folder is away", async () => {
    const { raw, client, base, item } = await keepNote(shared(), "zqalone");
    writeFileSync(path.join(raw, "stranger.md"), "zqstranger");
    mkdirSync(path.join(raw, "folder"));
    renameSync(raw, `${raw}-away`);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    renameSync(`${raw}-away`, raw);
    expect((await client.call("item.list", { baseId: base.id })).items).toHaveLength(1);
    expect((await item()).status).toBe("completed");
  });

  it("while no daemon runs is taken up at the next start, and an untouched one is not read again", async () => {
    const before = await startDaemon({ settings: { "ingest.graceMs": 300 } });
    const edited = await keepNote(before, "zqasleep");
    const { added } = await before.client.call("item.add", {
      baseId: edited.base.id,
      notes: [{ content: "zquntouched" }, { content: "zqdeleted" }],
    });
    await eventually(async () => ((await before.client.call("system.status", {})).idle ? true : undefined));
    await before.end();
    writeFileSync(edited.file, "zqawake");
    rmSync(path.join(edited.raw, added[1]!.conceptId));
    const after = await startDaemon({ home: before.home, settings: { "ingest.graceMs": 300 } });
    const { client } = after;
    const untouched = { itemId: added[0]!.itemId };
    const { item } = await client.call("item.get", untouched);
    await eventually(async () =>
      (await client.call("kb.read", { itemId: edited.itemId })).text === "zqawake" ? true : undefined,
    );
    await eventually(async () => {
      const { items } = await client.call("item.list", { baseId: edited.base.id });
      return items.length === 2 ? true : undefined;
    });
    expect((await client.call("item.get", untouched)).item.updatedAt).toBe(item.updatedAt);
  });
});
