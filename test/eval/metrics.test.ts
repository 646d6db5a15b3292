import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

type Judged = Map<string, number>;
type Score = Record<string, number> & { rank: number | null };
interface Metrics {
  readonly scoreQuery: (judged: Judged, ranked: readonly string[]) => Score;
  readonly isJudged: (judged: Judged | undefined) => boolean;
  readonly meansOf: (scores: readonly Score[]) => Record<string, number>;
  readonly compareQueries: (
    before: readonly number[],
    after: readonly number[],
  ) => { difference: number; better: number; worse: number; p: number };
}
type Run = Map<string, string[]>;
interface Reference {
  readonly evaluate: (qrels: Map<string, Judged>, run: Run) => { mean: Record<string, number> };
  readonly compare: (
    qrels: Map<string, Judged>,
    before: Run,
    after: Run,
  ) => { diff: number; wins: number; losses: number; p: number };
}

const load = async (file: string): Promise<unknown> => import(new URL(file, import.meta.url).href);
const { scoreQuery, isJudged, meansOf, compareQueries } = (await load(
  "../bench/eval/metrics.mjs",
)) as Metrics;
const reference = fileURLToPath(new URL("../../../shared/quality/evaluate.mjs", import.meta.url));

const document = fc.integer({ min: 0, max: 150 }).map((at) => `d${at}`);
const judged = fc
  .array(fc.tuple(document, fc.integer({ min: -1, max: 4 })), { minLength: 1, maxLength: 40 })
  .map((pairs) => new Map(pairs));
/** As a search answers: each document once, a hundred at most. */
const ranked = fc.uniqueArray(document, { maxLength: 100 });
const run = fc.array(fc.record({ judged, before: ranked, after: ranked }), { minLength: 1, maxLength: 8 });

const byQuery = <T>(values: readonly T[]) => new Map(values.map((value, at) => [`q${at}`, value]));

describe("what a ranking is worth", () => {
  it("counts by hand: grades are gains, the ideal is all that is judged", () => {
    const grades = new Map([
      ["a", 3],
      ["b", 2],
      ["c", 1],
      ["n", 0],
    ]);
    const score = scoreQuery(grades, ["x", "a", "c"]);
    const ideal = 3 + 2 / Math.log2(3) + 1 / 2;
    expect(score["ndcg10"]).toBeCloseTo((3 / Math.log2(3) + 1 / 2) / ideal, 12);
    expect(score).toMatchObject({
      recall10: 2 / 3,
      mrr10: 1 / 2,
      success3: 1,
      success10: 1,
      empty: 0,
      rank: 2,
    });
    expect(scoreQuery(grades, [])).toMatchObject({ ndcg10: 0, recall100: 0, mrr10: 0, empty: 1, rank: null });
    expect(scoreQuery(grades, ["a", "a", "a", "b"])["ndcg10"]).toBe(scoreQuery(grades, ["a", "b"])["ndcg10"]);
    expect(isJudged(new Map([["a", -1]])) || isJudged(undefined)).toBe(false);
  });

  it.skipIf(!existsSync(reference))(
    "agrees with the reference evaluator on any rankings, also on how likely a difference is chance (skipped where that is not at hand)",
    async () => {
      const { evaluate, compare } = (await load(`file://${reference}`)) as Reference;
      fc.assert(
        fc.property(run, (queries) => {
          const relevant = queries.filter((query) => isJudged(query.judged));
          fc.pre(relevant.length > 0);
          const scores = (which: "before" | "after") =>
            relevant.map((query) => scoreQuery(query.judged, query[which]));
          const ours = meansOf(scores("after"));
          const qrels = byQuery(queries.map((query) => query.judged));
          const theirs = evaluate(qrels, byQuery(queries.map(({ after }) => after))).mean;
          for (const [name, other] of Object.entries({
            ndcg10: "ndcg@10",
            recall10: "recall@10",
            recall100: "recall@100",
            mrr10: "mrr@10",
            success3: "success@3",
            success10: "success@10",
            empty: "empty",
          }))
            expect(ours[name]).toBeCloseTo(theirs[other]!, 9);
        }),
        { numRuns: 300 },
      );
      fc.assert(
        fc.property(run, (queries) => {
          const relevant = queries.filter((query) => isJudged(query.judged));
          fc.pre(relevant.length > 0);
          const gains = (which: "before" | "after") =>
            relevant.map((query) => scoreQuery(query.judged, query[which])["ndcg10"]!);
          const ours = compareQueries(gains("before"), gains("after"));
          const lists = (which: "before" | "after") => byQuery(relevant.map((query) => query[which]));
          const theirs = compare(
            byQuery(relevant.map((query) => query.judged)),
            lists("before"),
            lists("after"),
          );
          expect(ours.difference).toBeCloseTo(theirs.diff, 9);
          expect(ours).toMatchObject({ better: theirs.wins, worse: theirs.losses });
          // Both throw ten thousand coins: five standard errors of a share that is near one half.
          expect(Math.abs(ours.p - theirs.p)).toBeLessThan(0.036);
        }),
        { numRuns: 40 },
      );
    },
  );

  it("a clear difference is hardly chance, none is nothing but chance", () => {
    const before = Array.from({ length: 40 }, (_, at) => (at % 7) / 10);
    expect(compareQueries(before, before)).toEqual({ difference: 0, better: 0, worse: 0, p: 1 });
    const better = before.map((value) => value + 0.1);
    expect(compareQueries(before, better)).toMatchObject({ better: 40, worse: 0 });
    expect(compareQueries(before, better).p).toBeLessThan(0.001);
  });
});
