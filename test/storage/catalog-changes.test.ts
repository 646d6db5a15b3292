import { describe, expect, it } from "vitest";
import type { Change } from "../../rpc/contract/system.ts";
import { openCatalog } from "../../daemon/storage/catalog/catalog.ts";
import { baseInput, useCatalog } from "../support/catalog-fixture.ts";

describe("the change log", () => {
  const at = useCatalog();

  function listen(): Change[][] {
    const heard: Change[][] = [];
    at.catalog.changes.subscribe((changes) => void heard.push([...changes]));
    return heard;
  }
  const short = (changes: readonly Change[]): string[] =>
    changes.map(({ entity, action, status }) => `${entity} ${action} ${status ?? "-"}`);

  it("has what a client can show: creation, ends of work, deletes; steps in flight stay out", () => {
    const heard = listen();
    const folder = at.directory("d");
    const a = at.file("d/a.md", { groupId: folder.id });
    at.catalog.items.setStatus([a.id], "reading");
    at.catalog.items.setStatus([a.id], "embedding");
    at.complete(a);
    at.catalog.items.fail(a.id, "bad");
    at.catalog.items.beginDelete([a.id]);
    at.catalog.items.remove([a.id]);
    expect(short(heard.flat())).toEqual([
      "item created completed",
      "item created idle",
      "item updated completed",
      "item updated completed",
      "item updated failed",
      "item updated failed",
      "item updated deleting",
      "item updated completed",
      "item deleted deleting",
    ]);
  });

  it("tells listeners after the outermost transaction has committed, once, in order", () => {
    const heard = listen();
    at.catalog.transaction(() => {
      at.file("a.md");
      at.catalog.transaction(() => at.file("b.md"));
      expect(heard).toEqual([]);
    });
    expect(heard).toHaveLength(1);
    const seqs = heard.flat().map((change) => change.seq);
    expect(seqs).toEqual([...seqs].sort((one, other) => one - other));
    expect(heard.flat()).toEqual(at.catalog.changes.since((seqs[0] as number) - 1, 10).changes);
  });

  it("tells nothing of what was rolled back, in whole or in part", () => {
    const heard = listen();
    const fails = (): never => {
      at.file("lost.md");
      throw new Error("no");
    };
    expect(() => at.catalog.transaction(fails)).toThrow("no");
    expect(heard).toEqual([]);
    at.catalog.transaction(() => {
      at.file("a.md");
      expect(() => at.catalog.transaction(fails)).toThrow("no");
      at.file("b.md");
    });
    expect(heard.map((batch) => batch.length)).toEqual([2]);
    expect(at.catalog.items.list({ baseId: at.base.id, limit: 10 }).items).toHaveLength(2);
    expect(at.catalog.changes.since(0, 100).changes.slice(-2)).toEqual(heard[0]);
  });

  it("a listener that throws harms neither the writer nor the others, and is reported", () => {
    const errors: unknown[] = [];
    const catalog = openCatalog({ path: `${at.path}-own`, onListenerError: (error) => errors.push(error) });
    const heard: Change[] = [];
    catalog.changes.subscribe(() => {
      throw new Error("listener");
    });
    const stop = catalog.changes.subscribe((changes) => void heard.push(...changes));
    catalog.bases.create(baseInput());
    stop();
    catalog.bases.create(baseInput());
    expect(short(heard)).toEqual(["base created completed"]);
    expect(errors.map(String)).toEqual(["Error: listener", "Error: listener"]);
    expect(catalog.bases.all()).toHaveLength(2);
    catalog.close();
  });

  it("a listener may write: its own change follows for all", () => {
    const first: string[] = [];
    const second: string[] = [];
    at.catalog.changes.subscribe((changes) => {
      first.push(...short(changes));
      if (changes.some((change) => change.entity === "base")) at.file("a.md");
    });
    at.catalog.changes.subscribe((changes) => void second.push(...short(changes)));
    at.catalog.bases.update(at.base.id, { name: "renamed" });
    expect(second).toEqual(["base updated completed", "item created idle"]);
    expect(first).toEqual(second);
  });

  it("replays what a client missed, in pages, across restarts", () => {
    const start = at.catalog.changes.lastSeq();
    const ids = ["a", "b", "c"].map((name) => at.file(name).id);
    const { changes } = at.reopen();
    const page = changes.since(start, 2);
    expect(page).toMatchObject({ seq: start + 2, reset: false, more: true });
    const rest = changes.since(page.seq, 2);
    expect(rest).toMatchObject({ seq: start + 3, reset: false, more: false });
    expect([...page.changes, ...rest.changes].map((change) => change.id)).toEqual(ids);
    expect(changes.since(rest.seq, 2)).toEqual({ changes: [], seq: rest.seq, reset: false, more: false });
    expect(changes.lastSeq()).toBe(rest.seq);
  });

  it("asks to start over for a number that it never gave out, or no longer keeps", () => {
    const last = at.catalog.changes.lastSeq();
    expect(at.catalog.changes.since(last + 1, 10)).toEqual({
      changes: [],
      seq: last,
      reset: true,
      more: false,
    });
    at.raw((database) =>
      database.exec(
        "UPDATE change SET seq = seq + 99; UPDATE sqlite_sequence SET seq = 100 WHERE name = 'change'",
      ),
    );
    expect(at.catalog.changes.since(0, 10)).toMatchObject({ changes: [], seq: 100, reset: true });
    expect(at.catalog.changes.since(99, 10)).toMatchObject({ seq: 100, reset: false });
  });

  it("keeps the newest 100,000", () => {
    at.raw((database) => {
      database.exec(`WITH RECURSIVE n(seq) AS (SELECT 2 UNION ALL SELECT seq + 1 FROM n WHERE seq < 100606)
        INSERT INTO change (seq, at, entity, action, entity_id) SELECT seq, 0, 'job', 'updated', seq FROM n`);
    });
    at.file("a.md");
    at.file("b.md");
    const count = at.raw((database) => database.prepare("SELECT min(seq), max(seq) FROM change").raw().get());
    expect(count).toEqual([609, 100_608]);
  });
});
