import { expect, it } from "vitest";
import { createVocabulary, type Vocabulary } from "../../workers/search/spelling/vocabulary.ts";
import { createRandom } from "../support/random.ts";
import { openWordIndex, writeRows, type Row, type WordIndex } from "../support/word-index.ts";

/** Rows of words of two syllables: a few thousand, some in most rows and most in few. */
function spokenRows(count: number, seed: number): Row[] {
  const random = createRandom(seed);
  const letter = (of: string): string => of.charAt(Math.floor(random() ** 3 * of.length));
  const word = () => letter("bdfgklmnprtvz") + letter("aiou") + letter("bdfgklmnprtvz") + letter("aiouy");
  return Array.from({ length: count }, () => ({
    title: word(),
    body: `common ${Array.from({ length: 60 }, word).join(" ")}`,
  }));
}

/** Reads it in as many slices as it takes; `between` is called before each. */
function readAll({ reader }: WordIndex, between = () => {}): Vocabulary {
  const vocabulary = createVocabulary(reader);
  for (let isRead = false; !isRead; isRead = reader.snapshot(() => vocabulary.refresh(0))) between();
  return vocabulary;
}

/** Words that are told otherwise than FTS5 does: in a power of two units, of words on several pages perhaps the next one. */
function otherThanFts5({ reader }: WordIndex, vocabulary: Vocabulary): string[] {
  const told = reader.statement("SELECT term, doc FROM temp.word_frequency").raw().all() as [
    string,
    number,
  ][];
  if (told.length < 800 || vocabulary.units("nowhere") !== 0)
    throw new Error("not the words that were written");
  return told
    .filter(([term, units]) => {
      const off = Math.log2(vocabulary.units(term)) - Math.floor(Math.log2(units));
      return Math.abs(off) > (units < 100 ? 0 : 1);
    })
    .map(([term]) => term);
}

it("the words of a base are what FTS5 tells, of several segments and with deleted rows", () => {
  const opened = openWordIndex();
  for (let at = 0; at < 4; at++) writeRows(opened, 1 + at * 500, spokenRows(500, at));
  opened.writer.exec("DELETE FROM unit_words WHERE rowid BETWEEN 300 AND 900 OR rowid % 7 = 0");
  expect(otherThanFts5(opened, readAll(opened))).toEqual([]);
});

it("the words of a base are read on where segments are merged and written between two slices", () => {
  const opened = openWordIndex();
  for (let at = 0; at < 5; at++) writeRows(opened, 1 + at * 200, spokenRows(200, at));
  const merge = opened.writer.prepare("INSERT INTO unit_words(unit_words, rank) VALUES ('merge', ?)");
  let slices = 0;
  const vocabulary = readAll(opened, () => {
    if (slices++ % 3 === 1) merge.run(slices % 2 === 0 ? 8 : -8);
  });
  expect(slices).toBeGreaterThan(10);
  expect(otherThanFts5(opened, vocabulary)).toEqual([]);
});

it("the words of a base are asked of FTS5 itself where its pages have another form", () => {
  const opened = openWordIndex();
  writeRows(opened, 1, spokenRows(1500, 1));
  opened.writer.unsafeMode(true).exec("UPDATE unit_words_config SET v = 5 WHERE k = 'version'");
  expect(otherThanFts5(opened, readAll(opened))).toEqual([]);
});
