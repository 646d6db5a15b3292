import { loadStaticModel } from "../embed/static-model.ts";
import { planPhrase, planQuery, unitMatch, type QueryUnit } from "../words/query.ts";
import { singleCharacters, tellingPairs } from "../words/single-characters.ts";
import type { Correction, LaneQuery } from "./contract.ts";
import { correctQuery } from "./spelling/correct-query.ts";
import type { IndexReader } from "./index-reader.ts";
import { tellingWords } from "./like.ts";
import type { OpenIndex } from "./readers.ts";
import type { Tokenizer } from "./tokenizer.ts";
import type { Demands } from "./unit-sets.ts";
import { occurs } from "./units.ts";
import { fitToIndex } from "./ranking/word-lane.ts";

/** "occured" and "goverment" come behind; "upstairs" and "salty" before. */
const COMMON = 30_000;

/** What one base is asked. */
export interface Understood {
  /** The query's text with its corrections. */
  readonly text: string;
  readonly units: readonly QueryUnit[];
  readonly demands: Demands;
  readonly corrections: readonly Correction[];
  readonly degraded: string | null;
}

/** Reads a query in the light of the base's words; null when there is no word to look for. Call it inside the snapshot. */
export function understand(
  open: OpenIndex,
  tokenizer: Tokenizer,
  query: Pick<LaneQuery, "query" | "phrases" | "excluded" | "like" | "model">,
): Understood | null {
  open.postings.refresh();
  if (query.like) return understandText(open, tokenizer, query.like.text, query.excluded);
  const required = unitsOf(query.phrases);
  const demands = { required, excluded: unitsOf(query.excluded) };
  const kept = new Set(required.flatMap((unit) => unit.tokens));
  const corrected = correctQuery(
    { ...open, tokenizer, isCommon: commonWords(query.model) },
    query.query,
    kept,
  );
  const text = corrected?.text ?? query.query;
  const plan = planQuery(text);
  if (plan === null) return null;
  const weighed = corrected ? weigh(plan, corrected.weights, tokenizer) : plan;
  // A phrase ranks as one more word; a quoted word is one already.
  const phrases = required.filter((unit) => unit.tokens.length > 1);
  const units = fitToIndex(open, tokenizer, [
    ...phrases,
    ...weighed,
    ...(corrected?.others ?? []),
    ...charactersWithoutPairs(open.reader, plan),
  ]);
  return {
    text,
    units,
    demands,
    corrections: corrected?.corrections ?? [],
    degraded: corrected?.isPending
      ? "the words of this base are still being read: no spelling was corrected"
      : null,
  };
}

/** Words of everyday English as far as the embedded model tells: mistakes that many make are further behind. */
function commonWords(files: LaneQuery["model"]): (word: string) => boolean {
  if (!files) return () => false;
  try {
    const { placeOf } = loadStaticModel(files);
    return (word) => (placeOf(word) ?? Infinity) < COMMON;
  } catch {
    // The vectors' lane says that the model can't be read.
    return () => false;
  }
}

/** A text may be like others though none of its words stands in the base: then its vector alone tells. */
function understandText(
  open: OpenIndex,
  tokenizer: Tokenizer,
  text: string,
  excluded: readonly string[] | undefined,
): Understood {
  const units = fitToIndex(open, tokenizer, tellingWords(open, tokenizer, text));
  const demands = { required: [], excluded: unitsOf(excluded) };
  return { text, units, demands, corrections: [], degraded: null };
}

export function unitsOf(quoted: readonly string[] = []): QueryUnit[] {
  return quoted.flatMap((phrase) => planPhrase(phrase) ?? []);
}

/** A language of CJK writes the same thing in other words: where no pair of a query stands anywhere, its characters may. */
function charactersWithoutPairs(reader: IndexReader, plan: readonly QueryUnit[]): QueryUnit[] {
  const pairs = tellingPairs(plan);
  const isThere = (pair: QueryUnit): boolean => occurs(reader, unitMatch(pair));
  return pairs.length === 0 || pairs.some(isThere) ? [] : singleCharacters(plan);
}

function weigh(
  plan: readonly QueryUnit[],
  weights: ReadonlyMap<string, number>,
  tokenizer: Tokenizer,
): QueryUnit[] {
  return plan.map((unit) => {
    const [term] = unit.kind === "word" ? tokenizer.terms(unit.tokens) : [];
    const weight = term ? weights.get(term) : undefined;
    return weight === undefined ? unit : { ...unit, weight };
  });
}
