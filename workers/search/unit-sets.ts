import type { QueryUnit } from "../words/query.ts";
import { countUpTo } from "./document-runs.ts";
import type { UnitSet } from "./hidden-units.ts";
import type { IndexReader } from "./index-reader.ts";
import type { PostingCache } from "./postings/posting-cache.ts";
import { expressionOf, type Tokenizer } from "./tokenizer.ts";

export interface SetDeps {
  readonly reader: IndexReader;
  readonly postings: PostingCache;
  readonly tokenizer: Tokenizer;
}

/** What a passage must hold, and what it must not. */
export interface Demands {
  readonly required: readonly QueryUnit[];
  readonly excluded: readonly QueryUnit[];
}

/**
 * Of a phrase whose words are all in more units than this, the units are not listed but asked one by one: listing them
 * takes a microsecond or two each, asking one fifty, and the lanes ask few, for so frequent a phrase is in most of them.
 */
const LISTED_MOST = 100_000;
/** A JavaScript number is bound as a real one, with which FTS5 takes any row. */
const HOLDS = "SELECT 1 FROM unit_words WHERE unit_words MATCH ? AND rowid = CAST(? AS INTEGER)";

/** `accept` without the units that break a demand; null takes any. Both lanes obey it. */
export function meeting(
  deps: SetDeps,
  demands: Demands,
  accept: UnitSet | null,
  listedMost = LISTED_MOST,
): UnitSet | null {
  const { required, excluded } = demands;
  if (required.length === 0 && excluded.length === 0) return accept;
  const all = deps.postings.lengths.units();
  const wanted = required.map((unit) => unitsHolding(deps, unit, listedMost));
  const unwanted = excludedSets(deps, excluded, listedMost);
  // What is told apart by the fewest units is asked first.
  wanted.sort((a, b) => a.size - b.size);
  return {
    size: Math.min(accept?.size ?? all, ...wanted.map((set) => set.size)),
    has: (number) =>
      accept?.has(number) !== false &&
      wanted.every((set) => set.has(number)) &&
      !unwanted.some((set) => set.has(number)),
  };
}

/** Single words are marked in one map of bytes, one a unit: there may be many of them, each in most units. */
function excludedSets(deps: SetDeps, excluded: readonly QueryUnit[], listedMost: number): UnitSet[] {
  const words = excluded.filter(({ tokens }) => tokens.length === 1);
  const phrases = excluded.filter(({ tokens }) => tokens.length > 1);
  const sets = phrases.map((unit) => unitsHolding(deps, unit, listedMost));
  if (words.length === 0) return sets;
  const { postings, tokenizer } = deps;
  const units = new Uint8Array(postings.lengths.newest() + 1);
  for (const unit of words) postings.mark(expressionOf(tokenizer, unit), units);
  return [{ size: units.length, has: (number) => units[number] === 1 }, ...sets];
}

/** The units that hold a word or a phrase, in their text or in what stands above it: title, headings, path. */
function unitsHolding(
  { reader, postings, tokenizer }: SetDeps,
  unit: QueryUnit,
  listedMost: number,
): UnitSet {
  const expression = expressionOf(tokenizer, unit);
  if (unit.tokens.length > 1) {
    const least = Math.min(...tokenizer.terms(unit.tokens).map((term) => frequencyOf(postings, term)));
    if (least > listedMost) return askedOneByOne(reader, expression.match, least);
  }
  const { numbers } = postings.of(expression);
  return { size: numbers.length, has: (number) => numbers[countUpTo(numbers, number) - 1] === number };
}

function frequencyOf(postings: PostingCache, term: string | null): number {
  return term === null ? Infinity : postings.frequency(term);
}

function askedOneByOne(reader: IndexReader, match: string, size: number): UnitSet {
  const known = new Map<number, boolean>();
  return {
    size,
    has(number) {
      const before = known.get(number);
      if (before !== undefined) return before;
      const holds = reader.statement(HOLDS).get(match, number) !== undefined;
      known.set(number, holds);
      return holds;
    },
  };
}
