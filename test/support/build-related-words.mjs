// Makes workers/embed/model/related-words.bin of WordNet 3.1: npm run related-words -- folder-of-its-data-files
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const folder = new URL("../../workers/embed/model/", import.meta.url);
const { loadStaticModel } = await import(
  new URL("../../dist/workers/embed/static-model.js", import.meta.url)
);
const { stopWords } = await import(new URL("../../dist/workers/words/stop-words.js", import.meta.url));
const files = {
  modelPath: fileURLToPath(new URL("static-en-128.bin", folder)),
  vocabularyPath: fileURLToPath(new URL("static-en-128.vocab.json", folder)),
};
const model = loadStaticModel(files);
const vocabulary = JSON.parse(readFileSync(files.vocabularyPath, "utf8"));

/** Related words kept for each word: 12 and 20 found no more than 8 of a hundred paraphrases. */
const KEPT = 8;
const BYTE = 255;
/** A sense that was never counted in the tagged texts is not impossible. */
const UNCOUNTED = 0.5;
/**
 * What a word of another synset counts beside one of the word's own, by the pointer to it: broader words, derived words,
 * narrower words and parts. Words of the definition count as much as the word's own, all together by its length.
 */
const POINTERS = new Map([
  ...["@", "@i", "&", "*", ">"].map((pointer) => [pointer, 0.5]),
  ...["+", "^", "\\"].map((pointer) => [pointer, 0.7]),
  ...["~", "~i", "#m", "#s", "#p", "%m", "%s", "%p"].map((pointer) => [pointer, 0.15]),
]);
const PARTS_OF_SPEECH = { noun: "n", verb: "v", adj: "a", adv: "r" };
const SENSE_TYPES = { 1: "n", 2: "v", 3: "a", 4: "r", 5: "a" };

const lengths = new Map();
/** Of a word's vector: what it tells. */
function lengthOf(word) {
  const known = lengths.get(word);
  if (known !== undefined) return known;
  const vector = new Float64Array(model.dimensions);
  model.addWord(word, vector);
  const length = Math.hypot(...vector);
  lengths.set(word, length);
  return length;
}

const isPlain = (word) => /^[a-z]{2,}$/.test(word) && !stopWords.has(word);
const isKnown = (word) => model.placeOf(word) !== null;

function readWordNet(dictionary) {
  const synsets = new Map();
  const senses = new Map();
  const counts = new Map();
  const linesOf = (name) =>
    readFileSync(path.join(dictionary, name), "latin1")
      .split("\n")
      .filter((line) => line !== "" && line[0] !== " ");
  for (const [name, part] of Object.entries(PARTS_OF_SPEECH)) {
    for (const line of linesOf(`data.${name}`)) synsets.set(`${part}${line.slice(0, 8)}`, readSynset(line));
    for (const line of linesOf(`index.${name}`)) {
      const fields = line.trim().split(" ");
      const keys = fields.slice(6 + Number(fields[3])).map((offset) => `${part}${offset}`);
      senses.set(fields[0], [...(senses.get(fields[0]) ?? []), ...keys]);
    }
  }
  for (const line of linesOf("index.sense")) {
    const [key, offset, , count] = line.split(" ");
    const [lemma, rest] = key.split("%");
    counts.set(`${lemma} ${SENSE_TYPES[rest[0]]}${offset}`, Number(count));
  }
  return { synsets, senses, countOf: (lemma, key) => (counts.get(`${lemma} ${key}`) ?? 0) + UNCOUNTED };
}

/** Fields as wndb(5WN) describes them. */
function readSynset(line) {
  const [head, gloss = ""] = line.split(" | ");
  const fields = head.split(" ");
  const wordCount = Number.parseInt(fields[3], 16);
  const words = [];
  for (let at = 0; at < wordCount; at++)
    words.push(fields[4 + 2 * at].toLowerCase().replace(/\([a-z]+\)$/, ""));
  const first = 5 + 2 * wordCount;
  const pointers = [];
  for (let at = 0; at < Number(fields[first - 1]); at++) {
    const [pointer, offset, part] = fields.slice(first + 4 * at);
    pointers.push([pointer, `${part === "s" ? "a" : part}${offset}`]);
  }
  // What follows in quotation marks are examples.
  const definition =
    gloss
      .split('; "')[0]
      .toLowerCase()
      .match(/[a-z]+/g) ?? [];
  return { words, pointers, definition };
}

/** A word and what it may be an inflection of. */
function lemmasOf(word, { senses }) {
  const forms = [word];
  const ending = (end, ...others) => {
    if (word.endsWith(end)) forms.push(...others.map((other) => word.slice(0, -end.length) + other));
  };
  ending("ies", "y");
  ending("es", "");
  ending("s", "");
  ending("ing", "", "e");
  if (word.endsWith("ing")) forms.push(word.slice(0, -4));
  ending("ied", "y");
  ending("ed", "", "e");
  if (word.endsWith("ed")) forms.push(word.slice(0, -3));
  ending("er", "");
  const [first, second] = forms.filter((form) => senses.has(form));
  if (first === undefined) return [];
  return first === word && second !== undefined && /(?:s|ing|ed)$/.test(word) ? [first, second] : [first];
}

/** Each related word with what it counts. */
function relatedTo(word, wordNet) {
  const found = new Map();
  const add = (name, weight) => {
    const parts = name.split("_");
    for (const part of parts) found.set(part, (found.get(part) ?? 0) + weight / Math.sqrt(parts.length));
  };
  const senses = lemmasOf(word, wordNet).flatMap((lemma) =>
    wordNet.senses.get(lemma).map((key) => [key, wordNet.countOf(lemma, key)]),
  );
  const total = senses.reduce((sum, [, count]) => sum + count, 0);
  for (const [key, count] of senses) {
    const share = count / total;
    const { words, pointers, definition } = wordNet.synsets.get(key);
    for (const other of words) add(other, share);
    for (const [pointer, to] of pointers) {
      const others = wordNet.synsets.get(to)?.words ?? [];
      const weight = (share * (POINTERS.get(pointer) ?? 0)) / Math.sqrt(others.length);
      if (weight > 0) for (const other of others) add(other, weight);
    }
    for (const other of definition) add(other, share / Math.sqrt(definition.length));
  }
  found.delete(word);
  return found;
}

/** The most telling ones: row in the model's table and weight, 1 to 255. */
function entriesOf(word, wordNet) {
  const best = [...relatedTo(word, wordNet)]
    .filter(([other]) => isPlain(other) && isKnown(other))
    .map(([other, weight]) => [other, weight, weight * lengthOf(other)])
    .sort((a, b) => b[2] - a[2] || (a[0] < b[0] ? -1 : 1))
    .slice(0, KEPT);
  const most = Math.max(...best.map(([, weight]) => weight));
  return best.map(([other, weight]) => [
    model.placeOf(other),
    Math.max(1, Math.round((weight / most) * BYTE)),
  ]);
}

/** As workers/embed/related-words.ts reads it. */
function encode(wordNet) {
  const ofRows = vocabulary.map((word) => (isPlain(word) ? entriesOf(word, wordNet) : []));
  const others = [...wordNet.senses.keys()]
    .filter((word) => isPlain(word) && !isKnown(word))
    .map((word) => [word, entriesOf(word, wordNet)])
    .filter(([, entries]) => entries.length > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const lists = [...ofRows, ...others.map(([, entries]) => entries)];
  const entries = lists.flat();
  const head = new Uint32Array([vocabulary.length, others.length, entries.length]);
  return Buffer.concat([
    Buffer.from(head.buffer),
    Buffer.from(new Uint16Array(entries.map(([row]) => row)).buffer),
    Buffer.from(entries.map(([, weight]) => weight)),
    Buffer.from(lists.map(({ length }) => length)),
    Buffer.from(others.map(([word]) => word).join("\n")),
  ]);
}

const [dictionary] = process.argv.slice(2);
if (dictionary === undefined) {
  process.stderr.write("usage: npm run related-words -- folder with data.noun, index.noun, index.sense …\n");
  process.exitCode = 2;
} else writeFileSync(new URL("related-words.bin", folder), encode(readWordNet(dictionary)));
