import Sqlite from "better-sqlite3";
import { unitMatch, type QueryUnit } from "../words/query.ts";
import type { Expression } from "./postings/posting-cache.ts";

/** What FTS5 makes of words: case folded, accents off, stemmed. Asked of FTS5 itself, so that it can't differ from the index. */
export interface Tokenizer {
  /** The index's term for each word, in order; null for what FTS5 takes for no word or for several. */
  terms(words: readonly string[]): (string | null)[];
  close(): void;
}

/** Words remembered; natural text keeps to far fewer. */
const MAX_REMEMBERED = 50_000;

const plain = /^[a-z0-9]+$/i;

export function createTokenizer(): Tokenizer {
  const database = new Sqlite(":memory:");
  database.exec(`
    CREATE VIRTUAL TABLE words USING fts5(word, content='', tokenize='porter unicode61 remove_diacritics 2');
    CREATE VIRTUAL TABLE terms USING fts5vocab(words, 'instance');`);
  const insert = database.prepare("INSERT INTO words(rowid, word) VALUES (?, ?)");
  const read = database.prepare("SELECT doc, term FROM terms").raw();
  const readRow = database.prepare("SELECT group_concat(offset || ' ' || term) FROM terms").pluck();
  const clear = database.prepare("INSERT INTO words(words) VALUES ('delete-all')");
  const remembered = new Map<string, string | null>();

  /** A row for each: what FTS5 takes for several words is none. */
  const learn = database.transaction((words: readonly string[]) => {
    words.forEach((word, at) => insert.run(at, word));
    const found: (string | null | undefined)[] = [];
    for (const [at, term] of read.all() as [number, string][])
      found[at] = found[at] === undefined ? term : null;
    clear.run();
    words.forEach((word, at) => remembered.set(word, found[at] ?? null));
  });

  /** Each is one word to FTS5: a row for all takes a third of the time. */
  const learnPlain = database.transaction((words: readonly string[]) => {
    insert.run(0, words.join(" "));
    for (const place of (readRow.get() as string).split(",")) {
      const space = place.indexOf(" ");
      remembered.set(words[Number(place.slice(0, space))]!, place.slice(space + 1));
    }
    clear.run();
  });

  return {
    terms(words) {
      if (remembered.size > MAX_REMEMBERED) remembered.clear();
      const unknown = [...new Set(words)].filter((word) => !remembered.has(word));
      const isPlain = (word: string): boolean => plain.test(word);
      const [simple, others] = [unknown.filter(isPlain), unknown.filter((word) => !isPlain(word))];
      if (simple.length > 0) learnPlain(simple);
      if (others.length > 0) learn(others);
      return words.map((word) => remembered.get(word) ?? null);
    },
    close: () => void database.close(),
  };
}

/** A part of a query as the index is asked for it. */
export function expressionOf(tokenizer: Tokenizer, unit: Pick<QueryUnit, "kind" | "tokens">): Expression {
  const terms = unit.kind === "prefix" ? [null] : tokenizer.terms(unit.tokens);
  const known = terms.filter((term) => term !== null);
  return { match: unitMatch(unit), terms: known.length === terms.length ? known : null };
}
