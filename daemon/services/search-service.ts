import type { Search } from "../search/search.ts";
import type { Services } from "./call.ts";

type SearchMethod =
  | "search.query"
  | "search.similar"
  | "search.explain"
  | "kb.read"
  | "kb.grep"
  | "citation.verify"
  | "item.chunks";

export interface SearchServiceDeps {
  readonly search: Search;
}

export function createSearchService({ search }: SearchServiceDeps): Services<SearchMethod> {
  return {
    "search.query": (params, call) => search.query(params, call.signal),
    "search.similar": (params, call) => search.similar(params, call.signal),
    "search.explain": (params, call) => search.explain(params, call.signal),
    "kb.read": (params, call) => search.read(params, call),
    "kb.grep": (params, call) => search.grep(params, call),
    "citation.verify": (params, call) => search.verify(params, call),
    "item.chunks": (params, call) => search.chunks(params, call.signal),
  };
}
