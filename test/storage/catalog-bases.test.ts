import { describe, expect, it } from "vitest";
import type { BaseInput, BasePatch } from "../../daemon/storage/catalog/contract.ts";
import { chunkFingerprint } from "../../daemon/storage/catalog/fingerprint.ts";
import { baseInput, refusalOf, useCatalog } from "../support/catalog-fixture.ts";

describe("bases", () => {
  const at = useCatalog();

  it("K3 a base is kept with every field, and read back after the catalogue was closed", () => {
    const input = baseInput({
      name: "  my notes ",
      chunkStrategy: "delimiter",
      chunkSeparator: "---",
      chunkHard: true,
      threshold: 0.25,
      documentCount: 30,
      rerankModelId: "r",
      fileProcessorId: "p",
      groupId: "g",
      substring: true,
    });
    at.catalog.bases.create(input);
    const found = at.reopen().bases.require(input.id);
    expect(found).toEqual({
      ...input,
      name: "my notes",
      status: "completed",
      error: null,
      createdAt: at.clock.now,
      updatedAt: at.clock.now,
    });
  });

  it("K3 a delimiter base without a separator gets the escape \\n\\n", () => {
    const base = at.catalog.bases.create(baseInput({ chunkStrategy: "delimiter", chunkSeparator: null }));
    expect(base.chunkSeparator).toBe("\\n\\n");
  });

  it.each<[string, Partial<BaseInput>, string]>([
    ["an id that is no UUID of version 4", { id: "01932c07-4a3f-7b6e-9a52-0c5f0e9d7a11" }, "id"],
    ["a blank name", { name: " \t\n" }, "name"],
    ["a model without dimensions", { dimensions: null }, "dimensions"],
    ["dimensions without a model", { embeddingModelId: null }, "dimensions"],
    ["no dimension", { dimensions: 0 }, "dimensions"],
    ["half a dimension", { dimensions: 1.5 }, "dimensions"],
    ["an empty model id", { embeddingModelId: "" }, "embeddingModelId"],
    ["chunks of nothing", { chunkSize: 0, chunkOverlap: 0 }, "chunkSize"],
    ["an overlap as large as the chunk", { chunkSize: 100, chunkOverlap: 100 }, "chunkOverlap"],
    ["a negative overlap", { chunkOverlap: -1 }, "chunkOverlap"],
    ["an empty separator", { chunkStrategy: "delimiter", chunkSeparator: "" }, "chunkSeparator"],
    ["a threshold over 1", { threshold: 1.01 }, "threshold"],
    ["a threshold that is no number", { threshold: Number.NaN }, "threshold"],
    ["no documents", { documentCount: 0 }, "documentCount"],
  ])("K3 %s is refused with the field's name", (_, over, field) => {
    const refusal = refusalOf(() => at.catalog.bases.create(baseInput(over)));
    expect(refusal).toMatchObject({
      errorName: "INVALID_FIELD",
      data: { field, reason: expect.any(String) },
    });
    expect(at.catalog.bases.all()).toHaveLength(1);
  });

  it.each<[string, BasePatch]>([
    ["an error on a completed base", { error: "missing_vector_store" }],
    ["a failed base without an error", { status: "failed" }],
  ])("K3.1 the API refuses %s", (_, patch) => {
    expect(refusalOf(() => at.catalog.bases.update(at.base.id, patch))).toMatchObject({
      errorName: "INVALID_FIELD",
      data: { field: "error" },
    });
  });

  it.each([
    "status = 'failed'",
    "error = 'missing_vector_store'",
    "status = 'failed', error = 'bad luck'",
    "status = 'odd'",
    "dimensions = NULL",
    "embedding_model_id = NULL",
    "dimensions = 0",
    "name = ' padded '",
    "name = ''",
    "chunk_size = 0, chunk_overlap = -1",
    "chunk_overlap = chunk_size",
    "chunk_strategy = 'delimiter'",
    "chunk_strategy = 'delimiter', chunk_separator = ''",
    "chunk_strategy = 'magic'",
    "threshold = 1.5",
    "document_count = 0",
  ])("K3.1 the database itself refuses SET %s", (set) => {
    at.raw((database) => {
      const update = database.prepare(`UPDATE base SET ${set} WHERE id = ?`);
      expect(() => update.run(at.base.id)).toThrow(/constraint failed/);
    });
  });

  it.each<BasePatch>([
    { status: "failed", error: "missing_embedding_model" },
    { status: "failed", error: "missing_vector_store" },
    { embeddingModelId: null, dimensions: null },
  ])("K3.1 the combination %o is legal", (patch) => {
    expect(at.catalog.bases.update(at.base.id, patch)).toMatchObject(patch);
    expect(at.catalog.bases.require(at.base.id)).toMatchObject(patch);
  });

  it("two bases never share a name, trimmed and in any Unicode form", () => {
    const first = at.catalog.bases.create(baseInput({ name: "caf\u00e9" }));
    const refusal = refusalOf(() => at.catalog.bases.create(baseInput({ name: " cafe\u0301 " })));
    expect(refusal).toMatchObject({ errorName: "BASE_NAME_TAKEN", data: { baseId: first.id } });
    expect(refusalOf(() => at.catalog.bases.update(at.base.id, { name: first.name }))?.errorName).toBe(
      "BASE_NAME_TAKEN",
    );
    expect(at.catalog.bases.update(first.id, { name: first.name }).name).toBe(first.name);
  });

  it("K3.2 the model changes only while the base holds no item, or where there was none", () => {
    const other = { embeddingModelId: "other", dimensions: 4 };
    const words = at.catalog.bases.create(baseInput({ embeddingModelId: null, dimensions: null }));
    at.catalog.bases.update(at.base.id, other);
    const item = at.file("a.md");
    at.file("b.md", { baseId: words.id });
    expect(refusalOf(() => at.catalog.bases.update(at.base.id, { ...other, dimensions: 8 }))?.errorName).toBe(
      "BASE_NOT_EMPTY",
    );
    expect(at.catalog.bases.update(words.id, other)).toMatchObject(other);
    at.catalog.items.beginDelete([item.id]);
    expect(at.catalog.bases.update(at.base.id, { ...other, dimensions: 8 }).dimensions).toBe(8);
    at.directory("an empty folder");
    expect(refusalOf(() => at.catalog.bases.update(at.base.id, other))?.errorName).toBe("BASE_NOT_EMPTY");
  });

  it("K3.3 a change of chunk settings makes items stale until they are made again", () => {
    const item = at.complete(at.file("a.md"));
    const counts = (): number => at.catalog.bases.counts(at.base.id).stale;
    expect([item.stale, counts()]).toEqual([false, 0]);
    const base = at.catalog.bases.update(at.base.id, { chunkSize: 512 });
    expect([at.catalog.items.require(item.id).stale, counts()]).toEqual([true, 1]);
    expect(at.catalog.items.leavesOfBase(base.id, { staleOnly: true })).toEqual([item.id]);
    at.catalog.items.complete(item.id, at.revision({ fingerprint: chunkFingerprint(base) }));
    expect([at.catalog.items.require(item.id).stale, counts()]).toEqual([false, 0]);
    at.catalog.bases.update(at.base.id, {
      name: "renamed",
      threshold: 0.5,
      chunkSeparator: "x",
      chunkHard: true,
    });
    expect(counts()).toBe(0);
  });

  it("K3.3 the fingerprint follows what the strategy reads", () => {
    const structured = baseInput();
    const delimiter = baseInput({ chunkStrategy: "delimiter", chunkSeparator: "---" });
    expect(chunkFingerprint({ ...structured, chunkSeparator: "x", chunkHard: true })).toBe(
      chunkFingerprint(structured),
    );
    const prints = [
      structured,
      { ...structured, chunkSize: 512 },
      { ...structured, chunkOverlap: 100 },
      delimiter,
      { ...delimiter, chunkSeparator: "--" },
      { ...delimiter, chunkHard: true },
    ].map(chunkFingerprint);
    expect(new Set(prints).size).toBe(prints.length);
  });

  it("an unknown base is BASE_NOT_FOUND, and removing one takes all that is its own", () => {
    expect(refusalOf(() => at.catalog.bases.require("none"))?.errorName).toBe("BASE_NOT_FOUND");
    const source = at.source();
    const folder = at.directory("d");
    const item = at.complete(at.file("d/a.md", { groupId: folder.id, sourceId: source.id }));
    at.catalog.jobs.enqueue([at.job(item)]);
    at.catalog.ledger.put([
      {
        sourceId: source.id,
        path: "a.md",
        itemId: item.id,
        stamp: { size: 1, mtimeNs: "1", ctimeNs: "1", ino: "1", dev: "1" },
        byteHash: null,
        parser: null,
      },
    ]);
    at.catalog.bases.remove(at.base.id);
    expect(at.catalog.bases.get(at.base.id)).toBeUndefined();
    const left = at.raw((database) =>
      ["item", "name", "source", "ledger", "job", "tally"].map((table) =>
        database.prepare(`SELECT count(*) FROM ${table}`).pluck().get(),
      ),
    );
    expect(left).toEqual([0, 0, 0, 0, 0, 0]);
  });

  it("K4.4 bases page newest first", () => {
    for (let n = 0; n < 5; n++) {
      at.clock.now += 10;
      at.catalog.bases.create(baseInput({ name: `n${n}` }));
    }
    const first = at.catalog.bases.list({ limit: 4 });
    const rest = at.catalog.bases.list({ limit: 4, cursor: first.cursor });
    expect([...first.items, ...rest.items]).toEqual(at.catalog.bases.all());
    expect(first.items[0]?.name).toBe("n4");
    expect(rest.cursor).toBeUndefined();
  });
});
