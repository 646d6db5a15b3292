import type { CharSet } from "./char-set.ts";
import { invalid, type Look, type Node } from "./syntax.ts";

/** One step of a nondeterministic automaton; `next` and `other` are indices of steps, of which `next` is preferred. */
export type Step =
  | { readonly kind: "set"; readonly set: number; next: number }
  | { readonly kind: "look"; readonly look: Look; next: number }
  | { readonly kind: "split"; next: number; other: number }
  | { readonly kind: "match" };

export interface Program {
  readonly steps: readonly Step[];
  readonly start: number;
  /** The distinct sets; steps name them by number. */
  readonly sets: readonly CharSet[];
}

/** `\w{1000}` fits, `(\w{1000}){1000}` does not: the work for one character of a text may be as large as the program. */
const MAX_STEPS = 5_000;

/**
 * The automaton of a pattern that reads forwards, or backwards from a match's end to its beginning. Throws PATTERN_INVALID
 * when it would be too large.
 */
export function compileProgram(node: Node, direction: "forwards" | "backwards"): Program {
  const builder = new Builder(direction === "backwards");
  const match = builder.add({ kind: "match" });
  const start = builder.build(node, match);
  return { steps: builder.steps, start, sets: builder.sets };
}

/** Built from the end to the beginning: each step is made when what follows it is known. */
class Builder {
  readonly steps: Step[] = [];
  readonly sets: CharSet[] = [];
  readonly #setNumbers = new Map<string, number>();
  readonly #backwards: boolean;

  constructor(backwards: boolean) {
    this.#backwards = backwards;
  }

  add(step: Step): number {
    if (this.steps.length >= MAX_STEPS)
      throw invalid("the pattern is too large once its counts are written out");
    return this.steps.push(step) - 1;
  }

  /** The step at which `node` begins when it is followed by `next`. */
  build(node: Node, next: number): number {
    switch (node.kind) {
      case "set":
        return this.add({ kind: "set", set: this.#setNumber(node.set), next });
      case "look":
        return this.add({ kind: "look", look: this.#backwards ? REVERSED[node.look] : node.look, next });
      case "concat":
        return this.#concat(node.nodes, next);
      case "alternate":
        return this.#alternate(node.nodes, next);
      case "repeat":
      default:
        return this.#repeat(node, next);
    }
  }

  #concat(nodes: readonly Node[], next: number): number {
    const ordered = this.#backwards ? nodes : nodes.toReversed();
    return ordered.reduce((following, node) => this.build(node, following), next);
  }

  #alternate(nodes: readonly Node[], next: number): number {
    const starts = nodes.map((node) => this.build(node, next));
    return starts.reduceRight((other, start) => this.add({ kind: "split", next: start, other }));
  }

  #repeat({ node, min, max, greedy }: Node & { kind: "repeat" }, next: number): number {
    let start = next;
    if (max === Infinity) {
      const loop: Step & { kind: "split" } = { kind: "split", next: -1, other: -1 };
      const at = this.add(loop);
      const body = this.build(node, at);
      [loop.next, loop.other] = greedy ? [body, next] : [next, body];
      start = at;
    } else {
      for (let count = min; count < max; count++) {
        const body = this.build(node, start);
        const [preferred, other] = greedy ? [body, next] : [next, body];
        start = this.add({ kind: "split", next: preferred, other });
      }
    }
    for (let count = 0; count < min; count++) {
      const before = this.steps.length;
      start = this.build(node, start);
      // What takes no step is the same however often: nested counts of it would be gone through a trillion times.
      if (this.steps.length === before) break;
    }
    return start;
  }

  #setNumber(set: CharSet): number {
    const key = set.join();
    let number = this.#setNumbers.get(key);
    if (number === undefined) {
      number = this.sets.push(set) - 1;
      this.#setNumbers.set(key, number);
    }
    return number;
  }
}

const REVERSED: Readonly<Record<Look, Look>> = {
  lineStart: "lineEnd",
  lineEnd: "lineStart",
  boundary: "boundary",
  noBoundary: "noBoundary",
  wordStart: "wordEnd",
  wordEnd: "wordStart",
};
