import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { placeFile } from "../../daemon/ingest/place-material.ts";
import { storeMarkdown } from "../../daemon/ingest/processed-markdown.ts";
import { openIndexRegistry } from "../../daemon/storage/index/registry.ts";
import { useCatalog } from "../support/catalog-fixture.ts";
import { temporaryFolder } from "../support/temporary.ts";

const fixture = useCatalog();

async function open() {
  const { catalog, base } = fixture;
  const dataDir = temporaryFolder();
  const registry = openIndexRegistry({ dataDir, onRecreated: () => undefined, maintenanceEntry: null });
  onTestFinished(() => registry.close());
  await registry.create(base.id, { substring: false });
  const deps = { catalog, registry };
  const item = fixture.file("a.png");
  const raw = registry.rawPath(base.id);
  const keep = (byteHash: string) => (markdownId: string) =>
    catalog.processed.put(item.id, { byteHash, processorId: "ocr", markdownId });
  return { deps, item, raw, keep, store: storeMarkdown };
}

describe("K5.1 the Markdown that a processor made", () => {
  it.each([
    ["pages of text", "one\ftwo\f", "<!-- page 1 -->\none\n\n<!-- page 2 -->\ntwo\n\n"],
    ["a blank page", "one\f \n\fthree", "<!-- page 1 -->\none\n\n<!-- page 3 -->\nthree\n\n"],
    ["no pages", "# One\n", "# One\n"],
  ])("marks its pages: %s", async (_, given, kept) => {
    const { deps, item, raw, keep, store } = await open();
    await store(deps, item, Buffer.from(given), { isWanted: () => true, keep: keep("hash") });
    expect(readFileSync(path.join(raw, "a.md"), "utf8")).toBe(kept);
  });

  it("is kept as it is in an encoding of two bytes, where a form feed is half a character", async () => {
    const { deps, item, raw, keep, store } = await open();
    const wide = Buffer.from("\ufeffČerný\u0c0c", "utf16le");
    await store(deps, item, wide, { isWanted: () => true, keep: keep("hash") });
    expect(readFileSync(path.join(raw, "a.md"))).toEqual(wide);
  });

  it("takes a time that grows with its length alone, also of 250,000 page ends, and holds nobody up", async () => {
    const { deps, item, raw, keep, store } = await open();
    const markdown = Buffer.concat([Buffer.from("a"), Buffer.alloc(250_000, "\f"), Buffer.from("z")]);
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await store(deps, item, markdown, { isWanted: () => true, keep: keep("hash") });
    clearInterval(timer);
    expect(readFileSync(path.join(raw, "a.md"), "utf8")).toBe(
      "<!-- page 1 -->\na\n\n<!-- page 250001 -->\nz\n\n",
    );
    expect(turns).toBeGreaterThan(1);
  });

  it("K1.3 is not taken for that of other bytes when it could not be written down of which it is", async () => {
    const { deps, item, keep, store } = await open();
    await store(deps, item, Buffer.from("old"), { isWanted: () => true, keep: keep("old bytes") });
    const crash = (): void => {
      throw new Error("killed");
    };
    const killed = store(deps, item, Buffer.from("new"), { isWanted: () => true, keep: crash });
    await expect(killed).rejects.toThrow("killed");
    expect(deps.catalog.processed.get(item.id)?.byteHash).not.toBe("old bytes");
  });

  it("K5.5 is left nowhere when nobody wants it any more", async () => {
    const { deps, item, raw, keep, store } = await open();
    await store(deps, item, Buffer.from("x"), { isWanted: () => false, keep: keep("hash") });
    const answers = [true, false];
    await store(deps, item, Buffer.from("x"), {
      isWanted: () => answers.shift() === true,
      keep: keep("hash"),
    });
    const control = path.dirname(deps.registry.indexPath(item.baseId));
    expect(readdirSync(raw)).toEqual([]);
    expect(readdirSync(control).filter((name) => name.startsWith("import-"))).toEqual([]);
  });

  it("K1.3 never leaves an owned file without a name that the catalogue knows", async () => {
    const { deps, item, raw, keep, store } = await open();
    fixture.file("a.md");
    writeFileSync(path.join(raw, "a.png"), "bytes");
    await store(deps, item, Buffer.from("text"), { isWanted: () => true, keep: keep("hash") });
    const { conceptId } = deps.catalog.items.require(item.id);
    expect([conceptId, readFileSync(path.join(raw, conceptId), "utf8")]).toEqual(["a_1.png", "bytes"]);
    expect(existsSync(path.join(raw, "a.png"))).toBe(false);
  });
});

describe("K5.2 a file that is placed", () => {
  it("stays, though its item was queued and failed while it was written", async () => {
    const { deps, item, raw } = await open();
    await placeFile(deps, item, async (temporary) => {
      writeFileSync(temporary, "bytes");
      deps.catalog.items.fail(item.id, "its file is gone", { failure: "gone" });
    });
    expect(readFileSync(path.join(raw, "a.png"), "utf8")).toBe("bytes");
  });
});
