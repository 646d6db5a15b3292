import { closeMatch, meansAll, toMatch, unitMatch, type QueryUnit } from "../words/query.ts";
import { withEvidence, type Evidence, type Term, type WordHit } from "./evidence.ts";
import { hidesUnits, NOT_HIDDEN } from "./hidden-units.ts";
import type { IndexReader } from "./index-reader.ts";
import type { OpenIndex } from "./readers.ts";
import type { Tokenizer } from "./tokenizer.ts";
import type { LaneHit } from "./vector-lane.ts";
import { withinBudget } from "./word-budget.ts";

/** A title's word weighs as much as two of the body. */
const RANK = "bm25(unit_words, 2, 1)";
const AMONG = `
  AND +rowid IN (
    SELECT n.number FROM json_each(?) AS wanted
    JOIN search_unit AS u ON u.material_id = wanted.value
    JOIN unit_number AS n ON n.unit_id = u.unit_id)`;
const top = (among: string) =>
  `SELECT rowid AS number, -${RANK} AS score FROM unit_words WHERE unit_words MATCH ? ${among} ORDER BY ${RANK} LIMIT ?`;
const TOP = top("");
const TOP_SEEN = top(NOT_HIDDEN);
const TOP_AMONG = top(AMONG);
const TOP_SEEN_AMONG = top(AMONG + NOT_HIDDEN);
const OCCURS = "SELECT 1 FROM unit_words WHERE unit_words MATCH ? LIMIT 1";
const FREQUENCY = "SELECT doc FROM temp.word_frequency WHERE term = ?";
const STATS = "SELECT units, materials FROM stats WHERE id = 1";

/**
 * Postings that one query may rank, at about 0.3 µs each. A question of ten words reaches it in a base of a million
 * chunks; a hostile one in any.
 */
const MAX_POSTINGS = 1_000_000;
/** Units ranked by their own words, whose documents are then asked. As quick as 50; 1,000 would take twice as long. */
const DEPTH = 400;
/**
 * Postings read to learn what documents hold, at 0.25 µs each: of one word, and of all. What is more frequent tells
 * little; a tenth of it measured as good over 10,000 units.
 */
const TERM_POSTINGS = 5_000;
const EVIDENCE_POSTINGS = 40_000;
const HOLDING = `SELECT rowid FROM unit_words WHERE unit_words MATCH ? LIMIT ${TERM_POSTINGS + 1}`;
/** A search waits this long to learn which units make up a document, then asks the documents that it knows. */
const LOADING_MS = 20;

/** The best units by words and by their documents, best first, of these materials alone unless `materialIds` is null. */
export function rankByWords(
  { reader, documents }: OpenIndex,
  units: readonly QueryUnit[],
  limit: number,
  materialIds: readonly string[] | null,
): WordHit[] {
  if (units.length === 0) return [];
  const hits = topByWords(reader, units, Math.max(limit, DEPTH), materialIds);
  documents.refresh(LOADING_MS);
  const evidence = { ...readEvidence(reader, units), runOf: (number: number) => documents.runOf(number) };
  return withEvidence(hits, evidence);
}

function topByWords(
  reader: IndexReader,
  units: readonly QueryUnit[],
  limit: number,
  materialIds: readonly string[] | null,
): LaneHit[] {
  const match = toMatch(units);
  const hides = hidesUnits(reader);
  const rows =
    materialIds === null
      ? reader.statement(hides ? TOP_SEEN : TOP).all(match, limit)
      : reader.statement(hides ? TOP_SEEN_AMONG : TOP_AMONG).all(match, JSON.stringify(materialIds), limit);
  return rows as LaneHit[];
}

function readEvidence(reader: IndexReader, units: readonly QueryUnit[]): Omit<Evidence, "runOf"> {
  const stats = reader.statement(STATS).get() as { units: number; materials: number } | undefined;
  const total = stats?.units ?? 0;
  const whole = units.find((unit) => unit.kind === "whole");
  return {
    terms: readTerms(reader, units),
    close: (whole && holding(reader, closeMatch(whole))) ?? [],
    meansAll: meansAll(units),
    units: total,
    averageLength: Math.max(1, total / Math.max(1, stats?.materials ?? 1)),
  };
}

/** The words of a query that are not too frequent, once each. */
function readTerms(reader: IndexReader, units: readonly QueryUnit[]): Term[] {
  const asked = new Map<string, number>();
  for (const unit of units) {
    if (unit.kind === "whole" || unit.kind === "part") continue;
    const match = unitMatch(unit);
    asked.set(match, (asked.get(match) ?? 0) + 1);
  }
  const terms: Term[] = [];
  let left = EVIDENCE_POSTINGS;
  for (const [match, times] of asked) {
    if (left <= 0) break;
    const numbers = holding(reader, match);
    left -= numbers?.length ?? TERM_POSTINGS;
    if (numbers && numbers.length > 0) terms.push({ numbers, times });
  }
  return terms;
}

/** The units that match, ascending; null when they are too many to tell much. */
function holding(reader: IndexReader, match: string): number[] | null {
  const numbers = reader.statement(HOLDING).pluck().all(match) as number[];
  return numbers.length > TERM_POSTINGS ? null : numbers;
}

/**
 * What of a query is worth asking in this index: parts of an identifier only where identifiers were cut up, and of a query
 * that would rank too many rows the rare words.
 */
export function fitToIndex(
  reader: IndexReader,
  tokenizer: Tokenizer,
  units: readonly QueryUnit[],
): readonly QueryUnit[] {
  const asked = withoutIdleParts(reader, units);
  const stats = reader.statement(STATS).get() as { units: number } | undefined;
  if (!stats || asked.length * stats.units <= MAX_POSTINGS) return asked;
  return withinBudget(asked, (unit) => frequencyOf(reader, tokenizer, unit, stats.units), MAX_POSTINGS);
}

function withoutIdleParts(reader: IndexReader, units: readonly QueryUnit[]): readonly QueryUnit[] {
  const occurs = new Map<string, boolean>();
  return units.filter((unit) => {
    if (unit.kind !== "part" || !unit.identifier) return true;
    const phrase = unitMatch({ kind: "literal", tokens: unit.identifier });
    const known = occurs.get(phrase) ?? reader.statement(OCCURS).get(phrase) !== undefined;
    occurs.set(phrase, known);
    return known;
  });
}

/** In how many units it stands, at most: of a phrase its rarest token, of a prefix anything. */
function frequencyOf(reader: IndexReader, tokenizer: Tokenizer, unit: QueryUnit, total: number): number {
  if (unit.kind === "prefix") return total;
  const counts = tokenizer.terms(unit.tokens).map((term) => {
    const count = term === null ? total : reader.statement(FREQUENCY).pluck().get(term);
    return typeof count === "number" ? count : 0;
  });
  return Math.min(total, ...counts);
}
