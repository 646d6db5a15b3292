import { isPaired } from "./scripts.ts";
import { humpParts, shapeText } from "./shape.ts";
import { spellingsOf } from "./spellings.ts";
import { isEdgePair, isFunctionPair, stopWords } from "./stop-words.ts";
import { isHash, joinedMeasure, joinedNumbers, variantsOf } from "./variants.ts";

/**
 * word: one token. literal: a compound such as package-lock.json, its tokens side by side. prefix: a token that may go on.
 * part: a piece of a camelCase identifier, or all of them side by side. variant: the same written otherwise. whole: the query
 * itself, word for word.
 */
export type UnitKind = "word" | "literal" | "prefix" | "part" | "variant" | "whole";

export interface QueryUnit {
  readonly kind: UnitKind;
  readonly tokens: readonly string[];
  /** What it counts, 1 when absent. */
  readonly weight?: number;
  /** Known of the query, but not looked for in this index: its words are too frequent. */
  readonly isIdle?: boolean;
  /** Of a part: all parts of its identifier, in order. They stand side by side in an index that cuts identifiers up. */
  readonly identifier?: readonly string[];
}

/** FTS5 takes quadratic time to parse an expression; this many take about a millisecond. */
export const MAX_UNITS = 256;
const MAX_QUERY_CHARACTERS = 10_000;
const MAX_TOKEN_CHARACTERS = 64;
/** Times that one unit may be asked for, and one character may stand in a row. */
const MAX_REPEATS = 8;
/** Tokens of a query that is searched word for word too, and of a literal. */
const WHOLE_LEAST = 2;
const WHOLE_MOST = 12;
/** Tokens of what is quoted. */
const PHRASE_MOST = 64;
const MAX_KEYWORDS = 6;
/**
 * Such a pair is rare without telling much. Half of its weight finds 1 % and .4 % more of Chinese questions, and no less in
 * either half of them; 0.3 to 0.6 measured alike. Of hiragana it finds .3 % more everyday Japanese and as much of articles.
 */
const EDGE_PAIR_WEIGHT = 0.5;

const word = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;
const edges = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}\p{M}]+$/gu;
/** What makes a name of it (file, version, address, date, identifier) rather than an English compound. */
const nameLike = /[_@]|::|[\p{L}\p{N}]\.[\p{L}\p{N}]|\p{L}[-/]?\p{N}|\p{N}[-/]?\p{L}|\p{N}[-/:]\p{N}/u;
const repeats = new RegExp(`(.)\\1{${MAX_REPEATS},}`, "su");
const control = /\p{Cc}/gu;

/**
 * What to look for, in the query's order: every word with substance (one that is said twice counts twice), literals, the
 * parts of identifiers, and the whole query when it is short. When no word has substance, all count. Null: no word at all.
 */
export function planQuery(query: string): QueryUnit[] | null {
  const units: QueryUnit[] = [];
  const tokens: string[] = [];
  let before = "";
  for (const piece of shapedPieces(query)) {
    const found = piece.match(word);
    if (!found) continue;
    tokens.push(...found);
    units.push(...unitsOfPiece(piece, found));
    const measure = joinedMeasure(before, piece);
    if (measure !== null) units.push(variant([measure]));
    before = piece;
  }
  const known = new Set(units.map(unitMatch));
  const numbers = joinedNumbers(query.slice(0, MAX_QUERY_CHARACTERS)).map((joined) => variant([joined]));
  units.push(...numbers.filter((unit) => !known.has(unitMatch(unit))));
  if (tokens.length === 0) return null;
  const substantial = units.filter(hasSubstance);
  const kept = atMost(MAX_REPEATS, substantial.length > 0 ? substantial : tokens.map(wordUnit));
  const bounded = kept.slice(0, MAX_UNITS - 1);
  if (tokens.length >= WHOLE_LEAST && tokens.length <= WHOLE_MOST) bounded.push(phrase("whole", tokens));
  return bounded;
}

/** Whether there is a word to look for: planQuery says what. */
export function hasWords(query: string): boolean {
  return shapedPieces(query).some((piece) => piece.search(word) >= 0);
}

/** The FTS5 expression for units. Their tokens are letters, digits and marks alone, so nothing in it can be syntax. */
export function toMatch(units: readonly QueryUnit[]): string {
  return units.map(unitMatch).join(" OR ");
}

export function unitMatch(unit: Pick<QueryUnit, "kind" | "tokens">): string {
  return `"${unit.tokens.join(" ")}"${unit.kind === "prefix" ? "*" : ""}`;
}

/**
 * FTS5 expression for all tokens of a unit close together, in any order, half as many others between them: who quotes from
 * memory leaves small words out. Twice as far measured no better, exact phrases alone find 7 % fewer of such quotes.
 */
export function closeMatch(unit: QueryUnit): string {
  return `NEAR(${unit.tokens.map((token) => `"${token}"`).join(" ")}, ${wordsBetween(unit)})`;
}

/** Words that stand at most between the first and the last of a unit's tokens where they are close together. */
export function wordsBetween({ tokens }: QueryUnit): number {
  return Math.floor(tokens.length * 1.5);
}

/**
 * True for keywords: so few words, and none that only says how something is asked. Who writes these means all of them;
 * who asks a question does not. A pair of CJK characters counts for half a word.
 */
export function meansAll(units: readonly QueryUnit[]): boolean {
  const whole = units.find((unit) => unit.kind === "whole");
  const words = units.filter((unit) => unit.kind === "word" || unit.kind === "prefix");
  const length = words.reduce((sum, { tokens }) => sum + (isPaired(tokens[0] ?? "") ? 0.5 : 1), 0);
  return words.length === whole?.tokens.length && length <= MAX_KEYWORDS;
}

/**
 * What is quoted as one unit: all of its words side by side, small ones too. Null when there is no word in it.
 */
export function planPhrase(quoted: string): QueryUnit | null {
  const tokens = shapedPieces(quoted).flatMap((piece) => piece.match(word) ?? []);
  const [first, ...more] = tokens;
  if (first === undefined) return null;
  if (more.length === 0) return wordUnit(first);
  return {
    kind: "literal",
    tokens: tokens.slice(0, PHRASE_MOST).map((token) => token.slice(0, MAX_TOKEN_CHARACTERS)),
  };
}

/** Query → FTS5 MATCH expression, or null when there is nothing to look for. */
export function matchExpression(query: string): string | null {
  const units = planQuery(query);
  return units === null ? null : toMatch(units);
}

function shapedPieces(query: string): string[] {
  const clean = query.slice(0, MAX_QUERY_CHARACTERS).normalize("NFC").replace(control, " ");
  return shapeText(clean, []).split(/\s+/u);
}

function unitsOfPiece(piece: string, tokens: readonly string[]): QueryUnit[] {
  const words = tokens.map(wordUnit);
  const bare = piece.replace(edges, "");
  const spellings = tokens.filter((token) => !isStopWord(token)).flatMap(spellingsOf);
  const variants = [...variantsOf(bare, tokens), ...spellings.map((spelling) => [spelling])].map(variant);
  if (tokens.length === 1) return [...words, ...parts(tokens), ...variants];
  // A pair of CJK characters beside another means that they stood in one run: no space between is no name.
  if (isPaired(tokens[0]!)) return words;
  const abbreviation = tokens.every((token) => token.length === 1);
  if (abbreviation) return isLatinFiller(tokens) ? [] : [phrase("literal", tokens)];
  const named = isNameLike(piece) && !tokens.every(isStopWord);
  return [...words, ...(named ? [phrase("literal", tokens)] : []), ...parts(tokens), ...variants];
}

/**
 * One token; cut where it is endless, and then it may go on, as the name of a commit does. A lone CJK character is the start
 * of any of its pairs.
 */
function wordUnit(token: string): QueryUnit {
  const run = repeats.exec(token);
  const end = Math.min(MAX_TOKEN_CHARACTERS, run ? run.index + MAX_REPEATS : token.length);
  const cut = token.slice(0, end);
  const open = cut.length < token.length || isHash(cut) || (isPaired(cut) && Array.from(cut).length === 1);
  const kind = open ? "prefix" : "word";
  return isEdgePair(cut) ? { kind, tokens: [cut], weight: EDGE_PAIR_WEIGHT } : { kind, tokens: [cut] };
}

function phrase(kind: UnitKind, tokens: readonly string[]): QueryUnit {
  return { kind, tokens: tokens.slice(0, WHOLE_MOST).map((token) => token.slice(0, MAX_TOKEN_CHARACTERS)) };
}

function parts(tokens: readonly string[]): QueryUnit[] {
  return tokens.flatMap((token) => {
    const identifier = humpParts(token);
    if (identifier.length === 0) return [];
    const rows = [...identifier.map((part) => [part]), identifier];
    return rows.map((row) => ({ kind: "part" as const, tokens: row, identifier }));
  });
}

function variant(tokens: readonly string[]): QueryUnit {
  return phrase("variant", tokens);
}

function hasSubstance(unit: QueryUnit): boolean {
  const [first] = unit.tokens;
  if (unit.kind === "literal" || first === undefined) return true;
  return !isStopWord(first) && !(isPaired(first) && isFunctionPair(first));
}

/** A file name, a version, an address, a date, an identifier. */
export function isNameLike(piece: string): boolean {
  return nameLike.test(piece.replace(edges, ""));
}

export function isStopWord(token: string): boolean {
  return stopWords.has(token.toLowerCase());
}

/** e.g. and i.e. */
function isLatinFiller(tokens: readonly string[]): boolean {
  return /^(?:eg|ie)$/i.test(tokens.join(""));
}

function atMost(times: number, units: readonly QueryUnit[]): QueryUnit[] {
  const seen = new Map<string, number>();
  return units.filter((unit) => {
    const key = unit.tokens.join(" ");
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    return count <= times;
  });
}
