import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createKept } from "../../workers/search/postings/kept-postings.ts";
import { PostingList } from "../../workers/search/postings/posting-list.ts";
import type { Postings } from "../../workers/search/postings/postings.ts";
import { placesIn } from "../support/places.ts";

/** A word stands in each unit whose number its own divides; it says so as often as its number has digits. */
function standing(word: number, after: number, newest: number): Postings {
  const list = new PostingList();
  for (let number = after + word - (after % word); number <= newest; number += word)
    for (let at = 1; at <= String(number).length; at++) list.addPlace(number, at === 1, word * at);
  return list.postings();
}

function text(postings: Postings): string {
  const { titles, bodies } = postings;
  return JSON.stringify([[...placesIn(postings)], [...titles], [...bodies]]);
}

describe("kept postings", () => {
  it("are those of their word as long as the snapshot lasts, whatever memory they are in, within bounds", () => {
    expect.hasAssertions();
    const query = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(
        fc.array(query, { minLength: 5, maxLength: 60 }),
        fc.integer({ min: 3_000, max: 40_000 }),
        (queries, most) => {
          let snapshot = 0;
          let newest = 100;
          const kept = createKept(most, () => snapshot);
          for (const words of queries) {
            snapshot++;
            newest += snapshot % 3 === 0 ? snapshot % 40 : 0;
            const of = (word: number): Postings =>
              kept.grown(String(word), newest, (after) => {
                // Some are read out of two others, as phrases are.
                if (word > 50) for (const part of [word - 50, word - 49]) of(part);
                return standing(word, after, newest);
              });
            const found = words.map(of);
            expect(kept.bytes()).toBeLessThanOrEqual(most);
            const wanted = words.map((word) => text(standing(word, 0, newest)));
            expect(found.map(text)).toEqual(wanted);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it("stay when they are asked for again and again, while others come and go in the memory of what is gone", () => {
    let snapshot = 0;
    let read = 0;
    const kept = createKept(40_000, () => snapshot);
    const of = (word: number): Postings =>
      kept.grown(String(word), 500, (after) => {
        read++;
        return standing(word, after, 500);
      });
    const memory = new Set<ArrayBufferLike>();
    for (let word = 2; word < 400; word++) {
      snapshot++;
      of(1);
      memory.add(of(word).numbers.buffer);
    }
    // The first was read once, or once more where it stood behind the half of a piece of memory.
    expect(read).toBeLessThan(398 + 20);
    expect(memory.size).toBeLessThan(40);
    expect(text(of(1))).toBe(text(standing(1, 0, 500)));
  });

  it("of a word that needs more than all may are kept alone, and are gone when they are forgotten", () => {
    const kept = createKept(2_000, () => 1);
    const of = (word: number) => kept.grown(String(word), 900, (after) => standing(word, after, 900));
    for (const word of [40, 1, 50]) expect(text(of(word))).toBe(text(standing(word, 0, 900)));
    kept.clear();
    expect(kept.bytes()).toBe(0);
    expect(text(of(50))).toBe(text(standing(50, 0, 900)));
  });
});
