import { DATES, parseDate } from "./parse-date.ts";
import { createQuoteReader, isQuote, type QuoteReader } from "./quotes.ts";

/** What a query says of the documents it wants. Each list must hold as a whole, but of `types` one is enough. */
export interface QueryFilters {
  /** Globs over the path, or words that stand somewhere in it. */
  paths: string[];
  notPaths: string[];
  /** Names of formats, and file extensions, in lower case. */
  types: string[];
  notTypes: string[];
  tags: string[];
  notTags: string[];
  /** Milliseconds since 1970: after ≤ changed < before. */
  after: number | null;
  before: number | null;
}

export interface ParsedQuery {
  /** What is searched for, the words of phrases included. All that is no syntax, as it was written. */
  readonly text: string;
  /** Each must stand in a passage. */
  readonly phrases: readonly string[];
  /** Words and phrases: a passage that holds one is left out. */
  readonly excluded: readonly string[];
  readonly filters: Readonly<QueryFilters>;
  /** What looks like syntax and is none, for people. */
  readonly notes: readonly string[];
}

export interface QueryContext {
  readonly now: Date;
  /** Whether a format or a file extension is called so, in lower case. */
  readonly isType: (name: string) => boolean;
}

/** Phrases, exclusions and filters that one query may have; what follows is text. */
export const MAX_CLAUSES = 32;
/** A longer query was pasted: quotes and minus signs in it belong to its text. */
export const MAX_TYPED_WORDS = 32;
const MAX_NOTES = 8;
const MAX_SHOWN = 60;

const clause = /(path|type|tag|after|before):/iy;
const escaped = /-?(?:path|type|tag|after|before)?\\["\u201C-\u201E\u00AB\u00BB\u300C\u300E:-]/iy;
const brackets = "([{\uFF08\u3010";
const substance = /[\p{L}\p{N}]/u;
const digit = /\p{N}/u;
const wordsOfOne = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u;

type Key = "path" | "type" | "tag" | "after" | "before";

interface Reading {
  readonly query: string;
  readonly quotes: QuoteReader;
  readonly context: QueryContext;
  readonly isTyped: boolean;
  readonly phrases: string[];
  readonly excluded: string[];
  readonly filters: QueryFilters;
  readonly notes: string[];
}

/**
 * Reads a query: "a phrase", -word, -"a phrase", and path:, type:, tag:, after:, before:, each with a minus too. Any string
 * is a query, what is no syntax is text. A backslash before a quote, a minus or the colon of a filter makes text of it. Time
 * is linear in the query.
 */
export function parseQuery(query: string, context: QueryContext): ParsedQuery {
  const reading: Reading = {
    query,
    quotes: createQuoteReader(query),
    context,
    isTyped: isTyped(query),
    phrases: [],
    excluded: [],
    filters: noFilters(),
    notes: [],
  };
  const text = readAll(reading);
  const { phrases, excluded, filters, notes } = reading;
  // Nothing is left to be excluded from: -rf alone is looked for.
  if (!substance.test(text) && excluded.length > 0 && !hasFilters(filters))
    return { text: query, phrases: [], excluded: [], filters: noFilters(), notes };
  return { text, phrases, excluded, filters, notes };
}

export function hasFilters(filters: Readonly<QueryFilters>): boolean {
  return Object.values(filters).some((value) => (Array.isArray(value) ? value.length > 0 : value !== null));
}

export function noFilters(): QueryFilters {
  return {
    paths: [],
    notPaths: [],
    types: [],
    notTypes: [],
    tags: [],
    notTags: [],
    after: null,
    before: null,
  };
}

/** Answers the text that is left. */
function readAll(reading: Reading): string {
  const { query } = reading;
  let text = "";
  let clauses = 0;
  for (let at = 0; at < query.length;) {
    // An opening bracket may stand before a quotation.
    if (isSpace(query, at) || (brackets.includes(query[at]!) && isQuote(query.charAt(at + 1)))) {
      text += query[at++];
      continue;
    }
    escaped.lastIndex = at;
    const isText = clauses === MAX_CLAUSES || escaped.test(query);
    const found = isText ? null : readClause(reading, at);
    if (found) {
      clauses++;
      text += found.text;
      at = found.end;
      continue;
    }
    const end = endOfWord(query, at);
    escaped.lastIndex = at;
    const word = query.slice(at, end);
    text += escaped.test(query) ? word.replace("\\", "") : word;
    at = end;
  }
  return text;
}

/** Null when none begins here. `text`: what of it is searched for. */
function readClause(reading: Reading, at: number): { text: string; end: number } | null {
  const { query, quotes, isTyped } = reading;
  const negated = query[at] === "-" && at + 1 < query.length && query[at + 1] !== "-";
  const start = negated ? at + 1 : at;
  clause.lastIndex = start;
  const key = clause.exec(query)?.[1]?.toLowerCase() as Key | undefined;
  if (key !== undefined) return readFilter(reading, key, clause.lastIndex, negated);
  if (!isTyped) return null;
  const quoted = quotes.at(start);
  if (quoted) {
    if (!substance.test(quoted.content)) return null;
    (negated ? reading.excluded : reading.phrases).push(quoted.content);
    return { text: negated ? "" : quoted.content, end: quoted.end };
  }
  if (!negated) return null;
  const end = endOfWord(query, start);
  const word = query.slice(start, end);
  if (!isExcludable(word)) return null;
  reading.excluded.push(word);
  return { text: "", end };
}

/** A number is one below zero, a single letter an option of a command. */
function isExcludable(word: string): boolean {
  const [first = "", ...rest] = word;
  if (!substance.test(first) || digit.test(first)) return false;
  return wordsOfOne.test(first) || rest.some((character) => substance.test(character));
}

function readFilter(reading: Reading, key: Key, at: number, negated: boolean) {
  const { query, quotes } = reading;
  const quoted = quotes.at(at);
  if (!quoted && isQuote(query.charAt(at))) return null;
  const end = quoted?.end ?? endOfWord(query, at);
  const value = quoted ? quoted.content.trim() : query.slice(at, end).replace(/[,;]+$/, "");
  if (!substance.test(value) && !(key === "path" && /[*?]/.test(value))) return null;
  const problem = addFilter(reading, key, value, negated);
  if (problem === null) return { text: "", end };
  const shown = Array.from(value);
  const short = shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN).join("")}…` : value;
  if (reading.notes.length < MAX_NOTES)
    reading.notes.push(`${key}:${short} was searched for as words: ${problem}`);
  return null;
}

/** Answers what is wrong with it, or null. */
function addFilter({ filters, context }: Reading, key: Key, value: string, negated: boolean): string | null {
  if (key === "path") (negated ? filters.notPaths : filters.paths).push(value);
  else if (key === "tag") (negated ? filters.notTags : filters.tags).push(value);
  else if (key === "type") {
    const names = value
      .toLowerCase()
      .split(",")
      .map((name) => name.trim().replace(/^\*?\./, ""));
    const isKnown = names.every((name) => name !== "" && context.isType(name));
    if (!isKnown) return "no such format or file extension is known (knowd formats lists them)";
    (negated ? filters.notTypes : filters.types).push(...names);
  } else {
    const time = parseDate(value, context.now);
    if (time === null) return `write a date as ${DATES}`;
    // Not after a time is before it.
    if ((key === "after") !== negated) filters.after = Math.max(filters.after ?? -Infinity, time);
    else filters.before = Math.min(filters.before ?? Infinity, time);
  }
  return null;
}

/** True unless it has more words than anybody types. */
function isTyped(query: string): boolean {
  let words = 0;
  for (let at = 0; at < query.length; at++)
    if (!isSpace(query, at) && (at === 0 || isSpace(query, at - 1)) && ++words > MAX_TYPED_WORDS)
      return false;
  return true;
}

function endOfWord(query: string, at: number): number {
  let end = at;
  while (end < query.length && !isSpace(query, end)) end++;
  return end;
}

function isSpace(query: string, at: number): boolean {
  const code = query.charCodeAt(at);
  return (
    code === 32 ||
    (code >= 9 && code <= 13) ||
    code === 0xa0 ||
    code === 0x3000 ||
    (code >= 0x2000 && code <= 0x200a)
  );
}
