// Search quality: nDCG@10 of the collections and recall@10 of known items, by words and hybrid, beside their targets.
//   node test/bench/quality.mjs [collection…] [--alpha 0.3]
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { buildBase, documentsOf, printColumns } from "../support/search-base.mjs";
import { benchCorpus, benchFile, root } from "./support.mjs";

/** Lexical targets; hybrid may not fall below the better lane by more than .005. */
const targets = {
  cranfield: 0.371,
  cisi: 0.398,
  "claude-docs": 0.755,
  "fuzzer-code": 0.72,
  "xquad-en": 0.97,
  "xquad-zh": 0.965,
  "cmrc2018-dev": 0.985,
  "drcd-dev": null,
  "jsquad-valid": 0.944,
  "xquad-ru": 0.955,
};
const knownTargets = { title: 0.83, rare: 0.99, phrase: 0.9, nl: 0.65 };

const folder = process.env.KNOWD_QUALITY ?? path.join(root, "../shared/quality/data");
const flags = process.argv.slice(2);
const alphaAt = flags.indexOf("--alpha");
const alpha = alphaAt < 0 ? 0.3 : Number(flags.splice(alphaAt, 2)[1]);
const wanted = flags.length > 0 ? flags : [...Object.keys(targets), "known"];

if (!existsSync(folder)) {
  process.stdout.write(
    "skipped: the quality collections are not at hand (KNOWD_QUALITY names their folder)\n",
  );
  process.exit(0);
}

const rows = [];
for (const name of wanted.filter((set) => set in targets)) rows.push(await measure(name));
if (rows.length > 0) {
  printColumns(["nDCG@10", "documents", "chunks", "queries", "words", "target", "hybrid", "no answer"], rows);
}
if (wanted.includes("known")) await measureKnownItems();

async function measure(name) {
  const { corpus, queries, relevant } = load(name);
  const extension = name === "fuzzer-code" ? "rs" : "md";
  const ids = corpus.map((document) => document.id);
  const base = await buildBase(
    corpus.map(({ title, text }, at) => ({
      id: String(at),
      path: `${at}.${extension}`,
      bytes: Buffer.from(title && extension === "md" ? `# ${title}\n\n${text}` : text),
    })),
  );
  const scores = { words: [], hybrid: [] };
  let empty = 0;
  for (const { id, text } of queries) {
    const judged = relevant.get(id);
    if (!judged || ![...judged.values()].some((gain) => gain > 0)) continue;
    for (const mode of ["words", "hybrid"]) {
      const { candidates } = await base.search(text, { hybrid: mode === "hybrid", alpha, perDocument: true });
      const ranked = documentsOf(candidates).map((at) => ids[Number(at)]);
      if (mode === "words" && ranked.length === 0) empty++;
      scores[mode].push(ndcg(judged, ranked, 10));
    }
  }
  await base.close();
  const target = targets[name];
  return [
    name,
    ids.length,
    base.counts.units,
    scores.words.length,
    mean(scores.words).toFixed(4),
    target === null ? "" : target.toFixed(3),
    mean(scores.hybrid).toFixed(4),
    empty,
  ];
}

async function measureKnownItems() {
  const corpus = benchCorpus();
  if (!corpus) {
    process.stdout.write("skipped: the documentation corpus is not at hand\n");
    return;
  }
  const base = await buildBase(filesOf(corpus));
  const known = benchFile("known-dev.jsonl")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const rows = [];
  for (const [type, target] of Object.entries(knownTargets)) {
    const queries = known.filter((query) => query.type === type);
    const found = { words: 0, hybrid: 0 };
    for (const { q, files } of queries) {
      for (const mode of ["words", "hybrid"]) {
        const { candidates } = await base.search(q, { hybrid: mode === "hybrid", alpha, perDocument: true });
        if (
          documentsOf(candidates)
            .slice(0, 10)
            .some((file) => files.includes(file))
        )
          found[mode]++;
      }
    }
    const share = (count) => (count / queries.length).toFixed(3);
    rows.push([type, queries.length, share(found.words), target, share(found.hybrid)]);
  }
  await base.close();
  printColumns([`R@10 (${base.counts.units} chunks)`, "queries", "words", "target", "hybrid"], rows);
}

function* filesOf(corpus) {
  for (const entry of readdirSync(corpus, { recursive: true })) {
    const file = path.join(corpus, entry);
    if (entry.endsWith(".complete") || !statSync(file).isFile()) continue;
    const relative = entry.replace(/^corpus\//, "");
    yield { id: relative, path: relative, bytes: readFileSync(file) };
  }
}

function load(name) {
  const lines = (file) =>
    readFileSync(path.join(folder, name, file), "utf8")
      .trim()
      .split("\n");
  const relevant = new Map();
  for (const line of lines("qrels.tsv")) {
    const [query, document, gain] = line.split("\t");
    if (!Number.isFinite(Number(gain))) continue;
    if (!relevant.has(query)) relevant.set(query, new Map());
    relevant.get(query).set(document, Number(gain));
  }
  const parse = (file) => lines(file).map((line) => JSON.parse(line));
  return { corpus: parse("corpus.jsonl"), queries: parse("queries.jsonl"), relevant };
}

/** Linear gains, discount 1 / log2(rank + 1), over the ideal order of all judged documents. */
function ndcg(judged, ranked, depth) {
  const gained = (gains) =>
    gains.slice(0, depth).reduce((sum, gain, at) => sum + Math.max(0, gain) / Math.log2(at + 2), 0);
  const ideal = [...judged.values()].sort((a, b) => b - a);
  return gained(ranked.map((id) => judged.get(id) ?? 0)) / gained(ideal);
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
