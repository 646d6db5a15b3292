import { describe, expect, it } from "vitest";
import type { LedgerRow } from "../../daemon/storage/catalog/ledger-contract.ts";
import type { Source } from "../../rpc/contract/sources.ts";
import type { FileStamp } from "../../workers/contract.ts";
import { refusalOf, useCatalog } from "../support/catalog-fixture.ts";

function stamp(over: Partial<FileStamp> = {}): FileStamp {
  return {
    size: 10,
    mtimeNs: "1760000000123456789",
    ctimeNs: "-1",
    ino: "18446744073709551615",
    dev: "65025",
    ...over,
  };
}

describe("sources", () => {
  const at = useCatalog();

  it("K11.1 a source is kept with its rules, state and the identity of its root", () => {
    const source = at.source();
    expect(source).toMatchObject({
      state: "scanning",
      stateReason: null,
      files: 0,
      lastScanAt: null,
      exclude: ["*.tmp"],
    });
    at.catalog.sources.update(source.id, { include: ["*.md"], hidden: true, lastScanAt: 5 });
    at.catalog.sources.setState(source.id, "polling", "no watches left");
    expect(at.catalog.sources.rootIdentity(source.id)).toBeNull();
    at.catalog.sources.setRootIdentity(source.id, { dev: "1", ino: "18446744073709551615" });
    const { sources } = at.reopen();
    expect(sources.require(source.id)).toEqual({
      ...source,
      include: ["*.md"],
      hidden: true,
      lastScanAt: 5,
      state: "polling",
      stateReason: "no watches left",
    });
    expect(sources.rootIdentity(source.id)).toEqual({ dev: "1", ino: "18446744073709551615" });
  });

  it("a folder is watched once for a base, but may be for another", () => {
    const source = at.source();
    const other = at.catalog.bases.create({
      ...at.base,
      id: "3f0f7f4e-7d3b-4b43-9d7e-6e8f6f6e2a10",
      name: "other",
    });
    expect(refusalOf(() => at.source())).toMatchObject({
      errorName: "SOURCE_EXISTS",
      data: { sourceId: source.id },
    });
    at.clock.now += 1;
    const second = at.source({ baseId: other.id });
    expect(at.catalog.sources.all().map((one) => one.id)).toEqual([second.id, source.id]);
    expect(at.catalog.sources.list({ baseIds: [other.id], limit: 10 }).items).toEqual([second]);
    const page = at.catalog.sources.list({ limit: 1 });
    expect(at.catalog.sources.list({ limit: 1, cursor: page.cursor }).items).toEqual([source]);
  });

  it("a state that was said before is neither written nor announced again", () => {
    const source = at.source();
    const seq = at.catalog.changes.lastSeq();
    at.catalog.sources.setState(source.id, "scanning", null);
    expect(at.catalog.changes.lastSeq()).toBe(seq);
    expect(refusalOf(() => at.catalog.sources.setState("none", "paused", null))?.errorName).toBe(
      "SOURCE_NOT_FOUND",
    );
  });
});

describe("the ledger", () => {
  const at = useCatalog();

  function put(source: Source, path: string, over: Partial<LedgerRow> = {}): LedgerRow {
    const itemId = over.itemId ?? at.file(path, { sourceId: source.id }).id;
    const row = { sourceId: source.id, path, itemId, stamp: stamp(), byteHash: null, parser: null, ...over };
    at.catalog.ledger.put([row]);
    return { missingSince: null, ...row };
  }

  it("K11.1 keeps stamps to the last digit, and finds rows by path, item and inode", () => {
    const source = at.source();
    const row = put(source, "a/ü\uf7ff.md", { byteHash: "ff", parser: "markdown@1" });
    const link = put(source, "link.md", { stamp: stamp({ size: 11 }) });
    put(source, "other.md", { stamp: stamp({ ino: "7" }) });
    const { ledger } = at.reopen();
    expect(ledger.get(source.id, row.path)).toEqual(row);
    expect(ledger.byItem(row.itemId)).toEqual(row);
    expect(ledger.byInode(source.id, "65025", "18446744073709551615")).toEqual([row, link]);
    expect([ledger.get(source.id, "none"), ledger.byItem("none")]).toEqual([undefined, undefined]);
    expect(ledger.byInode(source.id, "1", "18446744073709551615")).toEqual([]);
  });

  it("is read in pages, each row once, in path order", () => {
    const source = at.source();
    const names = ["b", "a/z", "a", "ab", "Z", "a!"];
    for (const name of names) put(source, name);
    const seen: string[] = [];
    for (let after = "", page; (page = at.catalog.ledger.pageAfter(source.id, after, 4)).length > 0;) {
      seen.push(...page.map((row) => row.path));
      after = seen.at(-1) as string;
    }
    expect(seen).toEqual([...names].sort());
  });

  it("K11.1 a read sets stamp, hash and reader; a put of a known path replaces it and counts once", () => {
    const source = at.source();
    const row = put(source, "a.md");
    const read = { stamp: stamp({ size: 20 }), byteHash: "ee", parser: "text@2" };
    at.catalog.ledger.setRead(row.itemId, read);
    expect(at.catalog.ledger.byItem(row.itemId)).toEqual({ ...row, ...read });
    const replaced = { stamp: stamp({ ino: "9", dev: "2" }), byteHash: "dd", parser: null };
    at.catalog.ledger.setRead(row.itemId, replaced);
    expect(at.catalog.ledger.byInode(source.id, "2", "9")).toEqual([{ ...row, ...replaced }]);
    at.catalog.ledger.setMissing(source.id, ["a.md"], 5);
    put(source, "a.md", { itemId: row.itemId });
    expect(at.catalog.ledger.get(source.id, "a.md")).toEqual(row);
    expect(at.catalog.ledger.count(source.id)).toBe(1);
    expect(at.catalog.sources.require(source.id).files).toBe(1);
  });

  it("K11.2 missing rows are counted, and given out once their time has passed, longest gone first", () => {
    const source = at.source();
    const rows = ["a", "b", "c", "d"].map((name) => put(source, name));
    at.catalog.ledger.setMissing(source.id, ["b"], 200);
    at.catalog.ledger.setMissing(source.id, ["a", "c", "none"], 100);
    expect(at.catalog.ledger.missingCount(source.id)).toBe(3);
    expect(at.catalog.ledger.missingCount("none")).toBe(0);
    const paths = (time: number, limit = 10): string[] =>
      at.catalog.ledger.missingBefore(source.id, time, limit).map((row) => row.path);
    expect([paths(100), paths(200), paths(201), paths(201, 1)]).toEqual([
      [],
      ["a", "c"],
      ["a", "c", "b"],
      ["a"],
    ]);
    at.catalog.ledger.setMissing(source.id, ["a"], null);
    expect(at.catalog.ledger.get(source.id, "a")).toEqual(rows[0]);
  });

  it("K11.1 a rename keeps item and hash, and takes the place of what stood there", () => {
    const source = at.source();
    const row = put(source, "a.md", { byteHash: "ff" });
    put(source, "b.md");
    at.catalog.ledger.setMissing(source.id, ["a.md"], 5);
    at.catalog.ledger.rename(source.id, "a.md", "b.md", stamp({ ctimeNs: "3" }));
    expect(at.catalog.ledger.pageAfter(source.id, "", 10)).toEqual([
      { ...row, path: "b.md", stamp: stamp({ ctimeNs: "3" }) },
    ]);
    at.catalog.ledger.rename(source.id, "b.md", "b.md", stamp());
    expect(at.catalog.ledger.count(source.id)).toBe(1);
  });

  it("rows leave with their item, their source, or by name", () => {
    const source = at.source();
    const [a, b] = [put(source, "a"), put(source, "b"), put(source, "c")] as [
      LedgerRow,
      LedgerRow,
      LedgerRow,
    ];
    at.catalog.ledger.removeItems([a.itemId, "none"]);
    at.catalog.items.beginDelete([b.itemId]);
    at.catalog.items.remove([b.itemId]);
    expect(at.catalog.ledger.pageAfter(source.id, "", 10).map((row) => row.path)).toEqual(["c"]);
    expect(at.catalog.ledger.count(source.id)).toBe(1);
    at.catalog.sources.remove(source.id);
    at.catalog.sources.remove(source.id);
    expect(at.catalog.ledger.pageAfter(source.id, "", 10)).toEqual([]);
    expect(at.catalog.sources.get(source.id)).toBeUndefined();
  });
});
