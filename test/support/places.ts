import { readPlaces } from "../../workers/search/postings/places.ts";
import type { Postings } from "../../workers/search/postings/postings.ts";

/** Of each unit the places of a word in its title and in its body, from 1. */
export type PlacesByNumber = Map<number, [title: number[], body: number[]]>;

export function placesIn(postings: Postings | null): PlacesByNumber {
  const told: PlacesByNumber = new Map();
  const places = postings?.places;
  if (!places) return told;
  postings.numbers.forEach((number, row) => {
    const inTitle = postings.titles[row]!;
    const all = new Uint16Array(inTitle + postings.bodies[row]!);
    readPlaces(postings, places, row, all);
    told.set(number, [Array.from(all.subarray(0, inTitle)), Array.from(all.subarray(inTitle))]);
  });
  return told;
}
