import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { neighboursOf, withNeighbours } from "../../workers/search/ranking/neighbours.ts";
import { PostingList } from "../../workers/search/postings/posting-list.ts";
import type { Postings } from "../../workers/search/postings/postings.ts";
import { rarity, scoreWords } from "../../workers/search/ranking/score-words.ts";
import type { FieldLengths } from "../../workers/search/postings/unit-lengths.ts";
import { createRandom } from "../support/random.ts";
import { planQuery } from "../../workers/words/query.ts";

type Place = readonly [number: number, title: number, body: number];

/** Each place is that of a unit, from 1; 0 says that the word is not in that field. */
function postingsOf(...places: Place[]): Postings {
  const list = new PostingList();
  for (const [number, title, body] of places) {
    if (title > 0) list.addPlace(number, true, title);
    if (body > 0) list.addPlace(number, false, body);
  }
  return list.postings();
}

const lengths = (titles: number[], bodies: number[]): FieldLengths => ({
  titles: Uint16Array.from([0, ...titles]),
  bodies: Uint16Array.from([0, ...bodies]),
  averageTitle: 5,
  averageBody: 100,
});

function scored(postings: Postings, of: FieldLengths): [number, number][] {
  const scoring = { lengths: of, units: 50, limit: 50, accept: null, isDeleted: () => false };
  return scoreWords([{ postings, times: 1 }], scoring).map(({ number, score }) => [number, score]);
}

describe("a word's score", () => {
  it("is that of BM25F: each field's count normed by its own length, the title's three times, then saturated", () => {
    const postings = postingsOf([1, 1, 0], [2, 0, 1], [3, 2, 4]);
    const found = new Map(scored(postings, lengths([5, 5, 10], [100, 50, 200])));
    const idf = Math.log((50 - 3 + 0.5) / 3.5);
    const of = (count: number): number => (idf * count * 2.2) / (count + 1.2);
    expect(found.get(1)).toBeCloseTo(of(3));
    expect(found.get(2)).toBeCloseTo(of(1 / (0.25 + 0.75 * 0.5)));
    expect(found.get(3)).toBeCloseTo(of(3 / (0.25 + 0.75 * 2) + 1 / (0.25 + 0.75 * 2)));
  });

  it("is more in a title than in a body, in a short title than in a long one, however long the other field is", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 1, max: 400 }), (one, other) => {
        const titles = new Map(
          scored(postingsOf([1, 1, 0], [2, 1, 0], [3, 0, 1]), lengths([3, 9, 3], [one, other, 100])),
        );
        expect(titles.get(1)!).toBeGreaterThan(titles.get(2)!);
        expect(titles.get(1)!).toBeGreaterThan(titles.get(3)!);
      }),
    );
  });
});

/** What each of the first two words' units earns for standing near one another. */
function earned(query: string, ...words: Postings[]): number[] {
  const units = planQuery(query)!;
  const bare = units.filter(({ kind }) => kind === "word");
  const pairs = neighboursOf(units, (unit) => words[bare.indexOf(unit)]);
  const numbers = [...words[0]!.numbers];
  const hits = numbers.map((number) => ({ number, score: 1 }));
  return withNeighbours(hits, pairs, 100).map(({ score }) => score - 1);
}

describe("the best of many units", () => {
  it("are those of the highest sums over all words, whatever is passed over to find them", () => {
    const random = createRandom(5);
    const units = 90_000;
    const bodies = Array.from({ length: units }, () => 20 + Math.floor(random() * 300));
    const titles = Array.from({ length: units }, () => Math.floor(random() * 9));
    const scoring = { lengths: lengths(titles, bodies), units, isDeleted: (at: number) => at % 7 === 0 };
    const drawn = (share: number): Postings => {
      const numbers = Array.from({ length: units }, (_, at) => at + 1).filter(() => random() < share);
      const inTitle = numbers.map((at) => (titles[at - 1]! > 0 && random() < 0.1 ? 1 : 0));
      return {
        numbers: Int32Array.from(numbers),
        titles: Uint8Array.from(inTitle),
        bodies: Uint16Array.from(inTitle, (title) => (title > 0 ? 0 : 1 + Math.floor(random() ** 3 * 6))),
        places: null,
      };
    };
    for (const shares of [[0.3, 0.001, 0.02], [0.45, 0.4], [0.0001, 0.2, 0.2, 0.0004], [0.01]]) {
      const asked = shares.map((share, at) => ({ postings: drawn(share), times: 1 + at }));
      const accept = { size: units / 2, has: (number: number) => number % 2 === 1 };
      for (const filter of [null, accept]) {
        const sums = new Map<number, number>();
        for (const one of asked)
          for (const { number, score } of scoreWords([one], { ...scoring, limit: units, accept: filter }))
            sums.set(number, (sums.get(number) ?? 0) + score);
        const wanted = [...sums.values()].toSorted((a, b) => b - a).slice(0, 100);
        const found = scoreWords(asked, { ...scoring, limit: 100, accept: filter });
        expect(new Set(found.map(({ number }) => number)).size).toBe(wanted.length);
        found.forEach(({ number, score }, at) => {
          expect(score).toBeCloseTo(wanted[at]!, 9);
          expect(score).toBeCloseTo(sums.get(number)!, 9);
        });
      }
    }
  });
});

describe("words that follow one another in the query", () => {
  it("earn most side by side and in order, less the farther they are, nothing in different fields or far apart", () => {
    const first = postingsOf([1, 0, 10], [2, 0, 10], [3, 0, 11], [4, 0, 10], [5, 3, 0], [6, 4, 50]);
    const second = postingsOf([1, 0, 11], [2, 0, 12], [3, 0, 10], [4, 0, 30], [5, 0, 4], [6, 5, 90]);
    const most = rarity(6, 100) / 2;
    const found = earned("rotate keys", first, second);
    const wanted = [most, most / 2, most / 2, 0, 0, most];
    for (const [at, value] of wanted.entries()) expect(found[at]).toBeCloseTo(value);
  });

  it("earn nothing as pairs of CJK characters, as one word said twice, or where no places are known", () => {
    const here = postingsOf([1, 0, 1]);
    const next = postingsOf([1, 0, 2]);
    expect(earned("请假流程", here, next, here)).toEqual([0]);
    expect(earned("keys keys", here, here)).toEqual([0]);
    expect(earned("rotate keys", here, { ...next, places: null })).toEqual([0]);
    expect(earned("rotate keys", here, next)[0]).toBeGreaterThan(0);
  });
});
