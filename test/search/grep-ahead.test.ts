import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import type { SearchTasks } from "../../workers/search/contract.ts";
import { createSearchService } from "../../workers/search/service.ts";
import { buildIndex } from "../support/build-index.ts";
import { temporaryFolder } from "../support/temporary.ts";

type Input = SearchTasks["index.grep"]["input"];
type Batch = SearchTasks["index.grep"]["output"];

/** A search service over an index of five texts, 200 lines with a key in each. */
function openTexts() {
  const indexPath = path.join(temporaryFolder(), "index.sqlite");
  const index = buildIndex(indexPath);
  for (let at = 0; at < 5; at++)
    index.add({ id: `${at}`, path: `${at}.md`, chunks: [`key of ${at}\nnone\n`.repeat(200)] });
  index.close();
  const service = createSearchService({ contentCacheBytes: 1 << 20, vectorCacheBytes: 1 << 20 });
  onTestFinished(() => service.close());
  const target = { baseId: "base", indexPath };
  const options = {
    patterns: ["key"],
    literal: true,
    caseSensitive: true,
    word: false,
    wholeLine: false,
    invert: false,
    output: "matches",
    perLine: true,
    lean: true,
    maxPerDocument: Infinity,
    linesBefore: 0,
    linesAfter: 0,
  } as const;
  const most = { matches: 70, chars: 100_000 };
  const grep = async (over: Partial<Input>, signal = new AbortController().signal) =>
    (await service.run(
      "index.grep",
      { ...target, options, materialIds: null, from: null, stream: null, most, ...over },
      signal,
    )) as Batch;
  return { service, grep };
}

describe("looking ahead for a stream", () => {
  it("K9.7 gives the batches that a grep without it gives, at whatever pace they are asked for", async () => {
    const { grep } = openTexts();
    const batches = async (stream: string | null, pauseMs: number) => {
      const all: Batch[] = [];
      for (let from: Batch["next"] = null; all.length === 0 || from !== null;) {
        const batch: Batch = await grep({ stream, from });
        all.push(batch);
        from = batch.next;
        if (pauseMs > 0) await sleep(pauseMs);
      }
      return all;
    };
    const plain = await batches(null, 0);
    expect(plain.length).toBeGreaterThan(14);
    expect(await batches("hasty", 0)).toEqual(plain);
    expect(await batches("slow", 3)).toEqual(plain);
    const several = await Promise.all(["a", "b", "c", "d", "e", "f"].map((stream) => batches(stream, 1)));
    for (const one of several) expect(one).toEqual(plain);
  });

  it("K9.7 who asks for another place than the next one gets what is there", async () => {
    const { grep } = openTexts();
    const first = await grep({ stream: "s" });
    const second = await grep({ stream: "s", from: first.next });
    expect(await grep({ stream: "s", from: first.next })).toEqual(second);
    expect(await grep({ stream: "s" })).toEqual(first);
  });

  it("K9.7 a call that is cancelled ends, and what was looked for ahead with it", async () => {
    const { grep } = openTexts();
    const { next } = await grep({ stream: "s" });
    const abort = new AbortController();
    abort.abort(new Error("the caller is gone"));
    await expect(grep({ stream: "s", from: next }, abort.signal)).rejects.toThrow("the caller is gone");
    expect(await grep({ stream: "s", from: next })).toEqual(await grep({ from: next }));
  });

  it("an index that is to be closed is not opened again by a look ahead", async () => {
    const { service, grep } = openTexts();
    const { signal } = new AbortController();
    await grep({ stream: "s" });
    expect(await service.run("index.close", { baseId: "base" }, signal)).toEqual({ closed: true });
    await sleep(20);
    expect(await service.run("index.close", { baseId: "base" }, signal)).toEqual({ closed: false });
  });
});
