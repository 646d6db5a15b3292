import { indexFrom, startOfPlaces, type Postings } from "./postings.ts";

/** A word with its places; a phrase says its words one after another. */
type Words = readonly Postings[];

/** The places of one word in one field of one unit: those of `all` from `start` to before `end`. */
interface Field {
  all: Uint16Array;
  start: number;
  end: number;
}

const LAST_PLACE = 0xffff;

/** Where all words stand side by side in this order, in title or body, of the units behind a number. */
export function phraseOf(words: Words, after: number): Postings {
  const [numbers, titles, bodies]: [number[], number[], number[]] = [[], [], []];
  forEachMeeting(words, after, (number, fields) => {
    const inTitle = Math.min(0xff, timesOf(fields[0]));
    const inBody = Math.min(0xffff, timesOf(fields[1]));
    if (inTitle + inBody === 0) return true;
    numbers.push(number);
    titles.push(inTitle);
    bodies.push(inBody);
    return true;
  });
  return {
    numbers: Int32Array.from(numbers),
    titles: Uint8Array.from(titles),
    bodies: Uint16Array.from(bodies),
    places: null,
  };
}

/**
 * The units that hold all words in one field, in any order, with at most `between` others between the first and the last of
 * them; ascending. Null when they are more than `most`.
 */
export function closeUnits(words: Words, between: number, most: number): readonly number[] | null {
  const numbers: number[] = [];
  const complete = forEachMeeting(words, 0, (number, fields) => {
    if (fields.some((field) => areClose(field, between + 1))) numbers.push(number);
    return numbers.length <= most;
  });
  return complete ? numbers : null;
}

/** Calls for each unit that holds all words, with the words' places in its title and its body, until it answers false. */
function forEachMeeting(
  words: Words,
  after: number,
  visit: (number: number, fields: readonly [Field[], Field[]]) => boolean,
): boolean {
  const rarest = words.reduce((least, word) => (word.numbers.length < least.numbers.length ? word : least));
  const rows = words.map(() => 0);
  const titles = words.map(emptyField);
  const bodies = words.map(emptyField);
  for (let row = indexFrom(rarest.numbers, 0, after + 1); row < rarest.numbers.length; row++) {
    const number = rarest.numbers[row]!;
    let all = true;
    for (let at = 0; at < words.length && all; at++) {
      const { numbers } = words[at]!;
      rows[at] = indexFrom(numbers, rows[at]!, number);
      if (rows[at] === numbers.length) return true;
      all = numbers[rows[at]!] === number;
    }
    if (!all) continue;
    words.forEach((word, at) => setFields(word, rows[at]!, titles[at]!, bodies[at]!));
    if (!visit(number, [titles, bodies])) return false;
  }
  return true;
}

function emptyField(): Field {
  return { all: new Uint16Array(), start: 0, end: 0 };
}

function setFields(word: Postings, row: number, title: Field, body: Field): void {
  const places = word.places!;
  const start = startOfPlaces(word, places, row);
  const between = start + word.titles[row]!;
  title.all = body.all = places.all;
  title.start = start;
  title.end = body.start = between;
  body.end = between + word.bodies[row]!;
}

/** How often the words stand side by side in this order. */
function timesOf(words: readonly Field[]): number {
  let rarest = 0;
  words.forEach(({ start, end }, at) => {
    if (end - start < words[rarest]!.end - words[rarest]!.start) rarest = at;
  });
  const { all, start, end } = words[rarest]!;
  let times = 0;
  for (let at = start; at < end; at++) {
    const first = all[at]! - rarest;
    // Beyond the last place that is told apart nothing is known to stand beside another.
    if (
      first > 0 &&
      first + words.length <= LAST_PLACE &&
      words.every((word, behind) => stands(word, first + behind))
    )
      times++;
  }
  return times;
}

function stands({ all, start, end }: Field, place: number): boolean {
  let [low, high] = [start, end];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (all[middle]! < place) low = middle + 1;
    else high = middle;
  }
  return low < end && all[low] === place;
}

/** Whether all words stand within so many places of the last of them. */
function areClose(words: readonly Field[], farthest: number): boolean {
  if (words.some(({ start, end }) => start === end)) return false;
  const at = words.map(({ start }) => start);
  for (;;) {
    const last = words.reduce((most, { all }, word) => Math.max(most, all[at[word]!]!), 0);
    let isClose = true;
    for (const [word, { all, end }] of words.entries()) {
      while (all[at[word]!]! < last - farthest) {
        isClose = false;
        at[word]!++;
        if (at[word] === end) return false;
      }
    }
    if (isClose) return true;
  }
}
