import { LAST_PLACE, readPlaces } from "./places.ts";
import { indexFrom, type Postings } from "./postings.ts";

/** A word with its places; a phrase says its words one after another. */
type Words = readonly Postings[];

/** The places of one word in one field of one unit: those of `all` from `start` to before `end`. */
interface Field {
  all: Uint16Array;
  start: number;
  end: number;
  /** The one that is looked at. */
  at: number;
}

/** Room for the places of a word in one unit at first. */
const PLACES = 64;

/** The units that hold all of some words. */
export interface Meeting {
  readonly words: Words;
  /** Ascending. */
  readonly numbers: readonly number[];
  /** Of each unit its rows in the words' postings, in the order of the words. */
  readonly rows: readonly number[];
}

/** Of the units behind a number. The rarest word leads, in the others is looked up. */
export function meet(words: Words, after: number): Meeting {
  const rarest = words.reduce((least, word) => (word.numbers.length < least.numbers.length ? word : least));
  const numbers: number[] = [];
  const rows: number[] = [];
  const at = words.map(() => 0);
  for (let row = indexFrom(rarest.numbers, 0, after + 1); row < rarest.numbers.length; row++) {
    const number = rarest.numbers[row]!;
    let all = true;
    for (let word = 0; word < words.length && all; word++) {
      const { numbers: others } = words[word]!;
      at[word] = indexFrom(others, at[word]!, number);
      if (at[word] === others.length) return { words, numbers, rows };
      all = others[at[word]!] === number;
    }
    if (!all) continue;
    numbers.push(number);
    rows.push(...at);
  }
  return { words, numbers, rows };
}

/**
 * Where all words stand one behind the other, in title or body; `offsets` tells how far behind the first place of the phrase
 * each stands, one after another by default.
 */
export function phraseOf(meeting: Meeting, offsets?: readonly number[]): Postings {
  const behind = offsets ?? meeting.words.map((_, at) => at);
  const [numbers, titles, bodies]: [number[], number[], number[]] = [[], [], []];
  forEachUnit(meeting, (number, title, body) => {
    const inTitle = Math.min(0xff, timesOf(title, behind));
    const inBody = Math.min(0xffff, timesOf(body, behind));
    if (inTitle + inBody === 0) return;
    numbers.push(number);
    titles.push(inTitle);
    bodies.push(inBody);
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
 * them; ascending.
 */
export function closeUnits(meeting: Meeting, between: number): readonly number[] {
  const numbers: number[] = [];
  forEachUnit(meeting, (number, title, body) => {
    if (areClose(title, between + 1) || areClose(body, between + 1)) numbers.push(number);
  });
  return numbers;
}

/** Calls for each unit, with the words' places in its title and its body. */
function forEachUnit(
  { words, numbers, rows }: Meeting,
  visit: (number: number, title: readonly Field[], body: readonly Field[]) => void,
): void {
  const titles = words.map(emptyField);
  const bodies = words.map(emptyField);
  let at = 0;
  for (const number of numbers) {
    for (let word = 0; word < words.length; word++)
      setFields(words[word]!, rows[at++]!, titles[word]!, bodies[word]!);
    visit(number, titles, bodies);
  }
}

function emptyField(): Field {
  return { all: new Uint16Array(PLACES), start: 0, end: 0, at: 0 };
}

function setFields(word: Postings, row: number, title: Field, body: Field): void {
  const inTitle = word.titles[row]!;
  const all = inTitle + word.bodies[row]!;
  if (title.all.length < all) title.all = new Uint16Array(2 * all);
  readPlaces(word, word.places!, row, title.all);
  body.all = title.all;
  title.end = body.start = inTitle;
  body.end = all;
}

/** How often the words stand so far behind one another. */
function timesOf(words: readonly Field[], offsets: readonly number[]): number {
  let rarest = 0;
  let least = Infinity;
  for (let word = 0; word < words.length; word++) {
    const { start, end } = words[word]!;
    if (end - start < least) [rarest, least] = [word, end - start];
  }
  const { all, start, end } = words[rarest]!;
  let times = 0;
  for (let at = start; at < end; at++) {
    const first = all[at]! - offsets[rarest]!;
    // Beyond the last place that is told apart nothing is known to stand beside another.
    const isTold = first > 0 && first + offsets.at(-1)! < LAST_PLACE;
    if (isTold && standBehind(words, offsets, first)) times++;
  }
  return times;
}

function standBehind(words: readonly Field[], offsets: readonly number[], first: number): boolean {
  for (let word = 0; word < words.length; word++)
    if (!stands(words[word]!, first + offsets[word]!)) return false;
  return true;
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
  for (const word of words) {
    if (word.start === word.end) return false;
    word.at = word.start;
  }
  for (;;) {
    let last = 0;
    for (const { all, at } of words) if (all[at]! > last) last = all[at]!;
    let isClose = true;
    for (const word of words) {
      while (word.all[word.at]! < last - farthest) {
        isClose = false;
        word.at++;
        if (word.at === word.end) return false;
      }
    }
    if (isClose) return true;
  }
}
