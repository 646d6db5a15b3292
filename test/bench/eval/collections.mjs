// Collections of documents, queries and judgements: the project's own, those of a folder beside the project, known items.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { benchCorpus, benchFile, root, visibleName } from "../support.mjs";
import { isJudged } from "./metrics.mjs";

export const ownFolder = fileURLToPath(new URL("../collections", import.meta.url));
export const qualityFolder = process.env.KNOWD_QUALITY ?? path.join(root, "../shared/quality/data");
export const KNOWN = "known-items";
/** Paraphrases of another collection with the passages that answer them alone, without those that distract. */
const PAIRS = new Map([
  ["paraphrase-pairs-en", "paraphrase-en"],
  ["paraphrase-more-pairs-en", "paraphrase-more-en"],
]);

/** Names of all collections at hand. */
export function collectionNames() {
  return [...collectionsIn(qualityFolder), KNOWN, ...ownNames()];
}

export function ownNames() {
  return [...collectionsIn(ownFolder), ...PAIRS.keys()];
}

function collectionsIn(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => existsSync(path.join(folder, name, "queries.jsonl")))
    .sort();
}

/**
 * { name, folder?, documents, queries: [{ id, text, type? }], relevant: query → document → grade }; a document is
 * { id, path, bytes }, `folder` says that the documents stand there already under their paths. Null where it is not at hand.
 */
export function loadCollection(name) {
  if (name === KNOWN) return knownItems();
  const whole = PAIRS.get(name);
  if (whole !== undefined) return withoutDistractors(name, loadCollection(whole));
  const parent = [ownFolder, qualityFolder].find((one) => existsSync(path.join(one, name, "queries.jsonl")));
  if (parent === undefined) throw new Error(`there is no collection "${name}"`);
  const lines = (file) =>
    readFileSync(path.join(parent, name, file), "utf8")
      .trim()
      .split("\n");
  const relevant = new Map();
  for (const line of lines("qrels.tsv")) {
    const [query, document, grade] = line.split("\t");
    if (!Number.isFinite(Number(grade))) continue;
    if (!relevant.has(query)) relevant.set(query, new Map());
    relevant.get(query).set(document, Number(grade));
  }
  const parse = (file) => lines(file).map((line) => JSON.parse(line));
  const extension = name.startsWith("fuzzer-code") ? "rs" : "md";
  return {
    name,
    documents: parse("corpus.jsonl").map((document, at) => asFile(document, at, extension)),
    queries: parse("queries.jsonl").filter(({ id }) => isJudged(relevant.get(id))),
    relevant,
  };
}

/** As a user would have it: a Markdown file under its title, or a file of code. Its name says nothing of what is in it. */
function asFile({ id, title, text }, at, extension) {
  const whole = title && extension === "md" ? `# ${title}\n\n${text}` : text;
  return { id, path: `${String(at).padStart(6, "0")}.${extension}`, bytes: Buffer.from(whole) };
}

function withoutDistractors(name, collection) {
  const judged = new Set([...collection.relevant.values()].flatMap((documents) => [...documents.keys()]));
  const documents = collection.documents.filter(({ id }) => judged.has(id));
  return { ...collection, name, documents };
}

function knownItems() {
  const folder = benchCorpus();
  if (!folder) return null;
  const known = benchFile("known-dev.jsonl")
    .trim()
    .split("\n")
    .map((line, at) => ({ id: String(at), ...JSON.parse(line) }));
  return {
    name: KNOWN,
    folder,
    documents: filesBelow(folder),
    queries: known.map(({ id, q, type }) => ({ id, text: q, type })),
    relevant: new Map(
      known.map(({ id, files }) => [id, new Map(files.map((file) => [visibleName(file), 1]))]),
    ),
  };
}

function filesBelow(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((entry) => statSync(path.join(folder, entry)).isFile())
    .map((entry) => ({
      id: entry,
      path: entry,
      get bytes() {
        return readFileSync(path.join(folder, entry));
      },
    }));
}
