import Sqlite from "better-sqlite3";

/** What FTS5 makes of words: case folded, accents off, stemmed. Asked of FTS5 itself, so that it can't differ from the index. */
export interface Tokenizer {
  /** The index's term for each word, in order; null for what FTS5 takes for no word or for several. */
  terms(words: readonly string[]): (string | null)[];
  close(): void;
}

/** Words remembered; natural text keeps to far fewer. */
const MAX_REMEMBERED = 50_000;

export function createTokenizer(): Tokenizer {
  const database = new Sqlite(":memory:");
  database.exec(`
    CREATE VIRTUAL TABLE words USING fts5(word, content='', tokenize='porter unicode61 remove_diacritics 2');
    CREATE VIRTUAL TABLE terms USING fts5vocab(words, 'instance');`);
  const insert = database.prepare("INSERT INTO words(rowid, word) VALUES (?, ?)");
  const read = database.prepare("SELECT doc, term FROM terms").raw();
  const clear = database.prepare("INSERT INTO words(words) VALUES ('delete-all')");
  const remembered = new Map<string, string | null>();

  const learn = database.transaction((words: readonly string[]) => {
    words.forEach((word, at) => insert.run(at, word));
    const found: (string | null | undefined)[] = [];
    for (const [at, term] of read.all() as [number, string][])
      found[at] = found[at] === undefined ? term : null;
    clear.run();
    words.forEach((word, at) => remembered.set(word, found[at] ?? null));
  });

  return {
    terms(words) {
      if (remembered.size > MAX_REMEMBERED) remembered.clear();
      const unknown = [...new Set(words)].filter((word) => !remembered.has(word));
      if (unknown.length > 0) learn(unknown);
      return words.map((word) => remembered.get(word) ?? null);
    },
    close: () => void database.close(),
  };
}
