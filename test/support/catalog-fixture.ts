import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import Sqlite from "better-sqlite3";
import { afterEach, beforeEach } from "vitest";
import type { Base } from "../../rpc/contract/bases.ts";
import type { Item } from "../../rpc/contract/items.ts";
import type { Source } from "../../rpc/contract/sources.ts";
import { openCatalog } from "../../daemon/storage/catalog/catalog.ts";
import type {
  BaseInput,
  Catalog,
  CompletedRevision,
  NewItem,
  NewJob,
} from "../../daemon/storage/catalog/contract.ts";
import { chunkFingerprint } from "../../daemon/storage/catalog/fingerprint.ts";

export function baseInput(over: Partial<BaseInput> = {}): BaseInput {
  return {
    id: randomUUID(),
    name: `base ${randomUUID().slice(0, 8)}`,
    embeddingModelId: "static-en-128",
    dimensions: 128,
    chunkSize: 1024,
    chunkOverlap: 200,
    chunkStrategy: "structured",
    chunkSeparator: null,
    chunkHard: false,
    threshold: null,
    documentCount: null,
    rerankModelId: null,
    fileProcessorId: null,
    groupId: null,
    substring: false,
    ...over,
  };
}

/** A real catalogue in a temporary folder, with one base and a clock that the test moves. */
export interface CatalogFixture {
  readonly catalog: Catalog;
  readonly base: Base;
  readonly path: string;
  readonly clock: { now: number };
  file(conceptId: string, over?: Partial<NewItem>): Item;
  directory(conceptId: string, over?: Partial<NewItem>): Item;
  source(over?: Partial<Source>): Source;
  revision(over?: Partial<CompletedRevision>): CompletedRevision;
  complete(item: Item, over?: Partial<CompletedRevision>): Item;
  job(item: Item, over?: Partial<NewJob>): NewJob;
  /** Closes the catalogue (or drops it as a crash does) and opens the same file again. */
  reopen(how?: "closed" | "crashed"): Catalog;
  /** Runs SQL on a connection of its own: what the database refuses by itself. */
  raw<T>(use: (database: Sqlite.Database) => T): T;
}

export function useCatalog(): CatalogFixture {
  let folder = "";
  let catalog: Catalog;
  let base: Base;
  const opened: Catalog[] = [];
  const clock = { now: 1_760_000_000_000 };
  const open = (): Catalog => {
    catalog = openCatalog({ path: path.join(folder, "catalog.sqlite"), now: () => clock.now });
    opened.push(catalog);
    return catalog;
  };

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), "knowd-catalog-"));
    clock.now = 1_760_000_000_000;
    base = open().bases.create(baseInput());
  });
  afterEach(() => {
    for (const one of opened.splice(0)) one.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const make = (type: "file" | "directory", conceptId: string, over: Partial<NewItem>): Item =>
    catalog.items.create({
      baseId: base.id,
      groupId: null,
      sourceId: null,
      type,
      title: path.posix.basename(conceptId),
      conceptId,
      path: null,
      sourceKey: null,
      ...over,
    });
  const revision = (over: Partial<CompletedRevision> = {}): CompletedRevision => ({
    format: "markdown",
    title: "Title",
    contentHash: "c0ffee",
    chunkCount: 3,
    sizeBytes: 4000,
    warnings: [],
    fingerprint: chunkFingerprint(base),
    metadata: {},
    ...over,
  });

  return {
    get catalog() {
      return catalog;
    },
    get base() {
      return base;
    },
    get path() {
      return path.join(folder, "catalog.sqlite");
    },
    clock,
    revision,
    file: (conceptId, over = {}) => make("file", conceptId, over),
    directory: (conceptId, over = {}) => make("directory", conceptId, over),
    source(over = {}) {
      const item = make("directory", "watched", {});
      return catalog.sources.create({
        baseId: base.id,
        itemId: item.id,
        path: "/home/me/watched",
        include: [],
        exclude: ["*.tmp"],
        useIgnoreFiles: true,
        hidden: false,
        maxFileBytes: 50_000_000,
        copy: false,
        ...over,
      });
    },
    complete(item, over = {}) {
      catalog.items.complete(item.id, revision(over));
      return catalog.items.require(item.id);
    },
    job: (item, over = {}) => ({
      kind: "index",
      baseId: item.baseId,
      itemId: item.id,
      sourceId: item.sourceId,
      priority: 20,
      runAfter: clock.now,
      ...over,
    }),
    reopen(how = "closed") {
      if (how === "closed") catalog.close();
      return open();
    },
    raw(use) {
      const database = new Sqlite(path.join(folder, "catalog.sqlite"));
      try {
        database.pragma("foreign_keys = ON");
        return use(database);
      } finally {
        database.close();
      }
    },
  };
}

/** The name of the KnowdError that `fn` throws, with its data; null when it throws none. */
export function refusalOf(
  fn: () => unknown,
): { errorName: string; data: Readonly<Record<string, unknown>> } | null {
  try {
    fn();
    return null;
  } catch (error) {
    const { errorName, data } = error as { errorName?: string; data?: Record<string, unknown> };
    if (errorName === undefined) throw error;
    return { errorName, data: data ?? {} };
  }
}
