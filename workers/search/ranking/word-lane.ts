import {
  closeMatch,
  isStopWord,
  meansAll,
  unitMatch,
  wordsBetween,
  type QueryUnit,
} from "../../words/query.ts";
import { withEvidence, type Term, type WordHit } from "./evidence.ts";
import type { UnitSet } from "../hidden-units.ts";
import type { IndexReader } from "../index-reader.ts";
import { neighboursOf, withNeighbours } from "./neighbours.ts";
import { PHRASE_POSTINGS, type Expression, type PostingCache } from "../postings/posting-cache.ts";
import type { OpenIndex } from "../readers.ts";
import { rarity, scoreWords, type Asked, type Scoring } from "./score-words.ts";
import { askSmallWords, saysSmallWordsAlone } from "./small-words.ts";
import { expressionOf, type Tokenizer } from "../tokenizer.ts";
import { occurs, unitCount, unitId } from "../units.ts";
import { withinBudget } from "./word-budget.ts";

const FEW = 1000;
const COUNT_FEW = `SELECT count(*) FROM (SELECT 1 FROM unit_words WHERE unit_words MATCH ? LIMIT ${FEW})`;
const MATERIALS = "SELECT materials FROM stats WHERE id = 1";

/**
 * Postings that one query may rank, at about 40 ns each when they are read for the first time, 10 when they are kept. A
 * question of ten words reaches it in a base of a million chunks; a hostile one in any.
 */
const MAX_POSTINGS = 400_000;
/** Postings of the words of the whole query beyond which its small words are not looked for. */
const SMALL_WORDS_POSTINGS = 100_000;
/** Units ranked by their own words, whose documents are then asked: at least so many. */
export const WORD_DEPTH = 400;
/**
 * Postings that tell what documents hold: of one word, and of all. What is more frequent tells little; a tenth of it
 * measured as good over 10,000 units.
 */
const TERM_POSTINGS = 5_000;
const EVIDENCE_POSTINGS = 40_000;
/** A search waits this long to learn which units make up a document, then asks the documents that it knows. */
const LOADING_MS = 20;

/** The best units by words and by their documents, best first; null accepts any. */
export function rankByWords(
  open: OpenIndex,
  tokenizer: Tokenizer,
  units: readonly QueryUnit[],
  limit: number,
  accept: UnitSet | null,
): WordHit[] {
  if (units.length === 0) return [];
  const { reader, documents, postings } = open;
  postings.refresh();
  documents.refresh(LOADING_MS);
  const depth = Math.max(limit, WORD_DEPTH);
  const small = saysSmallWordsAlone(units);
  const asked = small ? askSmallWords(open, units, depth, accept) : askedFor(postings, tokenizer, units);
  const scoring = scoringOf(postings, depth, accept);
  const total = scoring.units;
  const evidence = {
    terms: small ? [] : termsOf(units, asked),
    close: small ? [] : closeTo(postings, tokenizer, units),
    meansAll: meansAll(units),
    units: total,
    averageLength: averageLength(reader, total),
    runOf: (number: number) => documents.runOf(number),
  };
  const pairs = neighboursOf(units, (unit) => asked.get(unitMatch(unit))?.postings);
  for (;;) {
    const hits = withNeighbours(scoreWords([...asked.values()], scoring), pairs, total);
    const ranked = withEvidence(hits, evidence);
    // What is cached may name units that are gone; they must not take the places of those that are there.
    const gone = ranked.slice(0, limit).filter(({ number }) => unitId(reader, number) === undefined);
    if (gone.length === 0) return ranked;
    postings.noteDeleted(gone.map(({ number }) => number));
  }
}

function scoringOf(postings: PostingCache, limit: number, accept: UnitSet | null): Scoring {
  const { lengths } = postings;
  return {
    lengths: lengths.fields(),
    units: lengths.units(),
    limit,
    accept,
    isDeleted: (number) => postings.isDeleted(number),
  };
}

/** What one part of a query is worth. */
export interface UnitWorth {
  readonly unit: QueryUnit;
  /** Units of the index that hold it. */
  readonly frequency: number;
  /** What some of them earn by it. */
  readonly earned: ReadonlyMap<number, number>;
}

/** What these units of the index earn by each part of the query, as `rankByWords` adds it up. Call it after that. */
export function worthOfUnits(
  open: OpenIndex,
  tokenizer: Tokenizer,
  units: readonly QueryUnit[],
  numbers: ReadonlySet<number>,
): UnitWorth[] {
  const { postings } = open;
  const scoring = scoringOf(postings, numbers.size, numbers);
  const asked = saysSmallWordsAlone(units)
    ? askSmallWords(open, units, numbers.size, numbers)
    : askedFor(postings, tokenizer, units);
  const byMatch = new Map(units.map((unit) => [unitMatch(unit), unit]));
  return [...byMatch].flatMap(([match, unit]) => {
    const found = asked.get(match);
    if (!found) return [];
    const earned = new Map(scoreWords([found], scoring).map(({ number, score }) => [number, score]));
    return [{ unit, frequency: found.postings.numbers.length, earned }];
  });
}

/**
 * What a unit of average length would earn that says each word of the query once, also words that occur nowhere. What the
 * best unit earns, as a share of this, tells how sure the words are.
 */
export function fullWorth(
  { postings }: OpenIndex,
  tokenizer: Tokenizer,
  units: readonly QueryUnit[],
): number {
  const words = units.filter(({ kind }) => kind === "word" || kind === "prefix");
  const total = postings.lengths.units();
  return [...askedFor(postings, tokenizer, words).values()].reduce(
    // A word that occurs nowhere counts like the rarest.
    (sum, { times, postings: { numbers } }) => sum + times * rarity(Math.max(0.5, numbers.length), total),
    0,
  );
}

/** What the query asks for, once each, with its postings. */
function askedFor(
  postings: PostingCache,
  tokenizer: Tokenizer,
  units: readonly QueryUnit[],
): Map<string, Asked> {
  const asked = new Map<string, Asked>();
  for (const unit of units) {
    if (unit.isIdle) continue;
    const match = unitMatch(unit);
    const known = asked.get(match);
    asked.set(match, {
      postings: known?.postings ?? postings.of(askedExpression(postings, tokenizer, unit)),
      times: (known?.times ?? 0) + (unit.weight ?? 1),
    });
  }
  return asked;
}

/**
 * Of the query as a whole all words, where they have not too many postings; else those of substance, where they stand in it:
 * small words stand in most units, and what of them is between the others tells little, though something (of 75 quotes from
 * memory one more is found with them).
 */
function askedExpression(postings: PostingCache, tokenizer: Tokenizer, unit: QueryUnit): Expression {
  const expression = expressionOf(tokenizer, unit);
  const { terms } = expression;
  if (unit.kind !== "whole" || terms === null) return expression;
  if (postingsOf(postings, terms) <= SMALL_WORDS_POSTINGS) return expression;
  const offsets = unit.tokens.flatMap((token, at) => (isStopWord(token) ? [] : at));
  if (offsets.length < 2) return expression;
  return { ...expression, terms: offsets.map((at) => terms[at]!), offsets };
}

/** The words of a query that are not too frequent, once each. */
function termsOf(units: readonly QueryUnit[], asked: ReadonlyMap<string, Asked>): Term[] {
  const terms: Term[] = [];
  let left = EVIDENCE_POSTINGS;
  const times = new Map<string, number>();
  for (const unit of units) {
    if (unit.kind === "whole" || unit.kind === "part" || unit.kind === "variant") continue;
    const match = unitMatch(unit);
    times.set(match, (times.get(match) ?? 0) + (unit.weight ?? 1));
  }
  for (const [match, said] of times) {
    if (left <= 0) break;
    const numbers = asked.get(match)?.postings.numbers;
    if (!numbers) continue;
    left -= Math.min(numbers.length, TERM_POSTINGS);
    if (numbers.length > 0 && numbers.length <= TERM_POSTINGS) terms.push({ numbers, times: said });
  }
  return terms;
}

/** The units that hold all words of a short query close together; none when they are too many to tell much. */
function closeTo(
  postings: PostingCache,
  tokenizer: Tokenizer,
  units: readonly QueryUnit[],
): ArrayLike<number> {
  const whole = units.find((unit) => unit.kind === "whole");
  if (!whole || whole.isIdle) return [];
  const expression = { ...askedExpression(postings, tokenizer, whole), match: closeMatch(whole) };
  return postings.close(expression, wordsBetween(whole), TERM_POSTINGS) ?? [];
}

function averageLength(reader: IndexReader, units: number): number {
  const materials = reader.statement(MATERIALS).pluck().get() as number | undefined;
  return Math.max(1, units / Math.max(1, materials ?? 1));
}

/**
 * What of a query is worth asking in this index: parts of an identifier only where identifiers were cut up, and of a query
 * that would rank too many rows the rare words.
 */
export function fitToIndex(
  { reader, postings }: Pick<OpenIndex, "reader" | "postings">,
  tokenizer: Tokenizer,
  units: readonly QueryUnit[],
): readonly QueryUnit[] {
  // What is asked for of these is bounded in another way.
  if (saysSmallWordsAlone(units)) return units;
  const asked = withoutEqualVariants(tokenizer, withoutIdleParts(reader, units));
  const total = unitCount(reader);
  if (asked.length * total <= MAX_POSTINGS) return asked;
  const frequency = (unit: QueryUnit): number =>
    unit.kind === "prefix"
      ? frequencyOfPrefix(reader, unit, total)
      : frequencyOf(postings, tokenizer, unit, total);
  // Without the whole query, word for word or close together, three in a hundred of the first ten hits change at a million
  // units.
  const isHeavy = (unit: QueryUnit): boolean => {
    if (unit.kind !== "whole" || asked.length < 2) return false;
    return postingsOf(postings, askedExpression(postings, tokenizer, unit).terms ?? []) > PHRASE_POSTINGS;
  };
  return withinBudget(asked, frequency, MAX_POSTINGS).map((unit) =>
    isHeavy(unit) ? { ...unit, isIdle: true } : unit,
  );
}

function postingsOf(postings: PostingCache, terms: readonly string[]): number {
  return terms.reduce((sum, term) => sum + postings.frequency(term), 0);
}

/** All parts side by side are asked for only where the name itself stands nowhere: else it would count three times. */
function withoutIdleParts(reader: IndexReader, units: readonly QueryUnit[]): readonly QueryUnit[] {
  const looked = new Map<string, boolean>();
  const isThere = (tokens: readonly string[]): boolean => {
    const match = unitMatch({ kind: "literal", tokens });
    const known = looked.get(match) ?? occurs(reader, match);
    looked.set(match, known);
    return known;
  };
  return units.filter(({ kind, tokens, identifier }) => {
    if (kind !== "part" || !identifier) return true;
    return isThere(identifier) && (tokens.length === 1 || !isThere([identifier.join("")]));
  });
}

/** Another spelling that is the same word to the index would count twice. */
function withoutEqualVariants(tokenizer: Tokenizer, units: readonly QueryUnit[]): readonly QueryUnit[] {
  if (!units.some(({ kind }) => kind === "variant")) return units;
  const termOf = ({ tokens }: QueryUnit) => tokenizer.terms(tokens).join(" ");
  const others = new Set(units.filter(({ kind }) => kind !== "variant").map(termOf));
  return units.filter((unit) => unit.kind !== "variant" || !others.has(termOf(unit)));
}

/** In how many units it stands, at most: of a phrase its rarest token. */
function frequencyOf(postings: PostingCache, tokenizer: Tokenizer, unit: QueryUnit, total: number): number {
  const counts = tokenizer
    .terms(unit.tokens)
    .map((term) => (term === null ? total : postings.frequency(term)));
  return Math.min(total, ...counts);
}

/** A prefix in few units, as the beginning of a hash is, counts these; any other as if it were in all. */
function frequencyOfPrefix(reader: IndexReader, unit: QueryUnit, total: number): number {
  const count = reader.statement(COUNT_FEW).pluck().get(unitMatch(unit)) as number;
  return count < FEW ? count : total;
}
