import path from "node:path";
import * as fc from "fast-check";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import type { LaneQuery, RankedUnit } from "../../workers/search/contract.ts";
import { exactCosines } from "../../workers/search/vectors/exact-cosine.ts";
import { openIndexReader } from "../../workers/search/index-reader.ts";
import { createPlainKernel, createVectorKernel } from "../../workers/search/kernel/vector-kernel.ts";
import { PackedVectors } from "../../workers/search/vectors/packed-vectors.ts";
import { createSearchService } from "../../workers/search/service.ts";
import { createVectorLane } from "../../workers/search/vectors/vector-lane.ts";
import { embeddingSource } from "../../workers/search/vectors/vector-source.ts";
import { buildIndex, type TestIndex } from "../support/build-index.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** A linear congruential generator: the same vectors on each run. */
function randomVectors(count: number, dimensions: number): Float32Array[] {
  let state = 7;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 31 - 1;
  };
  return Array.from({ length: count }, () => Float32Array.from({ length: dimensions }, next));
}

function cosine(a: Float32Array, b: Float32Array): number {
  const dot = (x: Float32Array, y: Float32Array) => x.reduce((sum, value, at) => sum + value * y[at]!, 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

describe("packed vectors", () => {
  it("finds the nearest of a few exactly", () => {
    const vectors = randomVectors(500, 32);
    const packed = new PackedVectors(32);
    vectors.forEach((vector, at) => packed.append(at + 1, vector));
    const query = randomVectors(501, 32)[500]!;
    const exact = vectors.map((vector, at) => ({ number: at + 1, cosine: cosine(vector, query) }));
    exact.sort((a, b) => b.cosine - a.cosine);
    const found = packed.top(query, 20, null);
    expect(found.map(({ number }) => number).slice(0, 5)).toEqual(
      exact.map(({ number }) => number).slice(0, 5),
    );
    for (const { number, cosine: near } of found)
      expect(near).toBeCloseTo(cosine(vectors[number - 1]!, query), 1);
  });

  it("finds nearly all of the nearest of many by their signs first", () => {
    const vectors = randomVectors(30_000, 64);
    const packed = new PackedVectors(64);
    vectors.forEach((vector, at) => packed.append(at + 1, vector));
    const query = vectors[123]!.map((value, at) => value + (at % 3 === 0 ? 0.3 : 0));
    const exact = vectors.map((vector, at) => ({ number: at + 1, near: cosine(vector, query) }));
    exact.sort((a, b) => b.near - a.near);
    const found = new Set(packed.top(query, 50, null).map(({ number }) => number));
    expect(exact.slice(0, 50).filter(({ number }) => found.has(number)).length).toBeGreaterThanOrEqual(45);
    expect(packed.top(query, 1, null)[0]?.number).toBe(124);
  });

  it("tells cosines near the exact ones, equal ones of equal vectors, and the same of a vector that is not packed", () => {
    const vectors = randomVectors(300, 96);
    const query = randomVectors(301, 96)[300]!;
    for (const kernel of [createVectorKernel(), createPlainKernel()]) {
      const packed = new PackedVectors(96, kernel);
      vectors.forEach((vector, at) => packed.append(2 * at, vector));
      packed.append(1000, vectors[7]!);
      const numbers = vectors.map((_, at) => 2 * at);
      const cosines = packed.cosines(query, [1000, 3, ...numbers, 1001]);
      expect([...cosines.keys()]).toEqual([1000, ...numbers]);
      expect(cosines.get(1000)).toBe(cosines.get(14));
      for (const [at, vector] of vectors.entries())
        expect(Math.abs(cosines.get(2 * at)! - cosine(vector, query))).toBeLessThan(0.005);
      const apart = new PackedVectors(96).cosinesOf(
        query,
        vectors.map((vector, at) => [2 * at, vector]),
      );
      cosines.delete(1000);
      expect(apart).toEqual(cosines);
      expect(packed.cosines(vectors[9]!, [18]).get(18)).toBe(1);
      expect(packed.top(query, 9, null)).toEqual(packed.top(query, 9, { size: 301, has: () => true }));
    }
  });

  it("keeps a unit's place among the others for a vector that comes later", () => {
    const vectors = randomVectors(5000, 48);
    const [whole, late] = [new PackedVectors(48), new PackedVectors(48)];
    const isLate = (at: number): boolean => at % 3 === 0 || at > 4000;
    for (const [at, vector] of vectors.entries()) {
      whole.append(at, vector);
      late.append(at, isLate(at) ? null : vector);
    }
    const query = vectors[3000]!;
    expect(late.size).toBeLessThan(whole.size);
    expect(late.top(query, 50, null).every(({ number }) => !isLate(number))).toBe(true);
    expect(late.cosines(query, [3000, 3001]).has(3000)).toBe(false);
    for (let at = vectors.length - 1; at >= 0; at--) if (isLate(at)) late.fill(at, vectors[at]!);
    late.fill(17, vectors[0]!);
    late.fill(9999, vectors[0]!);
    expect(late.size).toBe(whole.size);
    expect(late.top(query, 50, null)).toEqual(whole.top(query, 50, null));
    expect(late.spread(query)).toEqual(whole.spread(query));
    expect(late.cosines(query, [0, 17, 4999])).toEqual(whole.cosines(query, [0, 17, 4999]));
  });

  it("K9.5 leaves out vectors of length zero, and finds nothing for one", () => {
    const packed = new PackedVectors(4);
    packed.append(1, Float32Array.of(0, 0, 0, 0));
    packed.append(2, Float32Array.of(1, 0, 0, 0));
    packed.append(3, Float32Array.of(NaN, 0, 0, 0));
    expect(packed.size).toBe(1);
    expect(packed.top(Float32Array.of(0, 0, 0, 0), 5, null)).toEqual([]);
    expect(packed.top(Float32Array.of(1, 0, 0, 0), 5, null).map(({ number }) => number)).toEqual([2]);
  });

  it("keeps to what is accepted, and drops what is not alive", () => {
    const packed = new PackedVectors(2);
    for (let number = 1; number <= 2000; number++) packed.append(number, Float32Array.of(1, number));
    expect(packed.top(Float32Array.of(0, 1), 3, new Set([5, 6])).map(({ number }) => number)).toEqual([6, 5]);
    packed.retain([1, 1999, 3000]);
    expect(packed.size).toBe(2);
    expect(packed.top(Float32Array.of(0, 1), 9, null).map(({ number }) => number)).toEqual([1999, 1]);
  });
});

function openIndex(dimensions: number, count: number): { index: TestIndex; vectors: Float32Array[] } {
  const index = buildIndex(path.join(temporaryFolder(), "index.sqlite"));
  onTestFinished(() => index.close());
  const vectors = randomVectors(count, dimensions);
  vectors.forEach((vector, at) => {
    index.add({ id: `m${at}`, chunks: [{ text: `text ${at}`, vector: [...vector] }] });
  });
  return { index, vectors };
}

function readerOf(index: TestIndex) {
  const reader = openIndexReader("base", index.path);
  onTestFinished(() => reader.close());
  return reader;
}

describe("the vector lane", () => {
  it("sqlite-vec and JavaScript give the same cosines and the same order", () => {
    const { index, vectors } = openIndex(24, 60);
    const reader = readerOf(index);
    expect(reader.hasVec).toBe(true);
    const numbers = vectors.map((_, at) => at + 1);
    const sorted = (vec: boolean) =>
      [...exactCosines(reader, vectors[3]!, numbers, { vec })].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    const [byVec, byScript] = [sorted(true), sorted(false)];
    expect(byVec.map(([number]) => number)).toEqual(byScript.map(([number]) => number));
    byVec.forEach(([, value], at) => expect(value).toBeCloseTo(byScript[at]![1], 5));
    expect(byVec[0]).toEqual([4, 1]);
  });

  it("K9.5 a stored vector of length zero has no cosine, in either way", () => {
    const { index } = openIndex(3, 2);
    index.add({ id: "zero", chunks: [{ text: "zero", vector: [0, 0, 0] }] });
    const reader = readerOf(index);
    for (const vec of [true, false]) {
      expect(exactCosines(reader, Float32Array.of(1, 2, 3), [1, 2, 3], { vec }).has(3)).toBe(false);
    }
  });

  it("follows the index: what is added is found, what is deleted is not", () => {
    const { index, vectors } = openIndex(8, 40);
    const reader = readerOf(index);
    const lane = createVectorLane(reader);
    const nearest = (): number | undefined => {
      expect(lane.refresh(embeddingSource(reader, 8), 1000).complete).toBe(true);
      return lane.nearest(vectors[7]!, 1, null)[0]?.number;
    };
    expect(nearest()).toBe(8);
    index.remove("m7");
    expect(nearest()).not.toBe(8);
    index.add({ id: "again", chunks: [{ text: "again", vector: [...vectors[7]!] }] });
    expect(nearest()).toBe(41);
    for (let at = 8; at < 40; at++) index.remove(`m${at}`);
    expect(nearest()).toBe(41);
    expect(lane.refresh(embeddingSource(reader, 8), 1000).loaded).toBe(8);
  });

  it("a file that was saved a hundred times does not hide what is near, itself as it is now included", () => {
    const { index, vectors } = openIndex(8, 1000);
    const reader = readerOf(index);
    const lane = createVectorLane(reader);
    const often = vectors[7]!.map((value, at) => value + at * 0.001);
    for (let revision = 0; revision < 100; revision++) {
      index.add({ id: "often", chunks: [{ text: `revision ${revision}`, vector: [...often] }] });
      expect(lane.refresh(embeddingSource(reader, 8), 1000).complete).toBe(true);
      if (revision < 99) index.remove("often");
    }
    expect(lane.nearest(often, 2, null).map(({ number }) => number)).toEqual([1100, 8]);
  });

  it("K8.4 a unit that gets its vector later, as a base is given a model, is found from then on", async () => {
    const { index } = openIndex(4, 1);
    const texts = Array.from({ length: 1200 }, (_, at) => `late ${at}`);
    index.add({ id: "late", chunks: texts });
    const reader = readerOf(index);
    const lane = createVectorLane(reader);
    expect(lane.refresh(embeddingSource(reader, 4), 1000)).toEqual({ complete: true, loaded: 1 });
    texts.forEach((_, at) => index.embed("late", at, [at, 1, 0, 0]));
    await lane.loadAll(embeddingSource(reader, 4));
    expect(lane.refresh(embeddingSource(reader, 4), 1000)).toEqual({ complete: true, loaded: 1201 });
    expect(lane.nearest(Float32Array.of(0, 1, 0, 0), 2, null).map(({ number }) => number)).toEqual([2, 3]);
    index.remove("late");
    expect(lane.refresh(embeddingSource(reader, 4), 1000)).toEqual({ complete: true, loaded: 1 });
  });

  it("never mixes dimensions, and loads anew for others", () => {
    const { index } = openIndex(8, 5);
    index.add({ id: "wide", chunks: [{ text: "wide", vector: Array.from({ length: 16 }, () => 1) }] });
    const reader = readerOf(index);
    const lane = createVectorLane(reader);
    expect(lane.refresh(embeddingSource(reader, 8), 1000).loaded).toBe(5);
    expect(lane.refresh(embeddingSource(reader, 16), 1000).loaded).toBe(1);
    expect(lane.nearest(new Float32Array(16).fill(1), 5, null).map(({ number }) => number)).toEqual([6]);
  });

  it("loads in the background what a search had no time for", async () => {
    const { index } = openIndex(4, 1200);
    const reader = readerOf(index);
    const lane = createVectorLane(reader);
    expect(lane.refresh(embeddingSource(reader, 4), 0).complete).toBe(false);
    await lane.loadAll(embeddingSource(reader, 4));
    expect(lane.refresh(embeddingSource(reader, 4), 0)).toEqual({ complete: true, loaded: 1200 });
    expect(lane.bytes()).toBeGreaterThan(0);
    lane.forget();
    expect(lane.bytes()).toBe(0);
  });

  it("takes any finite vector without losing its direction", () => {
    const value = fc.float({ noNaN: true, noDefaultInfinity: true, min: -1000, max: 1000 });
    fc.assert(
      fc.property(fc.array(value, { minLength: 5, maxLength: 5 }), (values) => {
        const vector = Float32Array.from(values);
        const packed = new PackedVectors(5);
        packed.append(1, vector);
        const isZero = vector.every((one) => one * one === 0);
        expect(packed.top(vector, 1, null).map(({ cosine: near }) => Math.round(near * 10) / 10)).toEqual(
          isZero ? [] : [1],
        );
      }),
    );
  });
});

describe("a search by vectors", () => {
  const service = createSearchService({ contentCacheBytes: 1 << 20, vectorCacheBytes: 1 << 24 });
  afterAll(() => service.close());

  /** A base of forty equal texts after ten others, and a query that is near them. */
  async function ranked(fusion: LaneQuery["fusion"]) {
    const { index, vectors } = openIndex(16, 11);
    const same = vectors[10]!;
    for (let at = 0; at < 40; at++)
      index.add({ id: `same${at}`, chunks: [{ text: "an equal text", vector: [...same] }] });
    const query = same.map((value, at) => value + (at % 2 === 0 ? 0.4 : 0));
    const input: LaneQuery = {
      baseId: index.path,
      indexPath: index.path,
      query: "equal",
      queryVector: query,
      model: null,
      fusion,
      candidates: 30,
      filters: null,
    };
    const { ranked: found } = (await service.run("index.search", input, new AbortController().signal)) as {
      ranked: RankedUnit[];
    };
    return { found, exact: cosine(query, same) };
  }

  it("K9.2 weighs equal texts equally, whichever lane brought them, and orders them by unit id", async () => {
    const { found, exact } = await ranked({ kind: "convex", alpha: 0.3 });
    const byWords = found.filter(({ bm25Rank }) => bm25Rank !== null);
    expect(byWords.some(({ vectorRank }) => vectorRank === null)).toBe(true);
    expect(byWords.some(({ vectorRank }) => vectorRank !== null)).toBe(true);
    expect(new Set(byWords.map(({ score }) => score)).size).toBe(1);
    expect(byWords.map(({ unitId }) => unitId)).toEqual(byWords.map(({ unitId }) => unitId).toSorted());
    for (const { cosine: near } of byWords) expect(Math.abs(near! - exact)).toBeLessThan(0.005);
  });

  it("K9.2 of a strong model tells exact cosines, those of what only words found included", async () => {
    const { found, exact } = await ranked({ kind: "rrf" });
    const equal = found.filter(({ bm25Rank }) => bm25Rank !== null);
    expect(equal.length).toBeGreaterThan(20);
    for (const { cosine: near } of equal) expect(near).toBeCloseTo(exact, 5);
  });
});
