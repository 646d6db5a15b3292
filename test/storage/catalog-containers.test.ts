import { describe, expect, it } from "vitest";
import type { Item } from "../../rpc/contract/items.ts";
import { useCatalog } from "../support/catalog-fixture.ts";

describe("containers", () => {
  const at = useCatalog();
  const now = (item: Item): Item => at.catalog.items.require(item.id);

  it("K4.3 an empty directory is completed, an active child makes it and all above it processing", () => {
    const top = at.directory("a");
    const inner = at.directory("a/b", { groupId: top.id });
    expect([now(top).status, now(inner).status]).toEqual(["completed", "completed"]);
    const leaf = at.file("a/b/c.md", { groupId: inner.id });
    expect([now(top).status, now(inner).status]).toEqual(["processing", "processing"]);
    at.complete(leaf);
    expect([now(top).status, now(inner).status]).toEqual(["completed", "completed"]);
  });

  it("K4.3 active wins over failed, failed over completed, and the error names the first reasons", () => {
    const folder = at.directory("d");
    const files = Array.from({ length: 6 }, (_, n) => at.file(`d/f${n}.pdf`, { groupId: folder.id }));
    at.complete(files[0] as Item);
    for (const file of files.slice(1, 5)) at.catalog.items.fail(file.id, "needs a password");
    expect(now(folder)).toMatchObject({ status: "processing", error: null });
    at.complete(files[5] as Item);
    expect(now(folder)).toMatchObject({
      status: "failed",
      error: "4 of 6 failed: f1.pdf: needs a password; f2.pdf: needs a password; f3.pdf: needs a password; …",
    });
    at.catalog.items.setStatus(
      files.slice(1, 4).map((file) => file.id),
      "idle",
    );
    at.catalog.items.completeMany(
      files.slice(1, 4).map((file) => ({ id: file.id, revision: at.revision() })),
    );
    expect(now(folder).error).toBe("1 of 6 failed: f4.pdf: needs a password");
  });

  it("K4.3 a file that is skipped for its type fails no folder, and counts apart until it is read", () => {
    const folder = at.directory("d");
    const [photo, broken, note] = ["p.jpg", "b.pdf", "n.md"].map((name) =>
      at.file(`d/${name}`, { groupId: folder.id }),
    ) as [Item, Item, Item];
    at.complete(note);
    at.catalog.items.fail(photo.id, "Files of type image/jpeg are not read.", { failure: "unsupported" });
    at.catalog.items.fail(broken.id, "damaged", { failure: "corrupt" });
    expect(now(folder)).toMatchObject({ status: "failed", error: "1 of 3 failed: b.pdf: damaged" });
    expect(now(photo)).toMatchObject({ status: "failed", failure: "unsupported" });
    at.complete(broken);
    expect(now(folder)).toMatchObject({ status: "completed", error: null });
    expect(at.catalog.bases.counts(at.base.id)).toMatchObject({ completed: 2, failed: 0, skipped: 1 });
    at.complete(photo);
    expect(now(photo)).toMatchObject({ status: "completed", failure: null });
    expect(at.catalog.bases.counts(at.base.id)).toMatchObject({ completed: 3, failed: 0, skipped: 0 });
  });

  it("K4.3 the reason of a failed child is followed when it changes, up to the root, and cut when it is long", () => {
    const top = at.directory("t");
    const inner = at.directory("t/i", { groupId: top.id });
    const leaf = at.file("t/i/x.pdf", { groupId: inner.id });
    at.catalog.items.fail(leaf.id, "first");
    expect(now(top).error).toBe("1 of 1 failed: i: 1 of 1 failed: x.pdf: first");
    at.catalog.items.fail(leaf.id, "😀".repeat(300));
    const error = now(top).error ?? "";
    expect(error.length).toBeLessThan(300);
    expect(Buffer.from(error).toString()).toBe(error);
  });

  it("K4.3 deleting children do not count", () => {
    const folder = at.directory("d");
    const [failed, active, done] = ["a", "b", "c"].map((name) =>
      at.file(`d/${name}`, { groupId: folder.id }),
    ) as [Item, Item, Item];
    at.catalog.items.fail(failed.id, "bad");
    at.complete(done);
    at.catalog.items.beginDelete([active.id]);
    expect(now(folder)).toMatchObject({ status: "failed", error: "1 of 2 failed: a: bad" });
    at.catalog.items.beginDelete([failed.id]);
    expect(now(folder).status).toBe("completed");
    at.catalog.items.remove([failed.id, active.id]);
    expect(now(folder)).toMatchObject({ status: "completed", error: null });
  });

  it("K4.3 a move settles both the old and the new directory", () => {
    const from = at.directory("from");
    const to = at.directory("to");
    const leaf = at.file("from/a.md", { groupId: from.id });
    at.catalog.items.move(leaf.id, { path: "/to/a.md", conceptId: "to/a.md", title: "a.md", groupId: to.id });
    expect([now(from).status, now(to).status]).toEqual(["completed", "processing"]);
  });

  it("K4.3 whether a directory is completed is for its children to say", () => {
    const folder = at.directory("d");
    at.catalog.items.setStatus([folder.id], "preparing");
    expect(now(folder).status).toBe("preparing");
    at.file("d/a.md", { groupId: folder.id });
    at.catalog.items.setStatus([folder.id], "completed");
    expect(now(folder).status).toBe("processing");
  });

  it("K4.3 a parent that needs no change is not written", () => {
    const folder = at.directory("d");
    const [a, b] = ["a", "b"].map((name) => at.file(`d/${name}`, { groupId: folder.id })) as [Item, Item];
    const before = now(folder);
    at.clock.now += 1000;
    at.catalog.items.setStatus([a.id, b.id], "reading");
    at.complete(a);
    expect(now(folder)).toEqual(before);
  });
});
