import { toMatch, unitMatch, type QueryUnit } from "../words/query.ts";
import type { IndexReader } from "./index-reader.ts";
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
const TOP_AMONG = top(AMONG);
const OCCURS = "SELECT 1 FROM unit_words WHERE unit_words MATCH ? LIMIT 1";
const FREQUENCY = "SELECT doc FROM temp.word_frequency WHERE term = ?";
const UNITS = "SELECT units FROM stats WHERE id = 1";

/**
 * Postings that one query may rank, at about 0.3 µs each. A question of ten words reaches it in a base of a million
 * chunks; a hostile one in any.
 */
const MAX_POSTINGS = 1_000_000;

/** The best units by words, best first, of these materials alone unless `materialIds` is null. */
export function topByWords(
  reader: IndexReader,
  units: readonly QueryUnit[],
  limit: number,
  materialIds: readonly string[] | null,
): LaneHit[] {
  if (units.length === 0) return [];
  const match = toMatch(units);
  const rows =
    materialIds === null
      ? reader.statement(TOP).all(match, limit)
      : reader.statement(TOP_AMONG).all(match, JSON.stringify(materialIds), limit);
  return rows as LaneHit[];
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
  const total = reader.statement(UNITS).pluck().get() as number | undefined;
  if (total === undefined || asked.length * total <= MAX_POSTINGS) return asked;
  return withinBudget(asked, (unit) => frequencyOf(reader, tokenizer, unit, total), MAX_POSTINGS);
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
