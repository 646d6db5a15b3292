import { describe, expect, it } from "vitest";
import { itemStatus, type Item, type ItemStatus } from "../../rpc/contract/items.ts";
import { refusalOf, useCatalog } from "../support/catalog-fixture.ts";

const leafSteps: Partial<Record<ItemStatus, ItemStatus[]>> = {
  idle: ["processing", "reading", "embedding"],
  processing: ["idle", "reading", "embedding"],
  reading: ["idle", "embedding"],
  embedding: ["idle"],
  completed: [],
  failed: ["idle", "processing", "reading", "embedding"],
  deleting: [],
};
const directorySteps: Partial<Record<ItemStatus, ItemStatus[]>> = {
  idle: ["preparing", "processing", "completed"],
  preparing: ["processing", "completed"],
  processing: ["preparing", "completed"],
  completed: ["preparing", "processing"],
  failed: ["idle", "preparing", "processing", "completed"],
  deleting: [],
};
const neverLeaf = ["preparing", "failed", "deleting"];
const neverDirectory = ["reading", "embedding", "failed", "deleting"];

describe("item states", () => {
  const at = useCatalog();

  /** Puts an item into a state past the state machine, as the database allows it. */
  function force(item: Item, status: ItemStatus): void {
    const isDone = status === "completed" && item.type !== "directory";
    at.raw((database) =>
      database
        .prepare(
          "UPDATE item SET status = ?, error = ?, chunk_count = ?, content_hash = ?, fingerprint = ? WHERE id = ?",
        )
        .run(
          status,
          status === "failed" ? "bad" : null,
          isDone ? 1 : 0,
          isDone ? "h" : null,
          isDone ? "f" : null,
          item.id,
        ),
    );
  }

  function outcomeOf(set: () => string[]): unknown {
    let changed: string[] = [];
    const refusal = refusalOf(() => {
      changed = set();
    });
    return refusal?.errorName ?? changed;
  }

  const steps = [
    ...Object.entries(leafSteps).map(([from, to]) => ["file", from, to, neverLeaf] as const),
    ...Object.entries(directorySteps).map(([from, to]) => ["directory", from, to, neverDirectory] as const),
  ];
  it.each(steps)("K4 a %s that is %s may become %j, and nothing else", (type, from, allowed, never) => {
    for (const to of itemStatus.options) {
      if (type === "file" && to === "completed") continue;
      const item = type === "file" ? at.file(`${from}-${to}.md`) : at.directory(`${from}-${to}`);
      force(item, from as ItemStatus);
      const outcome = outcomeOf(() => at.catalog.items.setStatus([item.id], to));
      const moves = allowed.includes(to);
      expect([to, outcome]).toEqual([to, never.includes(to) ? "INTERNAL" : moves ? [item.id] : []]);
      const now = at.catalog.items.require(item.id).status;
      expect([to, now]).toEqual([to, moves ? to : from]);
    }
  });

  it("K4 a leaf is completed with a revision alone", () => {
    const item = at.file("a.md");
    expect(refusalOf(() => at.catalog.items.setStatus([item.id], "completed"))?.errorName).toBe("INTERNAL");
    expect(at.catalog.items.complete(item.id, at.revision())).toBe(true);
    expect(at.catalog.items.require(item.id)).toMatchObject({
      status: "completed",
      chunkCount: 3,
      format: "markdown",
    });
  });

  it("K8.5 a completed item stays completed while a job refreshes it", () => {
    const item = at.complete(at.file("a.md"));
    expect(at.catalog.items.setStatus([item.id], "reading")).toEqual([]);
    at.catalog.items.setRefreshError(item.id, "the file is locked");
    expect(at.catalog.items.require(item.id)).toMatchObject({
      status: "completed",
      refreshError: "the file is locked",
    });
    at.catalog.items.complete(item.id, at.revision({ chunkCount: 5 }));
    expect(at.catalog.items.require(item.id)).toMatchObject({ chunkCount: 5, refreshError: null });
  });

  it("K4 failed needs a reason, keeps no revision, and is queued again as idle", () => {
    const item = at.complete(at.file("a.md"));
    expect(refusalOf(() => at.catalog.items.fail(item.id, " \n"))?.errorName).toBe("INVALID_FIELD");
    at.catalog.items.fail(item.id, "it needs a password", { format: "pdf", sizeBytes: 7 });
    expect(at.catalog.items.require(item.id)).toMatchObject({
      status: "failed",
      error: "it needs a password",
      format: "pdf",
      sizeBytes: 7,
      chunkCount: 0,
      contentHash: null,
    });
    expect(at.catalog.items.setStatus([item.id], "idle")).toEqual([item.id]);
    expect(at.catalog.items.require(item.id)).toMatchObject({ status: "idle", error: null });
  });

  it("K4.1 deleting is sticky: no later status overwrites it, not even a failure", () => {
    const item = at.file("a.md");
    at.catalog.items.beginDelete([item.id]);
    expect(at.catalog.items.setStatus([item.id], "reading")).toEqual([]);
    expect(at.catalog.items.complete(item.id, at.revision())).toBe(false);
    expect(at.catalog.items.fail(item.id, "too late")).toBe(false);
    at.catalog.items.setRefreshError(item.id, "too late");
    at.catalog.items.setMissing([item.id], 5);
    expect(
      refusalOf(() =>
        at.catalog.items.move(item.id, { path: "/x", conceptId: "x", title: "x", groupId: null }),
      )?.errorName,
    ).toBe("ITEM_DELETING");
    expect(at.catalog.items.require(item.id)).toMatchObject({
      status: "deleting",
      refreshError: null,
      missingSince: null,
    });
    at.raw((database) => {
      expect(() => database.exec("UPDATE item SET status = 'idle'")).toThrow(/stays deleting/);
    });
  });

  it.each([
    ["file", "status = 'preparing'"],
    ["directory", "status = 'reading'"],
    ["directory", "status = 'embedding'"],
    ["file", "status = 'failed'"],
    ["file", "error = 'an error that is none'"],
    ["file", "status = 'failed', error = '  '"],
    ["file", "refresh_error = ''"],
    ["file", "status = 'odd'"],
    ["file", "status = 'completed'"],
    ["file", "chunk_count = 3"],
    ["file", "type = 'folder'"],
    ["file", "group_id = id"],
  ] as const)("K4.2 the database refuses a %s with %s", (type, set) => {
    const item = type === "file" ? at.file("a.md") : at.directory("a");
    at.raw((database) => {
      const update = database.prepare(`UPDATE item SET ${set} WHERE id = ?`);
      expect(() => update.run(item.id)).toThrow(/constraint failed|no directory of this base/);
    });
  });

  it("K4.5 zero chunks are refused as a completed item, by the API and by the database", () => {
    const item = at.file("scan.pdf");
    expect(refusalOf(() => at.catalog.items.complete(item.id, at.revision({ chunkCount: 0 })))).toMatchObject(
      {
        errorName: "INVALID_FIELD",
        data: { field: "chunkCount" },
      },
    );
    at.catalog.items.fail(item.id, "no extractable text: 12 pages of images; OCR is off");
    expect(at.catalog.items.require(item.id).status).toBe("failed");
  });

  it("K4.6 after a crash leaves in flight are idle again, and their directories follow", () => {
    const folder = at.directory("d");
    const empty = at.directory("e");
    const [a, b, c, d] = ["a", "b", "c", "d"].map((name) =>
      at.file(`d/${name}.md`, { groupId: folder.id }),
    ) as [Item, Item, Item, Item];
    at.catalog.items.setStatus([a.id], "reading");
    at.catalog.items.setStatus([b.id], "embedding");
    at.complete(c);
    at.catalog.items.setStatus([empty.id], "preparing");
    const { items } = at.reopen("crashed");
    expect(items.recoverInFlight().sort()).toEqual([a.id, b.id].sort());
    const status = (item: Item): ItemStatus => items.require(item.id).status;
    expect([a, b, c, d, folder, empty].map(status)).toEqual([
      "idle",
      "idle",
      "completed",
      "idle",
      "processing",
      "completed",
    ]);
    expect(items.recoverInFlight()).toEqual([]);
  });

  it("a batch of states is all or nothing", () => {
    const leaf = at.file("a.md");
    const folder = at.directory("d");
    expect(refusalOf(() => at.catalog.items.setStatus([leaf.id, folder.id], "reading"))?.errorName).toBe(
      "INTERNAL",
    );
    expect(at.catalog.items.require(leaf.id).status).toBe("idle");
  });
});
