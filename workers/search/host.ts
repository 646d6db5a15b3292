/** The search host: a child process that answers from the indexes, read-only. Killed when a query passes its deadline. */
import { serveHost } from "../host-loop.ts";
import { createSearchService, type SearchService, type SearchServiceOptions } from "./service.ts";

/** What the daemon passes as the child's init. */
export type SearchHostInit = SearchServiceOptions;

let service: SearchService | undefined;

serveHost({
  onStart(init) {
    const { contentCacheBytes, vectorCacheBytes } = (init ?? {}) as Partial<SearchHostInit>;
    if (typeof contentCacheBytes !== "number" || typeof vectorCacheBytes !== "number")
      throw new Error(`the search host needs the sizes of its caches, not ${JSON.stringify(init)}`);
    service = createSearchService({ contentCacheBytes, vectorCacheBytes });
  },
  run(task, input, signal) {
    if (!service) throw new Error("a task came before the host was ready");
    return service.run(task, input, signal);
  },
  onStop: () => service?.close(),
});
