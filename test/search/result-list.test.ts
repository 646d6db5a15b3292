import { describe, expect, it } from "vitest";
import { aboveThreshold, mergeBases, type Entry } from "../../daemon/search/result-list.ts";

function entry(unitId: string, over: Partial<Entry> = {}): Entry {
  const lanes = {
    bm25Rank: null,
    vectorRank: null,
    cosine: null,
    latentRank: null,
    latentCosine: null,
    meaning: null,
  };
  return { unitId, baseId: "base", score: 1, scoreKind: "ranking", ...lanes, ...over };
}

describe("the order of entries", () => {
  it("K9.7 a base's scores of another scale do not push out the other base", () => {
    const loud = ["a", "b"].map((id) => entry(id, { baseId: "loud", score: 1000 }));
    const quiet = ["c", "d"].map((id) => entry(id, { baseId: "quiet", score: 0.001 }));
    expect(mergeBases([loud, quiet]).map(({ unitId }) => unitId)).toEqual(["a", "c", "b", "d"]);
  });

  it("a single base keeps its scores", () => {
    expect(mergeBases([[entry("a", { score: 7 })], []])).toEqual([entry("a", { score: 7 })]);
  });

  it("K9.3 a threshold drops entries below it when scores are relevance, and only then", () => {
    const relevance = [0.9, 0.4, 0.8].map((score, at) =>
      entry(String(at), { score, scoreKind: "relevance" }),
    );
    expect(aboveThreshold(relevance, 0.5).map(({ unitId }) => unitId)).toEqual(["0", "2"]);
    expect(aboveThreshold(relevance, null)).toHaveLength(3);
    const ranking = relevance.map((one) => ({ ...one, scoreKind: "ranking" as const }));
    expect(aboveThreshold(ranking, 0.5)).toHaveLength(3);
  });
});
