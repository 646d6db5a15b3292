import type { Params, Result } from "../../rpc/contract/index.ts";
import { listChunks } from "./chunks.ts";
import { explainSearch } from "./explain.ts";
import { createHeldLists } from "./held-lists.ts";
import { createDocuments } from "./filters.ts";
import type { ScopedCall } from "./find-item.ts";
import { grepBases, type GrepCall } from "./grep.ts";
import { keepBases } from "./known-bases.ts";
import { searchBases } from "./query.ts";
import { createQueryVectors } from "./query-vectors.ts";
import { readDocument } from "./read.ts";
import { searchSimilar } from "./similar.ts";
import type { SearchDeps } from "./search-deps.ts";
import { createShownDocuments } from "./shown-documents.ts";
import { verifyCitation } from "./verify-citation.ts";

/** All that reads the indexes, through the search host. Nothing here waits for indexing. */
export interface Search {
  query(params: Params<"search.query">, signal: AbortSignal): Promise<Result<"search.query">>;
  similar(params: Params<"search.similar">, signal: AbortSignal): Promise<Result<"search.similar">>;
  explain(params: Params<"search.explain">, signal: AbortSignal): Promise<Result<"search.explain">>;
  read(params: Params<"kb.read">, call: ScopedCall): Promise<Result<"kb.read">>;
  verify(params: Params<"citation.verify">, call: ScopedCall): Promise<Result<"citation.verify">>;
  grep(params: Params<"kb.grep">, call: GrepCall): Promise<Result<"kb.grep">>;
  chunks(params: Params<"item.chunks">, signal: AbortSignal): Promise<Result<"item.chunks">>;
  /** The base's index is about to be deleted or replaced: the host lets go of it. */
  closeBase(baseId: string): Promise<void>;
}

const CLOSE_DEADLINE_MS = 2_000;

export function openSearch(given: Omit<SearchDeps, "queryVectors" | "shown">): Search {
  const catalog = keepBases(given.catalog);
  const shown = createShownDocuments(catalog);
  const deps: SearchDeps = { ...given, catalog, queryVectors: createQueryVectors(), shown };
  const { host, log } = deps;
  const lists = createHeldLists();
  const querying = { ...deps, documents: createDocuments(deps.catalog) };
  return {
    query: (params, signal) => searchBases(querying, lists, params, signal),
    similar: (params, signal) => searchSimilar(querying, lists, params, signal),
    explain: (params, signal) => explainSearch(querying, params, signal),
    read: (params, call) => readDocument(deps, params, call),
    verify: (params, call) => verifyCitation(deps, params, call),
    grep: (params, call) => grepBases(deps, params, call),
    chunks: (params, signal) => listChunks(deps, params, signal),
    async closeBase(baseId) {
      if (host.stats().pid === null) return;
      try {
        await host.run("index.close", { baseId }, { deadlineMs: CLOSE_DEADLINE_MS });
      } catch (error) {
        // A host that is not there holds nothing open; one that hangs is killed at the deadline, and then holds nothing.
        log.warn({ baseId, error: String(error) }, "the search host was not there to close a base");
      }
    },
  };
}
