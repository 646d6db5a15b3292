import {
  charSet,
  complement,
  difference,
  intersection,
  symmetricDifference,
  union,
  type CharSet,
} from "./char-set.ts";
import { parseEscape } from "./parse-escape.ts";
import type { PatternReader } from "./pattern-reader.ts";
import { invalid } from "./syntax.ts";
import { foldCase } from "./unicode-sets.ts";

/** Classes within classes. */
const MAX_DEPTH = 50;

/** The ASCII classes of POSIX, as `[:name:]` within brackets. */
const POSIX: Readonly<Record<string, CharSet>> = {
  alnum: ascii("09", "AZ", "az"),
  alpha: ascii("AZ", "az"),
  ascii: [0, 0x7f],
  blank: ascii("\t\t", "  "),
  cntrl: charSet([
    [0, 0x1f],
    [0x7f, 0x7f],
  ]),
  digit: ascii("09"),
  graph: ascii("!~"),
  lower: ascii("az"),
  print: ascii(" ~"),
  punct: ascii("!/", ":@", "[`", "{~"),
  space: ascii("\t\r", "  "),
  upper: ascii("AZ"),
  word: ascii("09", "AZ", "__", "az"),
  xdigit: ascii("09", "AF", "af"),
};

const OPERATORS = {
  "&&": intersection,
  "--": difference,
  "~~": symmetricDifference,
} as const;

/** Reads on behind the opening bracket, to the closing one. Case is folded before a class is negated. */
export function parseClass(reader: PatternReader, ignoreCase: boolean, depth = 0): CharSet {
  if (depth > MAX_DEPTH) throw invalid("the pattern is nested too deep");
  const negated = reader.take("^");
  const fold = (set: CharSet) => (ignoreCase ? foldCase(set) : set);
  let left: CharSet | null = null;
  let combine: (a: CharSet, b: CharSet) => CharSet = union;
  let items: CharSet[] = [];
  const combined = () => {
    const right = fold(union(...items));
    return left === null ? right : combine(left, right);
  };
  // Dashes at the beginning stand for themselves, and without them so does a closing bracket.
  while (reader.take("-")) items.push([0x2d, reader.literal("-")]);
  for (let first = items.length === 0; ; first = false) {
    if (reader.done) throw invalid("a character class is not closed: ] is missing");
    if (!first && reader.take("]")) break;
    const operator = operatorAt(reader);
    if (operator) {
      left = combined();
      combine = OPERATORS[operator];
      items = [];
    } else items.push(parseItem(reader, ignoreCase, depth));
  }
  return reader.counted(negated ? complement(combined()) : combined());
}

function operatorAt(reader: PatternReader): keyof typeof OPERATORS | null {
  for (const operator of ["&&", "--", "~~"] as const) if (reader.take(operator)) return operator;
  return null;
}

function parseItem(reader: PatternReader, ignoreCase: boolean, depth: number): CharSet {
  if (reader.take("[:")) return posix(reader, ignoreCase);
  if (reader.take("[")) return parseClass(reader, ignoreCase, depth + 1);
  const low = parseEnd(reader, ignoreCase);
  if (typeof low !== "number") return low;
  const isRange = reader.peek() === "-" && reader.peek(1) !== "]" && reader.peek(1) !== "-";
  if (!isRange || reader.peek(1) === "") return [low, low];
  reader.next();
  const high = parseEnd(reader, ignoreCase);
  if (typeof high !== "number") throw invalid("a range ends in a class of characters");
  if (high < low) throw invalid("a range ends before it begins");
  return [low, high];
}

/** A character, or what stands for several. The line's end may be named here, and is then left out like everywhere. */
function parseEnd(reader: PatternReader, ignoreCase: boolean): number | CharSet {
  const point = reader.next();
  if (point !== "\\") return named(reader, point);
  const escaped = parseEscape(reader, ignoreCase);
  return "set" in escaped ? escaped.set : named(reader, escaped.point);
}

function named(reader: PatternReader, point: string): number {
  return point === "\n" ? 0x0a : reader.literal(point);
}

function posix(reader: PatternReader, ignoreCase: boolean): CharSet {
  const name = reader.until(":]", "[:");
  const negated = name.startsWith("^");
  const plain = negated ? name.slice(1) : name;
  const set = Object.hasOwn(POSIX, plain) ? POSIX[plain]! : null;
  if (set === null) throw invalid(`there is no class [:${name}:]`);
  const folded = ignoreCase ? foldCase(set) : set;
  return negated ? complement(folded) : folded;
}

function ascii(...ranges: readonly string[]): CharSet {
  return charSet(ranges.map((range) => [range.charCodeAt(0), range.charCodeAt(1)]));
}
