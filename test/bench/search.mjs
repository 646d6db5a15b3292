// Latency of searches at 100,000 chunks of about 1,000 characters: round trip to the search host, its memory, the worst query.
//   node test/bench/search.mjs [chunks]
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { buildBase, searchWith, startHost } from "../support/search-base.mjs";
import { printColumns } from "./columns.mjs";
import { benchCorpus, benchFile, percentile, textSource } from "./support.mjs";

const wanted = Number(process.argv[2] ?? 100_000);
/** Tokens that make chunks of about 1,000 characters. */
const chunks = { chunkSize: 256, chunkOverlap: 0 };
/** As many as the daemon asks for when ten hits are wanted. */
const SHOWN = 15;
const corpus = benchCorpus();
const lines = (name) => benchFile(name).trim().split("\n");
const queries = corpus
  ? [...lines("queries.txt"), ...lines("known-dev.jsonl").map((line) => JSON.parse(line).q)]
  : generatedQueries();

const began = performance.now();
const base = await buildBase(corpus ? corpusFiles() : generatedFiles(), { chunks });
const { units } = base.counts;
process.stdout.write(`${units} chunks indexed in ${((performance.now() - began) / 1000).toFixed(0)} s\n`);

const rows = [];
for (const hybrid of [false, true]) {
  for (const query of queries.slice(0, 20)) await base.search(query, { hybrid, shown: SHOWN });
  const times = [];
  for (const query of queries) times.push(await timed(() => base.search(query, { hybrid, shown: SHOWN })));
  rows.push(row(hybrid ? "hybrid" : "words", times));
}
printColumns([`${queries.length} queries`, "p50 ms", "p95 ms", "max ms"], rows);

const worst = Array.from(new Set(readFileSync(new URL(import.meta.url), "utf8").match(/[a-z]{3,}/g))).join(
  " ",
);
const times = [];
for (const query of [
  `${worst} `.repeat(20),
  "a b c d e f g h i j k l m n o p q r s t u v w x y z 0 1 2 3 4 5 6 7 8 9",
]) {
  times.push(await timed(() => base.search(query, { hybrid: true })));
}
const memory = await residentMemory(base.host);
const fresh = startHost();
await fresh.start();
const first = await timed(() => searchWith(fresh, base.target, queries[0], { hybrid: true }));
await fresh.stop();
printColumns(
  ["measured", "value", "bar"],
  [
    ["worst queries, ms", Math.max(...times).toFixed(0), ""],
    ["first search of a new host, ms", first.toFixed(0), "1000"],
    ["resident memory of the search host, MB", (memory / 2 ** 20).toFixed(0), ""],
    ["hybrid p50, ms", rows[1][1], "40"],
    ["hybrid p95, ms", rows[1][2], "120"],
  ],
);
await base.close();

async function timed(run) {
  const started = performance.now();
  await run();
  return performance.now() - started;
}

function row(name, values) {
  return [name, ...[50, 95, 100].map((share) => percentile(values, share).toFixed(1))];
}

/** The host reports its memory about once a second while it works. */
async function residentMemory(host) {
  const until = performance.now() + 2500;
  while (performance.now() < until) await base.search(queries[0], { hybrid: true });
  return host.stats().rssBytes ?? 0;
}

/** The documentation again and again, from the second time on with its lines in another order, so that no text repeats. */
function* corpusFiles() {
  const files = readdirSync(corpus, { recursive: true })
    .map((name) => path.join(corpus, name))
    .filter((file) => !file.endsWith(".complete") && statSync(file).isFile());
  let characters = 0;
  for (let round = 0; ; round++) {
    for (const file of files) {
      const relative = `${round}/${path.relative(corpus, file)}`;
      const text = readFileSync(file, "utf8");
      const plain = file.endsWith(".html")
        ? text.replace(/<(script|style)[\s\S]*?<\/\1>|<[^>]+>/gi, " ")
        : text;
      const bytes = Buffer.from(round === 0 ? plain : shuffled(plain, round));
      characters += plain.replace(/\s+/g, " ").length;
      yield { id: relative, path: relative.replace(/\.html$/, ".txt"), bytes };
      if (characters > wanted * 1000) return;
    }
  }
}

function shuffled(text, seed) {
  const parts = text.split("\n");
  for (let at = parts.length - 1; at > 0; at--) {
    const other = (at * 7919 * seed + 13) % (at + 1);
    [parts[at], parts[other]] = [parts[other], parts[at]];
  }
  return parts.join("\n");
}

function* generatedFiles() {
  const source = textSource(3);
  for (let at = 0; at < wanted / 10; at++) {
    yield { id: String(at), path: `${at}.md`, bytes: Buffer.from(source.markdown(10_000)) };
  }
}

function generatedQueries() {
  const source = textSource(3);
  return Array.from({ length: 200 }, () => Array.from({ length: 5 }, source.word).join(" "));
}
