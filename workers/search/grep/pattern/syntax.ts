import { TaskError } from "../../../host-loop.ts";
import type { CharSet } from "./char-set.ts";

/**
 * A place between two characters. wordStart: no word character before it; wordEnd: none behind it. These two are what
 * whole words are bounded by, while a boundary lies between a word character and another.
 */
export type Look = "lineStart" | "lineEnd" | "boundary" | "noBoundary" | "wordStart" | "wordEnd";

/** A pattern, read. A set is one code point; case is already folded into it. */
export type Node =
  | { readonly kind: "set"; readonly set: CharSet }
  | { readonly kind: "look"; readonly look: Look }
  | { readonly kind: "concat" | "alternate"; readonly nodes: readonly Node[] }
  | {
      readonly kind: "repeat";
      readonly node: Node;
      readonly min: number;
      readonly max: number;
      readonly greedy: boolean;
    };

export const EMPTY: Node = { kind: "concat", nodes: [] };

export function invalid(message: string): TaskError {
  return new TaskError("PATTERN_INVALID", message);
}
