import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { followBase, type FollowDeps } from "../../daemon/latent/follow-base.ts";
import type { IndexRegistry } from "../../daemon/storage/index/contract.ts";
import { fitLatent, foldLatent } from "../../workers/latent/tasks.ts";
import type { FitLatentInput, FoldLatentInput } from "../../workers/contract.ts";
import type { LaneQuery, SearchTasks } from "../../workers/search/contract.ts";
import { openIndexReader } from "../../workers/search/index-reader.ts";
import { createLatentLane } from "../../workers/search/vectors/latent-lane.ts";
import { createTokenizer } from "../../workers/search/tokenizer.ts";
import { createSearchService } from "../../workers/search/service.ts";
import { baseId, openTestRegistry, revision } from "../support/index-revision.ts";

const service = createSearchService({ contentCacheBytes: 1 << 20, vectorCacheBytes: 1 << 24 });
afterAll(() => service.close());

/** Two subjects with 90 Chinese words each; a chunk says eight of its subject's. */
const [sea, bakery] = [0x4e00, 0x6e00].map((from) =>
  Array.from({ length: 90 }, (_, at) => String.fromCharCode(from + 2 * at, from + 2 * at + 1)),
) as [string[], string[]];

function chunk(words: readonly string[], at: number): string {
  return Array.from(
    { length: 8 },
    (_, step) => words[(at * 37 + step * (11 + (at % 7) * 6)) % words.length],
  ).join("，");
}

/** Documents of two chunks each, of the sea and of the bakery in turn. */
function documents(from: number, to: number) {
  return Array.from({ length: to - from }, (_, n) => {
    const at = from + n;
    return revision(
      `doc-${at}`,
      [0, 1].map((half) => chunk(at % 2 === 0 ? sea : bakery, 2 * at + half)),
    );
  });
}

interface Bench extends FollowDeps {
  readonly registry: IndexRegistry;
  readonly tasks: string[];
  readonly follow: (signal?: AbortSignal) => ReturnType<typeof followBase>;
  readonly search: (query: string) => Promise<SearchTasks["index.search"]["output"]>;
  readonly rows: (sql: string) => Record<string, unknown>[];
  readonly reopen: () => Bench;
}

function bench(test: ReturnType<typeof openTestRegistry>, registry: IndexRegistry): Bench {
  const tasks: string[] = [];
  const unfit = new Map<string, number>();
  const run = (task: string, input: unknown, { signal }: { signal?: AbortSignal | undefined }) => {
    tasks.push(task);
    if (task === "latent.fit") return Promise.resolve(fitLatent(input as FitLatentInput));
    if (task === "latent.fold") return Promise.resolve(foldLatent(input as FoldLatentInput));
    return service.run(task, input, signal ?? new AbortController().signal);
  };
  const host = { run } as unknown as FollowDeps["searchHost"] & FollowDeps["workerHost"];
  const deps = { registry, searchHost: host, workerHost: host };
  return {
    ...deps,
    tasks,
    follow: (signal) => followBase(deps, baseId, unfit, signal),
    search(query) {
      const input: LaneQuery = {
        baseId,
        indexPath: registry.indexPath(baseId),
        query,
        queryVector: new Float32Array(4),
        model: null,
        fusion: { kind: "convex", alpha: 0.3 },
        candidates: 40,
        filters: null,
      };
      return host.run("index.search", input, { deadlineMs: 1000 });
    },
    rows: (sql) => test.rows(sql),
    reopen: () => bench(test, test.reopen()),
  };
}

async function openBench(units: number): Promise<Bench> {
  const test = openTestRegistry();
  onTestFinished(() => void service.run("index.close", { baseId }, new AbortController().signal));
  await test.registry.create(baseId, { substring: false });
  const made = bench(test, test.registry);
  await made.registry.commit(baseId, documents(0, Math.ceil(units / 2)));
  if (units % 2 === 1) await made.registry.commit(baseId, [revision("doc-0", [chunk(sea, 0)])]);
  return made;
}

const vectorsOf = "SELECT version, count(*) AS count FROM latent_vector GROUP BY version";

describe("latent vectors", () => {
  it("come with the two hundredth chunk", async () => {
    const few = await openBench(199);
    expect(await few.follow()).toBeNull();
    expect(few.tasks).toEqual([]);
    await few.registry.commit(baseId, [revision("one more", [chunk(sea, 7)])]);
    expect(await few.follow()).toMatchObject({ version: 1, fittedUnits: 200 });
    expect(few.rows(vectorsOf)).toEqual([{ version: 1, count: 200 }]);
  });

  it("find a Chinese passage that shares no word with the query, and say so in its lanes", async () => {
    const { follow, search } = await openBench(240);
    const before = (await search(sea[5]!)).candidates;
    expect(before.length).toBeGreaterThan(0);
    expect(before.every(({ text }) => text.includes(sea[5]!))).toBe(true);
    await follow();
    const { candidates } = await search(sea[5]!);
    const others = candidates.filter(({ text }) => !text.includes(sea[5]!));
    expect(others.length).toBeGreaterThan(5);
    for (const { text, latentRank, latentCosine, bm25Rank } of others.slice(0, 5)) {
      expect(sea.some((word) => text.includes(word))).toBe(true);
      expect([bm25Rank, typeof latentRank]).toEqual([null, "number"]);
      expect(latentCosine).toBeGreaterThan(0);
    }
  });

  it("of a base with too many chunks are not kept in memory, and weigh what the other lanes bring", async () => {
    const { follow, registry } = await openBench(200);
    await follow();
    const reader = openIndexReader(baseId, registry.indexPath(baseId));
    const tokenizer = createTokenizer();
    onTestFinished(() => {
      tokenizer.close();
      reader.close();
    });
    const [small, large] = [200, 199].map((most) => createLatentLane(reader, { mostPacked: most }));
    const [asked, askedLarge] = [small!, large!].map((lane) => lane.ask(tokenizer, sea[5]!, 1000)!);
    const near = small!.nearest(asked!, 5, null);
    expect(near).toHaveLength(5);
    expect(large!.nearest(askedLarge!, 5, null)).toEqual([]);
    expect(askedLarge!.complete).toBe(true);
    const cosines = large!.cosines(
      askedLarge!,
      near.map(({ number }) => number),
    );
    expect([...cosines]).toEqual(near.map(({ number, score }) => [number, score]));
    expect(large!.bytes()).toBeLessThan(small!.bytes());
  });

  it("take no part in a search that knows no word of the basis, nor beside a strong model", async () => {
    const { follow, search, registry, searchHost } = await openBench(200);
    await follow();
    expect((await search("telescope")).candidates).toEqual([]);
    const target = {
      baseId,
      indexPath: registry.indexPath(baseId),
      model: null,
      filters: null,
      candidates: 20,
    };
    const strong = await searchHost.run(
      "index.search",
      { ...target, query: sea[5]!, queryVector: Float32Array.of(1, 0, 0, 0), fusion: { kind: "rrf" } },
      { deadlineMs: 1000 },
    );
    expect(strong.candidates.every(({ latentRank }) => latentRank === null)).toBe(true);
  });

  it("of new chunks are made with the basis that there is; it is fitted again when the base has doubled", async () => {
    const { follow, registry, rows, tasks } = await openBench(200);
    await follow();
    tasks.length = 0;
    await registry.commit(baseId, documents(100, 199));
    expect(await follow()).toMatchObject({ version: 1 });
    expect(tasks).not.toContain("latent.fit");
    expect(rows(vectorsOf)).toEqual([{ version: 1, count: 398 }]);
    await registry.commit(baseId, documents(199, 200));
    expect(await follow()).toMatchObject({ version: 2, fittedUnits: 400 });
    expect(rows(vectorsOf)).toEqual([{ version: 2, count: 400 }]);
    expect(rows("SELECT DISTINCT version FROM latent_basis_part")).toEqual([{ version: 2 }]);
    tasks.length = 0;
    await follow();
    expect(tasks).toEqual([]);
  });

  it("go with their chunks, and stay when a document is renamed", async () => {
    const { follow, registry, rows } = await openBench(200);
    await follow();
    await registry.rename(baseId, "doc-1", "elsewhere/other.md");
    await follow();
    expect(rows(vectorsOf)).toEqual([{ version: 1, count: 200 }]);
    await registry.remove(baseId, ["doc-0", "doc-2"]);
    expect(rows(vectorsOf)).toEqual([{ version: 1, count: 196 }]);
    expect((await registry.check(baseId)).problems).toEqual([]);
  });

  it("of two versions are never compared: a search between two steps of a swap has the old one whole, then the new", async () => {
    const one = await openBench(200);
    await one.follow();
    await one.registry.commit(baseId, documents(100, 210));
    const cosines = async () =>
      new Map((await one.search(sea[5]!)).ranked.map(({ unitId, latentCosine }) => [unitId, latentCosine]));
    const old = await cosines();
    const { latent } = one.registry;
    const seen: string[] = [];
    const spy: IndexRegistry["latent"] = {
      ...latent,
      async add(...args) {
        const added = await latent.add(...args);
        const now = await cosines();
        const compared = [...old].filter(([unitId, cosine]) => cosine !== null && now.has(unitId));
        expect(compared.length).toBeGreaterThan(0);
        for (const [unitId, cosine] of compared) expect(now.get(unitId)).toBe(cosine);
        seen.push((await latent.state(baseId)).current!.version.toString());
        return added;
      },
    };
    const registry = { ...one.registry, latent: spy };
    expect(await followBase({ ...one, registry }, baseId, new Map())).toMatchObject({ version: 2 });
    expect(new Set(seen)).toEqual(new Set(["1"]));
    const fresh = await cosines();
    expect([...fresh].some(([unitId, cosine]) => old.has(unitId) && old.get(unitId) !== cosine)).toBe(true);
  });

  it.each(["latent.fit", "latent.fold", "index.texts"])(
    "P1 a stop at any %s is caught up after the next start",
    async (stopAt) => {
      const one = await openBench(200);
      for (let nth = 1; ; nth++) {
        let seen = 0;
        const stopping = new AbortController();
        const run = (task: string, ...rest: [never, never]) => {
          if (task === stopAt && ++seen === nth) {
            stopping.abort(new Error("stopped"));
            return Promise.reject(new Error("stopped"));
          }
          return one.searchHost.run(task as "index.texts", ...rest);
        };
        const host = { run } as unknown as FollowDeps["searchHost"] & FollowDeps["workerHost"];
        const deps = { registry: one.registry, searchHost: host, workerHost: host };
        const outcome = await followBase(deps, baseId, new Map()).catch((error: Error) => error.message);
        if (seen < nth) break;
        expect(outcome).toBe("stopped");
        expect((await one.registry.check(baseId)).problems).toEqual([]);
      }
      const again = one.reopen();
      expect(await again.follow()).toMatchObject({ fittedUnits: 200 });
      expect(again.rows("SELECT count(*) AS count FROM latent_vector")).toEqual([{ count: 200 }]);
      expect(again.rows("SELECT state FROM latent_basis")).toEqual([{ state: "current" }]);
    },
  );

  it("a filling basis that a later one replaces, and one of an older shaping, are swept away", async () => {
    const { follow, registry, rows } = await openBench(200);
    const stale = { termsVersion: 1, dimensions: 2, fittedUnits: 200, bytes: new Uint8Array(300_000) };
    await registry.latent.begin(baseId, stale);
    await registry.latent.begin(baseId, stale);
    expect((await registry.latent.basis(baseId, 2))?.length).toBe(300_000);
    expect(await follow()).toMatchObject({ version: 3 });
    await follow();
    expect(rows("SELECT version FROM latent_basis")).toEqual([{ version: 3 }]);
    expect(rows("SELECT DISTINCT version FROM latent_basis_part")).toEqual([{ version: 3 }]);
  });

  it("are not made of chunks that tell nothing, and are not tried again before there are twice as many", async () => {
    const test = openTestRegistry();
    await test.registry.create(baseId, { substring: false });
    const { follow, registry, tasks } = bench(test, test.registry);
    for (const [from, to, fits] of [
      [0, 200, 1],
      [200, 300, 1],
      [300, 400, 2],
    ] as const) {
      const same = Array.from({ length: to - from }, (_, at) =>
        revision(`same-${from + at}`, ["the very same words"]),
      );
      await registry.commit(baseId, same);
      expect(await follow()).toBeNull();
      expect(tasks.filter((task) => task === "latent.fit")).toHaveLength(fits);
    }
  });

  it("that come for a unit which is gone, or a version that is gone, are refused", async () => {
    const { follow, registry, rows } = await openBench(200);
    const { version, dimensions } = (await follow())!;
    const page = { numbers: [100_000], vectors: new Int8Array(dimensions).fill(1), foldedTo: 200 };
    expect(await registry.latent.add(baseId, version, page)).toBe(true);
    expect(await registry.latent.add(baseId, version + 1, page)).toBe(false);
    expect(await registry.latent.swap(baseId, version)).toBe(false);
    expect(rows(vectorsOf)).toEqual([{ version, count: 200 }]);
  });
});
