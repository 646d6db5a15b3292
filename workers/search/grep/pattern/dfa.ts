import { LINE_END_LETTER, type Alphabet } from "./alphabet.ts";
import type { Program } from "./program.ts";
import { createStateTable, DEAD, MATCHED, UNKNOWN, type StateTable } from "./state-table.ts";

/** Characters that are read between two looks at the clock: some hundred microseconds. */
const CHARS_A_TURN = 1 << 16;
/** Steps that are followed for new states between two looks: each state may follow all of a program's. */
const STEPS_A_TURN = 50_000;

/**
 * Runs a program over a text in time linear in its length: all ways through the pattern are followed at once, and each set
 * of ways that is met becomes a state, which is made once and kept. Runs are cut into turns, so that no text and no pattern
 * holds the thread; one run is under way at a time.
 */
export interface Dfa {
  /** Begins a run between two places of a text; the characters around them are looked at, and lines end at \n. */
  begin(text: string, from: number, to: number): void;
  /** Goes on; false when a turn is over and there is more to do. With `earliest` the first place will do. */
  advance(earliest: boolean): boolean;
  /** Where the match ends, in the direction of reading; -1 for none. */
  readonly place: number;
}

interface DfaOptions {
  readonly program: Program;
  readonly alphabet: Alphabet;
}

/** Reads forwards and finds where the leftmost match ends; of several from the same place, the one Perl would prefer. */
export function createForwardDfa({ program, alphabet }: DfaOptions): Dfa {
  const table = createStateTable(program, alphabet, { seeks: true, longest: false });
  return new Run(table, alphabet, statesATurn(program), false);
}

/** Reads backwards from a match's end and finds the leftmost place where one begins. */
export function createBackwardDfa({ program, alphabet }: DfaOptions): Dfa {
  const table = createStateTable(program, alphabet, { seeks: false, longest: true });
  return new Run(table, alphabet, statesATurn(program), true);
}

function statesATurn({ steps }: Program): number {
  return Math.ceil(STEPS_A_TURN / steps.length);
}

class Run implements Dfa {
  place = -1;
  readonly #table: StateTable;
  readonly #alphabet: Alphabet;
  readonly #statesATurn: number;
  readonly #backwards: boolean;
  #text = "";
  #at = 0;
  #to = 0;
  #state = 0;

  constructor(table: StateTable, alphabet: Alphabet, states: number, backwards: boolean) {
    this.#table = table;
    this.#alphabet = alphabet;
    this.#statesATurn = states;
    this.#backwards = backwards;
  }

  begin(text: string, from: number, to: number): void {
    this.place = -1;
    this.#text = text;
    this.#at = from;
    this.#to = to;
    this.#state = this.#table.initial(this.#backwards ? this.#letterAfter(from) : this.#letterBefore(from));
  }

  advance(earliest: boolean): boolean {
    const done = this.#backwards ? this.#readBackwards() : this.#readForwards(earliest);
    if (done !== "end") return done;
    const next = this.#backwards ? this.#letterBefore(this.#to) : this.#letterAfter(this.#to);
    const last = this.#table.step(this.#state, next);
    if (last !== DEAD && (last & MATCHED) !== 0) this.place = this.#to;
    return true;
  }

  /** "end": all was read, and what stands behind it decides. */
  #readForwards(earliest: boolean): boolean | "end" {
    const table = this.#table;
    const text = this.#text;
    const { letterOfUnit } = this.#alphabet;
    const stop = Math.min(this.#to, this.#at + CHARS_A_TURN);
    let { transitions } = table;
    let at = this.#at;
    let state = this.#state;
    let made = 0;
    while (at < stop) {
      const unit = text.charCodeAt(at);
      const wide = (unit & 0xfc00) === 0xd800;
      const letter = wide ? this.#letterAfter(at) : letterOfUnit[unit]!;
      let next = transitions[state + letter]!;
      if (next >= MATCHED) {
        if (next === UNKNOWN) {
          next = table.step(state, letter);
          ({ transitions } = table);
          made++;
        }
        if (next === DEAD) return true;
        if ((next & MATCHED) !== 0) {
          this.place = at;
          if (earliest) return true;
          next &= ~MATCHED;
        }
      }
      state = next;
      at += wide ? 2 : 1;
      if (made > this.#statesATurn) break;
    }
    this.#state = state;
    this.#at = at;
    return at >= this.#to ? "end" : false;
  }

  #readBackwards(): boolean | "end" {
    const table = this.#table;
    const stop = Math.max(this.#to, this.#at - CHARS_A_TURN);
    let at = this.#at;
    for (let made = 0; at > stop && made <= this.#statesATurn;) {
      const unit = this.#text.charCodeAt(at - 1);
      const letter = this.#letterBefore(at);
      let next = table.transitions[this.#state + letter]!;
      if (next === UNKNOWN) {
        next = table.step(this.#state, letter);
        made++;
      }
      if (next === DEAD) return true;
      if ((next & MATCHED) !== 0) this.place = at;
      this.#state = next & ~MATCHED;
      at -= (unit & 0xfc00) === 0xdc00 ? 2 : 1;
    }
    this.#at = at;
    return at <= this.#to ? "end" : false;
  }

  #letterAfter(at: number): number {
    if (at >= this.#text.length) return LINE_END_LETTER;
    return this.#alphabet.letterOf(this.#text.codePointAt(at)!);
  }

  #letterBefore(at: number): number {
    if (at <= 0) return LINE_END_LETTER;
    const isPair = (this.#text.charCodeAt(at - 1) & 0xfc00) === 0xdc00 && at > 1;
    return this.#alphabet.letterOf(this.#text.codePointAt(isPair ? at - 2 : at - 1)!);
  }
}
