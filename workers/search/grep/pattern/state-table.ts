import { LINE_END_LETTER, type Alphabet } from "./alphabet.ts";
import type { Program, Step } from "./program.ts";
import type { Look } from "./syntax.ts";

/** Of a transition that was not needed yet. */
export const UNKNOWN = 0x7fffffff;
/** No way through the pattern is left. */
export const DEAD = 0x7ffffffe;
/** Set in a transition when a match ended before the letter that was read. */
export const MATCHED = 0x40000000;

/** Entries of transitions and of states' ways that are kept, at four bytes each; then all is begun anew. */
const MAX_ENTRIES = 1 << 20;

/** The states that were met so far, by their place in the table of transitions. */
export interface StateTable {
  /** By state + letter: the next state, MATCHED set in it or not, or one of the words above. Replaced when it grows. */
  readonly transitions: Int32Array;
  /** The state before anything was read, behind this letter. */
  initial(behind: number): number;
  /** The transition from a state by a letter; made when it was unknown. Other states may be forgotten by it. */
  step(state: number, letter: number): number;
}

interface StateTableOptions {
  /** A match may begin anywhere, until one has been found. */
  readonly seeks: boolean;
  /** All matches from the beginning are followed, not only the preferred one. */
  readonly longest: boolean;
}

interface State {
  /** Steps that wait for a letter or for what stands behind them, the preferred first. */
  readonly ways: readonly number[];
  readonly seeking: boolean;
  /** Of the letter that was read last: all that look-behind asks. */
  readonly behind: number;
}

export function createStateTable(
  program: Program,
  alphabet: Alphabet,
  options: StateTableOptions,
): StateTable {
  return new LazyStateTable(program, alphabet, options);
}

class LazyStateTable implements StateTable {
  transitions: Int32Array;
  readonly #program: Program;
  readonly #alphabet: Alphabet;
  readonly #options: StateTableOptions;
  #states: State[] = [];
  readonly #places = new Map<string, number>();
  #ways = 0;
  /** By step: the round in which it was followed, and in which it was taken into the next state. */
  readonly #followed: Uint32Array;
  readonly #taken: Uint32Array;
  #round = 0;

  constructor(program: Program, alphabet: Alphabet, options: StateTableOptions) {
    this.#program = program;
    this.#alphabet = alphabet;
    this.#options = options;
    this.transitions = new Int32Array(16 * alphabet.size).fill(UNKNOWN);
    this.#followed = new Uint32Array(program.steps.length);
    this.#taken = new Uint32Array(program.steps.length);
  }

  initial(behind: number): number {
    return this.#placeOf([this.#program.start], this.#options.seeks, behind);
  }

  step(place: number, letter: number): number {
    const known = this.transitions[place + letter]!;
    if (known !== UNKNOWN) return known;
    const state = this.#states[place / this.#alphabet.size]!;
    const { ways, matched } = this.#read(state, letter);
    const seeking = state.seeking && !matched;
    if (seeking && this.#taken[this.#program.start] !== this.#round) ways.push(this.#program.start);
    if (ways.length === 0 && !matched) return (this.transitions[place + letter] = DEAD);
    const before = this.#states;
    const next = this.#placeOf(ways, seeking, letter) | (matched ? MATCHED : 0);
    // Where all was begun anew, the state that this came from has gone.
    if (before === this.#states) this.transitions[place + letter] = next;
    return next;
  }

  /** Follows all ways of a state over one letter, the preferred first; what comes after a match is not preferred. */
  #read(state: State, letter: number): { ways: number[]; matched: boolean } {
    const { steps } = this.#program;
    const round = ++this.#round;
    const ways: number[] = [];
    let matched = false;
    for (const way of state.ways) {
      const open = [way];
      for (let at = open.pop(); at !== undefined; at = open.pop()) {
        if (this.#followed[at] === round) continue;
        this.#followed[at] = round;
        const step: Step = steps[at]!;
        if (step.kind === "split") open.push(step.other, step.next);
        else if (step.kind === "look") {
          if (this.#holds(step.look, state.behind, letter)) open.push(step.next);
        } else if (step.kind === "match") {
          matched = true;
          if (!this.#options.longest) return { ways, matched };
        } else if (this.#alphabet.members[step.set]![letter] === 1 && this.#taken[step.next] !== round) {
          this.#taken[step.next] = round;
          ways.push(step.next);
        }
      }
    }
    return { ways, matched };
  }

  #holds(look: Look, behind: number, ahead: number): boolean {
    const { isWord } = this.#alphabet;
    switch (look) {
      case "lineStart":
        return behind === LINE_END_LETTER;
      case "lineEnd":
        return ahead === LINE_END_LETTER;
      case "boundary":
        return isWord[behind] !== isWord[ahead];
      case "noBoundary":
        return isWord[behind] === isWord[ahead];
      case "wordStart":
        return isWord[behind] === 0;
      case "wordEnd":
      default:
        return isWord[ahead] === 0;
    }
  }

  #placeOf(ways: readonly number[], seeking: boolean, letter: number): number {
    const behind = this.#representative(letter);
    const key = String.fromCharCode(seeking ? 1 : 0, behind, ...ways);
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    const { size } = this.#alphabet;
    if ((this.#states.length + 1) * size + this.#ways + ways.length > MAX_ENTRIES) this.#forget();
    const place = this.#states.length * size;
    if (place + size > this.transitions.length) this.#grow();
    this.#states.push({ ways, seeking, behind });
    this.#places.set(key, place);
    this.#ways += ways.length;
    return place;
  }

  /** States differ by what was read last only where a look-behind may tell: at a line's end or a word character. */
  #representative(letter: number): number {
    if (letter === LINE_END_LETTER) return letter;
    const { isWord } = this.#alphabet;
    return isWord.indexOf(isWord[letter]!, 1);
  }

  #forget(): void {
    this.#states = [];
    this.#places.clear();
    this.#ways = 0;
    this.transitions.fill(UNKNOWN);
  }

  #grow(): void {
    const grown = new Int32Array(2 * this.transitions.length).fill(UNKNOWN);
    grown.set(this.transitions);
    this.transitions = grown;
  }
}
