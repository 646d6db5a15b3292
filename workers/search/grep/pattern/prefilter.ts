import { rangesOf, type CharSet } from "./char-set.ts";
import type { Node } from "./syntax.ts";

/**
 * What every match holds, as an expression without repetitions: the engine's own matching takes it over a text ten times
 * as fast as states can, in time bounded by its length.
 */
export interface Prefilter {
  /** JavaScript's syntax, without the flag u. */
  readonly source: string;
  /** When it is one text and nothing else. */
  readonly literal: string | null;
  /** The pattern itself: what it finds are the matches. */
  readonly isPattern: boolean;
}

/** Bits of information in what is looked for. Below, so many lines have it that states alone are as fast. */
const MIN_BITS = 6;
/** Ways through it times its length: the steps at one place of a text at most. A megabyte is then looked through in 0.1 s. */
const MAX_COST = 128;
/** Ranges of a set that is still worth asking for. */
const MAX_RANGES = 8;

/** Something of bounded length that stands in every match. */
interface Piece {
  readonly source: string;
  readonly literal: string | null;
  readonly bits: number;
  readonly ways: number;
  readonly length: number;
  /** It says all that the node says. */
  readonly whole: boolean;
}

const NOTHING: Piece = { source: "", literal: "", bits: 0, ways: 1, length: 0, whole: true };

/** Null when no part of the pattern is rare enough to be looked for first. */
export function prefilterOf(node: Node): Prefilter | null {
  const fixed = fixedPiece(node);
  const best = fixed ?? bestPiece(node);
  if (best === null || best.source === "") return null;
  const { source, literal } = best;
  const isPattern = fixed !== null && fixed.whole;
  // One text is found as fast as states go, however frequent it is.
  if (best.bits < MIN_BITS && !(isPattern && literal !== null)) return null;
  return { source, literal, isPattern };
}

/** The node as one piece, when all that it matches is of bounded length; looks are left out. */
function fixedPiece(node: Node): Piece | null {
  switch (node.kind) {
    case "set":
      return setPiece(node.set);
    case "look":
      return { ...NOTHING, whole: false };
    case "concat": {
      const pieces = node.nodes.map(fixedPiece);
      return pieces.every((piece) => piece !== null) ? bounded(pieces.reduce(joined, NOTHING)) : null;
    }
    case "alternate": {
      const pieces = node.nodes.map(fixedPiece);
      return pieces.every((piece) => piece !== null) ? anyPiece(pieces) : null;
    }
    case "repeat":
    default: {
      if (node.min !== node.max || node.min === 0 || node.min > MAX_COST) return null;
      const piece = fixedPiece(node.node);
      return piece && bounded(Array.from({ length: node.min }, () => piece).reduce(joined, NOTHING));
    }
  }
}

/** The rarest piece that is sure to stand in every match. */
function bestPiece(node: Node): Piece | null {
  if (node.kind === "alternate") {
    const pieces = node.nodes.map((choice) => fixedPiece(choice) ?? bestPiece(choice));
    return pieces.every((piece) => piece !== null) ? anyPiece(pieces) : null;
  }
  let best: Piece | null = null;
  let run = NOTHING;
  const offer = (piece: Piece | null) => {
    if (piece && piece.bits > (best?.bits ?? 0)) best = piece;
  };
  const end = () => {
    offer(run);
    run = NOTHING;
  };
  for (const part of partsOf(node)) {
    const piece = fixedPiece(part);
    const longer = piece && bounded(joined(run, piece));
    if (longer) run = longer;
    else {
      end();
      if (piece) run = piece;
      else if (part.kind !== "repeat" || part.min > 0) offer(part === node ? null : bestPiece(part));
    }
  }
  end();
  return best && { ...(best as Piece), whole: false };
}

/** A node as parts that stand one after the other; of what is repeated the first and the last time are sure. */
function partsOf(node: Node): Node[] {
  if (node.kind === "concat") return node.nodes.flatMap(partsOf);
  if (node.kind !== "repeat" || node.min === 0 || node.min === node.max) return [node];
  const between: Node = { ...node, min: 0, max: Infinity };
  const once = partsOf(node.node);
  return [...once, between, ...once];
}

function setPiece(set: CharSet): Piece | null {
  if (set.length === 0 || set.length > 2 * MAX_RANGES) return null;
  const [low = 0, high = 0] = set;
  if (set.length === 2 && low === high) {
    const literal = String.fromCodePoint(low);
    return { source: escaped(literal), literal, bits: bitsOf(set), ways: 1, length: 1, whole: true };
  }
  // Without the flag u, a class holds units.
  if ((set.at(-1) ?? 0) > 0xffff) return null;
  const ranges = Array.from(rangesOf(set), ([from, to]) => `${unit(from)}-${unit(to)}`);
  return {
    source: `[${ranges.join("")}]`,
    literal: null,
    bits: bitsOf(set),
    ways: 1,
    length: 1,
    whole: true,
  };
}

function anyPiece(pieces: readonly Piece[]): Piece | null {
  return bounded({
    source: `(?:${pieces.map((piece) => piece.source).join("|")})`,
    literal: null,
    bits: Math.min(...pieces.map((piece) => piece.bits)) - Math.log2(pieces.length),
    ways: pieces.reduce((sum, piece) => sum + piece.ways, 0),
    length: Math.max(...pieces.map((piece) => piece.length)),
    whole: pieces.every((piece) => piece.whole),
  });
}

function joined(a: Piece, b: Piece): Piece {
  return {
    source: a.source + b.source,
    literal: a.literal === null || b.literal === null ? null : a.literal + b.literal,
    bits: a.bits + b.bits,
    ways: a.ways * b.ways,
    length: a.length + b.length,
    whole: a.whole && b.whole,
  };
}

function bounded(piece: Piece): Piece | null {
  return piece.ways * piece.length <= MAX_COST ? piece : null;
}

/** Of characters in prose and code, by how often they come: roughly, as only the order of pieces rests on it. */
const BITS_OF: readonly (readonly [characters: string, bits: number])[] = [
  [" ", 3],
  ["etaoinsr", 4],
  ["lhdcumpfg", 5],
  ["ybvwkxjqz0123456789.,-/_()\"'=:<>*`#", 6],
];
const OTHER_ASCII_BITS = 8;
const OTHER_BITS = 10;

/** Of one UTF-16 unit. */
export function bitsOfUnit(unit: number): number {
  if (unit > 0x7f) return OTHER_BITS;
  const character = String.fromCharCode(unit);
  return BITS_OF.find(([characters]) => characters.includes(character))?.[1] ?? OTHER_ASCII_BITS;
}

function bitsOf(set: CharSet): number {
  let share = 0;
  for (const [low, high] of rangesOf(set)) {
    for (let point = low; point <= Math.min(high, 0x7f); point++) share += 2 ** -bitsOfUnit(point);
    if (high > 0x7f) share += Math.min(0.25, (high - Math.max(low, 0x80) + 1) * 2 ** -OTHER_BITS);
  }
  return -Math.log2(Math.min(1, share));
}

function escaped(literal: string): string {
  return literal.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}

function unit(point: number): string {
  return `\\u${point.toString(16).padStart(4, "0")}`;
}
