import { charSet, complement, MAX_CODE_POINT, type CharSet } from "./char-set.ts";
import type { PatternReader } from "./pattern-reader.ts";
import { invalid } from "./syntax.ts";
import { DIGIT, foldCase, SPACE, unicodeSet, WORD } from "./unicode-sets.ts";

/** What stands behind a backslash: a character, or a class of them. */
export type Escaped = { readonly point: string } | { readonly set: CharSet };

const CONTROLS: Readonly<Record<string, string>> = {
  a: "\u0007",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};
const CLASSES: Readonly<Record<string, string>> = { d: DIGIT, s: SPACE, w: WORD };
/** Hexadecimal digits of \x, \u and \U without braces. */
const HEX_DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** Reads on behind the backslash. Case is folded before a class is negated. Throws PATTERN_INVALID for what is no escape. */
export function parseEscape(reader: PatternReader, ignoreCase: boolean): Escaped {
  const letter = reader.next();
  const source = CLASSES[letter.toLowerCase()];
  if (source !== undefined) {
    // These hold all cases of each character that they hold.
    const set = unicodeSet(source);
    return { set: reader.counted(letter === letter.toLowerCase() ? set : complement(set)) };
  }
  if (letter === "p" || letter === "P") {
    const { set, negated } = property(reader);
    const folded = ignoreCase ? foldCase(set) : set;
    return { set: reader.counted(negated === (letter === "P") ? folded : complement(folded)) };
  }
  if (letter in HEX_DIGITS) return { point: hexadecimal(reader, letter) };
  const control = CONTROLS[letter];
  if (control !== undefined) return { point: control };
  if (/^[1-9]$/.test(letter)) throw invalid(`back-references such as \\${letter} are not taken`);
  if (/^[\0-\x7f]$/.test(letter) && /^[^\p{L}\p{N}<>]$/u.test(letter)) return { point: letter };
  throw invalid(`\\${letter} has no meaning`);
}

function hexadecimal(reader: PatternReader, letter: string): string {
  const braced = reader.take("{");
  const digits = braced
    ? reader.until("}", `\\${letter}{`)
    : Array.from({ length: HEX_DIGITS[letter]! }, () => reader.next()).join("");
  const point = /^[0-9a-fA-F]{1,8}$/.test(digits) ? Number.parseInt(digits, 16) : NaN;
  if (!(point <= MAX_CODE_POINT) || (point >= 0xd800 && point <= 0xdfff))
    throw invalid(`\\${letter} needs the hexadecimal number of a character, not ${JSON.stringify(digits)}`);
  return String.fromCodePoint(point);
}

/** `L`, `{Greek}`, `{sc=Greek}`, `{^L}`: names in any case, with spaces or dashes for _, as Unicode wants them compared. */
function property(reader: PatternReader): { set: CharSet; negated: boolean } {
  const whole = reader.take("{") ? reader.until("}", "\\p{") : reader.next();
  const negated = whole.startsWith("^");
  const [left = "", right] = (negated ? whole.slice(1) : whole).split(/[=:]/);
  const name = canonical(right ?? left);
  if (right === undefined && name === "Any") return { set: charSet([[0, MAX_CODE_POINT]]), negated };
  const kinds: Readonly<Record<string, string>> = {
    Gc: "gc=",
    General_Category: "gc=",
    Sc: "sc=",
    Script: "sc=",
    Scx: "scx=",
    Script_Extensions: "scx=",
  };
  const kind = right === undefined ? undefined : kinds[canonical(left)];
  const prefixes = right === undefined ? ["", "gc=", "sc="] : kind === undefined ? [] : [kind];
  for (const prefix of prefixes) {
    for (const spelled of [right ?? left, name, name.toUpperCase()]) {
      const set = tryProperty(`${prefix}${spelled}`);
      if (set) return { set, negated };
    }
  }
  throw invalid(`there is no Unicode property ${JSON.stringify(whole)}`);
}

function canonical(name: string): string {
  return name
    .trim()
    .split(/[ _-]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase())
    .join("_");
}

function tryProperty(spelled: string): CharSet | null {
  if (!/^[A-Za-z0-9_=]+$/.test(spelled)) return null;
  try {
    return unicodeSet(`\\p{${spelled}}`);
  } catch (error) {
    // That it is no name is what the engine says with a SyntaxError; the caller has more names to try.
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
