import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fuse, fuseByRank, RRF_K } from "../../workers/search/ranking/fuse.ts";

const words = [
  { id: "a", score: 10 },
  { id: "b", score: 5 },
  { id: "c", score: 2 },
];
const vectors = [
  { id: "c", score: 0.9 },
  { id: "d", score: 0.5 },
];
const cosines = new Map([
  ["c", 0.9],
  ["d", 0.5],
  ["a", -0.2],
]);
const near = { entries: vectors, cosines };
const nothing = { entries: [], cosines: new Map<string, number>() };

describe("fusion of the lanes", () => {
  it("K9.2 rrf sums 1 / (60 + rank) of both lanes", () => {
    const fused = fuse({ words, vectors: near, latent: null }, { fusion: { kind: "rrf" }, candidates: 10 });
    expect(fused).toEqual([
      { id: "c", score: 1 / (RRF_K + 3) + 1 / (RRF_K + 1), bm25Rank: 3, vectorRank: 1, latentRank: null },
      { id: "a", score: 1 / (RRF_K + 1), bm25Rank: 1, vectorRank: null, latentRank: null },
      { id: "b", score: 1 / (RRF_K + 2), bm25Rank: 2, vectorRank: null, latentRank: null },
      { id: "d", score: 1 / (RRF_K + 2), bm25Rank: null, vectorRank: 2, latentRank: null },
    ]);
  });

  it("K9.2 convex weighs each candidate by both lanes; a cosine below zero counts as none", () => {
    const fused = fuse(
      { words, vectors: near, latent: null },
      { fusion: { kind: "convex", alpha: 0.25 }, candidates: 10 },
    );
    expect(fused.map(({ id, score }) => [id, Math.round(score * 1000) / 1000])).toEqual([
      ["a", 0.75],
      ["b", 0.375],
      ["c", 0.375],
      ["d", 0.125],
    ]);
  });

  it("K9.2 a third lane brings candidates of its own and weighs those of the others too", () => {
    const latent = {
      entries: [{ id: "e", score: 0.8 }],
      cosines: new Map([
        ["e", 0.8],
        ["b", 0.5],
        ["c", -1],
      ]),
    };
    const options = { fusion: { kind: "convex", alpha: 0.3 }, candidates: 10 } as const;
    const fused = fuse(
      { words, vectors: near, latent },
      { ...options, weights: { words: 0.5, vectors: 0.2, latent: 0.3 } },
    );
    const rounded = fused.map(({ id, score, latentRank }) => [
      id,
      Math.round(score * 1000) / 1000,
      latentRank,
    ]);
    expect(rounded).toEqual([
      ["a", 0.5, null],
      ["b", 0.4, null],
      ["c", 0.28, null],
      ["e", 0.24, 1],
      ["d", 0.1, null],
    ]);
  });

  it("K9.2 convex measures words by the best that an entry earned by itself", () => {
    const raised = [
      { id: "a", score: 12, own: 8 },
      { id: "b", score: 4 },
    ];
    const fused = fuse(
      { words: raised, vectors: nothing, latent: null },
      { fusion: { kind: "convex", alpha: 0 }, candidates: 10 },
    );
    expect(fused.map(({ score }) => score)).toEqual([1.5, 0.5]);
  });

  it("takes the first candidates of each lane, and knows the scores of what is below", () => {
    const fused = fuse(
      { words, vectors: near, latent: null },
      { fusion: { kind: "convex", alpha: 0.5 }, candidates: 1 },
    );
    expect(fused).toEqual([
      { id: "c", score: 0.5 * 0.2 + 0.5 * 0.9, bm25Rank: null, vectorRank: 1, latentRank: null },
    ]);
  });

  it("answers with one lane when the other is empty, and with nothing for nothing", () => {
    const options = { fusion: { kind: "convex", alpha: 0.25 }, candidates: 10 } as const;
    expect(fuse({ words: [], vectors: near, latent: null }, options).map(({ id }) => id)).toEqual(["c", "d"]);
    expect(fuse({ words, vectors: nothing, latent: null }, options).map(({ id }) => id)).toEqual([
      "a",
      "b",
      "c",
    ]);
    expect(fuse({ words: [], vectors: nothing, latent: null }, options)).toEqual([]);
  });

  it("K9.2 does not depend on the order of ties", () => {
    const entries = fc.uniqueArray(
      fc.record({ id: fc.stringMatching(/^[a-f]{1,2}$/), score: fc.constantFrom(1, 2) }),
      {
        selector: ({ id }) => id,
      },
    );
    fc.assert(
      fc.property(entries, fc.constantFrom("rrf", "convex"), (list, kind) => {
        const fusion = kind === "rrf" ? { kind } : ({ kind: "convex", alpha: 0.3 } as const);
        const sorted = list.toSorted((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
        const fused = fuse({ words: sorted, vectors: nothing, latent: null }, { fusion, candidates: 50 });
        expect(fused.map(({ id }) => id)).toEqual(sorted.map(({ id }) => id));
      }),
    );
  });

  it("K9.7 lists are fused by rank, ties by id", () => {
    expect(
      fuseByRank([
        ["x", "y"],
        ["y", "z"],
      ]).map(({ id }) => id),
    ).toEqual(["y", "x", "z"]);
    expect(fuseByRank([["b"], ["a"]]).map(({ id }) => id)).toEqual(["a", "b"]);
  });
});
