import { describe, expect, it } from "vitest";
import { openLog } from "../../daemon/runtime/log.ts";
import type { Host } from "../../daemon/runtime/host.ts";
import { openSearch } from "../../daemon/search/search.ts";
import type { SearchTasks } from "../../workers/search/contract.ts";
import { queryParams, useSearch } from "../support/search-fixture.ts";

const fixture = useSearch();

describe("search.query", () => {
  it("K9.2 asks each base for five times as many candidates as hits are wanted, two hundred at most", async () => {
    const { base, add } = fixture.base({ embeddingModelId: null, dimensions: null, documentCount: 12 });
    add({ title: "Keys", chunks: ["Rotate the keys."] });
    const asked: number[] = [];
    const run: Host<SearchTasks>["run"] = (task, input, options) => {
      if ("candidates" in input) asked.push(input.candidates);
      return fixture.host.run(task, input, options);
    };
    const search = openSearch({
      catalog: fixture.catalog,
      registry: { indexPath: (baseId) => fixture.indexPath(baseId), state: () => "ready" },
      models: fixture.models,
      rerankers: fixture.rerankers,
      host: { ...fixture.host, run },
      settings: { deadlineMs: 10_000 },
      log: openLog({ level: "silent" }),
    });
    for (const topK of [1, 10, 40, 41, 200, undefined])
      await search.query(queryParams({ query: "keys", topK }), new AbortController().signal);
    fixture.catalog.bases.update(base.id, { documentCount: null });
    await search.query(queryParams({ query: "keys" }), new AbortController().signal);
    expect(asked).toEqual([5, 50, 200, 200, 200, 60, 50]);
  });
});
