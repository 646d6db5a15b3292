import { startOfPlaces, type Postings } from "../../workers/search/postings/postings.ts";

/** Of each unit the places of a word in its title and in its body, from 1. */
export type PlacesByNumber = Map<number, [title: number[], body: number[]]>;

export function placesIn(postings: Postings | null): PlacesByNumber {
  const places: PlacesByNumber = new Map();
  const known = postings?.places;
  if (!known) return places;
  postings.numbers.forEach((number, row) => {
    const start = startOfPlaces(postings, known, row);
    const between = start + postings.titles[row]!;
    const end = between + postings.bodies[row]!;
    places.set(number, [
      Array.from(known.all.subarray(start, between)),
      Array.from(known.all.subarray(between, end)),
    ]);
  });
  return places;
}
