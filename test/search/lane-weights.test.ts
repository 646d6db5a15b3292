import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { laneWeights, withoutForeign } from "../../workers/search/ranking/lane-weights.ts";

const sure = { covered: 1, standsOut: 0, isEveryday: false };
const lost = { covered: 0.2, standsOut: 3, isEveryday: false };

describe("weights of the lanes", () => {
  it("without a basis are those of words and vectors; what a basis does not know of the query is left to the vectors", () => {
    expect(laneWeights(0.25, null, sure)).toEqual({ words: 0.75, vectors: 0.25, latent: 0 });
    const [all, none] = [1, 0].map((share) => laneWeights(0.25, share, sure));
    expect(all!.words).toBe(none!.words);
    expect([none!.latent, all!.latent > 0, none!.vectors > all!.vectors]).toEqual([0, true, true]);
  });

  it("are the vectors' where the words cover little of the query and the vectors stand out, and only there", () => {
    expect(laneWeights(0.25, 1, lost)).toEqual({ words: 0, vectors: 1, latent: 0 });
    const usual = laneWeights(0.25, 1, sure);
    expect(laneWeights(0.25, 1, { covered: 0.2, standsOut: 0.5, isEveryday: false })).toEqual(usual);
    expect(laneWeights(0.25, 1, { covered: 0.9, standsOut: 3, isEveryday: false })).toEqual(usual);
  });

  it("are the vectors' where the base has few of a short query's everyday words, whether or not they stand out", () => {
    expect(laneWeights(0.25, 1, { covered: 0.4, standsOut: 0, isEveryday: true })).toEqual(
      laneWeights(0.25, 1, lost),
    );
    const most = { covered: 0.8, standsOut: 0, isEveryday: true };
    expect(laneWeights(0.25, 1, most)).toEqual(laneWeights(0.25, 1, sure));
  });

  it("are the words' for what the model can't know of the query", () => {
    const weights = laneWeights(0.25, 1, sure);
    expect(withoutForeign(weights, 1)).toEqual(weights);
    const { words, vectors, latent } = withoutForeign(weights, 0);
    expect([vectors, latent, words]).toEqual([0, weights.latent, weights.words + weights.vectors]);
  });

  it("are never negative and together one", () => {
    const number = fc.double({ min: -2, max: 5, noNaN: true });
    const shares = fc.option(fc.double({ min: 0, max: 1, noNaN: true }));
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 0.5, noNaN: true }),
        shares,
        number,
        number,
        fc.boolean(),
        (alpha, share, covered, standsOut, isEveryday) => {
          const confidence = { covered, standsOut, isEveryday };
          const { words, vectors, latent } = laneWeights(alpha, share, confidence);
          expect(Math.min(words, vectors, latent)).toBeGreaterThanOrEqual(-1e-9);
          expect(words + vectors + latent).toBeCloseTo(1, 9);
        },
      ),
    );
  });
});
