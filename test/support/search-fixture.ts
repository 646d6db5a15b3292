import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { locations } from "../../config/locations.ts";
import type { EmbeddingModel } from "../../daemon/embedding/provider.ts";
import type { Reranker } from "../../daemon/rerank/reranker.ts";
import type { Host } from "../../daemon/runtime/host.ts";
import { openLog } from "../../daemon/runtime/log.ts";
import { openHost } from "../../daemon/runtime/open-host.ts";
import { openSearch, type Search } from "../../daemon/search/search.ts";
import type { BaseInput, Catalog } from "../../daemon/storage/catalog/contract.ts";
import type { Base } from "../../rpc/contract/bases.ts";
import { methodTable, type Params } from "../../rpc/contract/index.ts";
import type { Item } from "../../rpc/contract/items.ts";
import type { SearchResult } from "../../rpc/contract/search.ts";
import { loadStaticModel } from "../../workers/embed/static-model.ts";
import type { SearchTasks } from "../../workers/search/contract.ts";
import { buildIndex, type TestDocument, type TestIndex } from "./build-index.ts";
import { baseInput, useCatalog } from "./catalog-fixture.ts";

interface SearchBase {
  readonly base: Base;
  readonly index: TestIndex;
  /** Adds a document to index and catalogue; the item's id is the material's. */
  readonly add: (document: Omit<TestDocument, "id">, over?: { visible?: boolean; path?: string }) => Item;
}

interface SearchFixture {
  readonly search: Search;
  readonly catalog: Catalog;
  readonly host: Host<SearchTasks>;
  readonly models: Map<string, EmbeddingModel>;
  readonly rerankers: Map<string, Reranker>;
  readonly states: Map<string, "ready" | "rebuilding">;
  readonly clock: { now: number };
  indexPath(baseId: string): string;
  /** A second passes on the catalogue's clock. */
  tick(): void;
  /** A base with an index; of the embedded model unless told otherwise. */
  base(over?: Partial<BaseInput>): SearchBase;
}

const embedded: EmbeddingModel = {
  id: "static-en-128",
  fingerprint: () => Promise.resolve("test"),
  lastFingerprint: () => "test",
  resumes: "always",
  hasVectors: () => true,
  fusion: { kind: "convex", alpha: 0.25 },
  files: locations.embeddedModel,
  dimensions: () => Promise.resolve(128),
  embed: () => Promise.reject(new Error("queries of the embedded model are embedded in the search host")),
};

/** Vectors of an HTTP provider: two axes, keys and weather. */
export function remoteModel(over: Partial<EmbeddingModel> = {}): EmbeddingModel {
  return {
    id: "remote",
    fingerprint: () => Promise.resolve("remote"),
    lastFingerprint: () => "remote",
    resumes: "ask",
    hasVectors: () => false,
    fusion: { kind: "rrf" },
    files: null,
    dimensions: () => Promise.resolve(2),
    embed: (texts) => Promise.resolve(texts.map((text) => Float32Array.of(text.includes("key") ? 1 : 0, 1))),
    ...over,
  };
}

/** Parameters of a search as the router gives them: what is left out has its default. */
export function queryParams(
  params: { query: string } & Partial<Params<"search.query">>,
): Params<"search.query"> {
  return methodTable["search.query"].params.parse(params);
}

/** The search service over a real catalogue, real indexes and one real search host for all tests of a file. */
export function useSearch(): SearchFixture {
  const catalog = useCatalog();
  const log = openLog({ level: "silent" });
  const models = new Map<string, EmbeddingModel>();
  const rerankers = new Map<string, Reranker>();
  const states = new Map<string, "ready" | "rebuilding">();
  const indexes: TestIndex[] = [];
  let folder = "";
  let host: Host<SearchTasks>;
  let search: Search;
  const indexPath = (baseId: string): string => path.join(folder, `${baseId}.sqlite`);

  beforeAll(async () => {
    host = openHost<SearchTasks>({
      name: "search host",
      entryUrl: locations.searchHost,
      init: { contentCacheBytes: 1 << 20, vectorCacheBytes: 1 << 24 },
      heapLimitMb: 256,
      memoryLimitBytes: 2 ** 30,
      idleExitMs: null,
      maxInFlight: 4,
      maxQueued: 32,
      cancelGraceMs: 200,
      log,
    });
    await host.start();
  });
  afterAll(() => host.stop());
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), "knowd-search-"));
    // The catalogue's own base has no index.
    catalog.catalog.bases.remove(catalog.base.id);
    models.clear();
    rerankers.clear();
    models.set(embedded.id, embedded);
    states.clear();
    search = openSearch({
      catalog: catalog.catalog,
      registry: { indexPath, state: (baseId) => states.get(baseId) ?? "ready" },
      models,
      rerankers,
      host,
      settings: { deadlineMs: 10_000 },
      log,
    });
  });
  afterEach(async () => {
    await Promise.all(catalog.catalog.bases.all().map((base) => search.closeBase(base.id)));
    for (const index of indexes.splice(0)) index.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function makeBase(over: Partial<BaseInput> = {}): SearchBase {
    const base = catalog.catalog.bases.create(baseInput(over));
    const isEmbedded = base.embeddingModelId === embedded.id;
    const embed = (text: string): Float32Array => loadStaticModel(locations.embeddedModel).embed(text);
    const index = buildIndex(indexPath(base.id), { baseId: base.id, ...(isEmbedded && { embed }) });
    indexes.push(index);
    return {
      base,
      index,
      add(document, { visible = true, path: file } = {}) {
        const title = document.title ?? `document ${randomUUID().slice(0, 6)}`;
        const conceptId = document.path ?? `${title}.md`;
        const item = catalog.file(conceptId, { baseId: base.id, title, path: file ?? null });
        index.add({ ...document, id: item.id, path: item.conceptId, title });
        return visible ? catalog.complete(item, { title, format: document.format ?? "markdown" }) : item;
      },
    };
  }

  return {
    get search() {
      return search;
    },
    get catalog() {
      return catalog.catalog;
    },
    get host() {
      return host;
    },
    models,
    rerankers,
    states,
    clock: catalog.clock,
    indexPath,
    tick: () => void (catalog.clock.now += 1000),
    base: makeBase,
  };
}

export type Query = Partial<Params<"search.query">> & { query: string };

/** Reads all pages of an answer, one after another; `between` is called before each but the first. */
export function pagesBy(
  ask: (params: Query) => Promise<SearchResult>,
): (params: Query, between?: (page: number) => void) => Promise<SearchResult[]> {
  return async (params, between = () => {}) => {
    const found = [await ask(params)];
    for (let cursor = found[0]?.cursor; cursor !== undefined; cursor = found.at(-1)?.cursor) {
      between(found.length);
      found.push(await ask({ ...params, cursor }));
    }
    return found;
  };
}
