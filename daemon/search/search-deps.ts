import type { SearchTasks } from "../../workers/search/contract.ts";
import type { EmbeddingModel } from "../embedding/provider.ts";
import type { Reranker } from "../rerank/reranker.ts";
import type { Host } from "../runtime/host.ts";
import type { QueryVectors } from "./query-vectors.ts";
import type { ShownDocuments } from "./shown-documents.ts";
import type { Catalog } from "../storage/catalog/contract.ts";

/** What searching needs of the rest: to look things up, never to change them. */
export interface SearchDeps {
  readonly catalog: {
    readonly baseModels: Pick<Catalog["baseModels"], "fingerprint">;
    readonly bases: Pick<Catalog["bases"], "all" | "require">;
    readonly items: Pick<
      Catalog["items"],
      | "byConceptId"
      | "byPath"
      | "byTime"
      | "many"
      | "matching"
      | "places"
      | "require"
      | "visible"
      | "visiblePlaces"
    >;
    readonly changes: Pick<Catalog["changes"], "lastSeq" | "written">;
    readonly sources: Pick<Catalog["sources"], "all">;
  };
  readonly registry: {
    indexPath(baseId: string): string;
    state(baseId: string): "ready" | "rebuilding";
  };
  readonly models: { get(id: string): EmbeddingModel | undefined };
  readonly rerankers: { get(id: string): Reranker | undefined };
  readonly queryVectors: QueryVectors;
  readonly shown: ShownDocuments;
  readonly host: Pick<Host<SearchTasks>, "run" | "stats">;
  readonly settings: { readonly deadlineMs: number };
  readonly log: { warn(details: Record<string, unknown>, message: string): void };
}
