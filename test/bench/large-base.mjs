// A large base through the daemon: search over the socket, the worst queries, memory, start to first answer, and what a file
// costs at a tenth of its chunks and at all of them.
//   BENCH_CHUNKS=1000000 BENCH_HOME=<folder> node test/bench/large-base.mjs
// 100,000 chunks unless told otherwise. The folder is kept, and a base that stands in it is not built again.
import { existsSync, rmSync } from "node:fs";
import path from "node:path";
import {
  benchCorpus,
  benchFile,
  ms,
  percentile,
  printTable,
  sleep,
  startDaemon,
  temporaryFolder,
  textSource,
  treeRssMb,
  whenIdle,
  writeMarkdownFiles,
} from "./support.mjs";
import { printWorstQueries } from "./worst-queries.mjs";

const CHUNKS = Number(process.env.BENCH_CHUNKS ?? 100_000);
const SEED = 7;
const BUILD_MS = 4 * 60 * 60_000;
const kept = process.env.BENCH_HOME;
const home = kept ?? temporaryFolder();
const folder = path.join(home, "library");
const isBuilt = existsSync(path.join(home, "data"));
// Ten chunks a file at 256 tokens a chunk.
if (!isBuilt) writeMarkdownFiles(path.join(folder, "bulk"), CHUNKS / 10, 9000, SEED);
let daemon = await startDaemon(home);
try {
  let { client } = daemon;
  const base = isBuilt ? (await client.call("base.list", {})).items[0] : await build(client);
  await whenIdle(client, base.id);
  await whenLoaded(client, base.id);
  await measureSearch(client, base.id, 40, 98);
  show("Search, warm and idle", await measureSearch(client, base.id, 200, 99));
  show("The same, one word of each misspelt", await measureSearch(client, base.id, 100, 97, misspelt));
  await printMemory(client, daemon.child.pid);
  await printWorstQueries(daemon.socketPath, base.id);
  await daemon.stop();
  daemon = await startDaemon(home);
  client = daemon.client;
  const start = performance.now();
  await client.call("search.query", { query: "how do the other files change", baseIds: [base.id] });
  const first = performance.now() - start;
  await whenIdle(client, base.id);
  // At rest means that the worker host, which has nothing to do, has given its memory back.
  for (let n = 0; n < 100 && (await client.call("system.status", {})).hosts.worker.state !== "stopped"; n++)
    await sleep(1000);
  printTable("After a restart", [
    [
      "start to first answer",
      `${ms(daemon.startedMs + first)} (socket ${ms(daemon.startedMs)}, query ${ms(first)})`,
      "1,000 ms",
    ],
  ]);
  await printMemory(client, daemon.child.pid);
} finally {
  await daemon.stop();
  if (kept === undefined) rmSync(home, { recursive: true, force: true });
}

/** Vectors are loaded after the first search: 20 s for a million. */
async function whenLoaded(client, baseId) {
  const ask = () =>
    client.call("search.query", { query: "how do the other files change", baseIds: [baseId] });
  for (let n = 0; n < 600 && (await ask()).degraded !== undefined; n++) await sleep(500);
  await sleep(5000);
}

async function build(client) {
  const { base } = await client.call("base.create", { name: "library", chunkSize: 256, chunkOverlap: 16 });
  const began = performance.now();
  const rates = [];
  const sample = async () => {
    const { base: now } = await client.call("base.get", { baseId: base.id });
    rates.push({ at: performance.now(), chunks: now.counts.chunks, files: now.counts.completed });
  };
  const sampling = setInterval(() => void sample(), 500);
  await client.call("source.add", { baseId: base.id, path: folder });
  const whileIndexing = measureSearch(client, base.id, 60, 96);
  await whenIdle(client, base.id, BUILD_MS);
  clearInterval(sampling);
  const wall = (performance.now() - began) / 1000;
  const { counts } = (await client.call("base.get", { baseId: base.id })).base;
  printTable(`${counts.chunks} chunks in ${counts.completed} files (hybrid)`, [
    ["ingest", `${wall.toFixed(1)} s, ${Math.round(counts.completed / wall)} files/s`],
    ["files/s in the first and last tenth", `${rate(rates, 0, 0.1)}, ${rate(rates, 0.9, 1)}`],
  ]);
  show("Search while indexing", await whileIndexing);
  return base;
}

async function printMemory(client, pid) {
  const status = await client.call("system.status", {});
  const mb = (bytes) => `${Math.round((bytes ?? 0) / 1048576)} MB`;
  printTable("Memory", [
    ["all processes", `${Math.round(treeRssMb(pid))} MB`, "300 MB at rest at 100,000 chunks"],
    ["main", mb(status.rssBytes)],
    ["search host", mb(status.hosts.search.rssBytes), "400 MB at 1,000,000 chunks"],
  ]);
}

function rate(samples, from, to) {
  const total = samples.at(-1)?.files ?? 0;
  const first = samples.find((sample) => sample.files >= total * from && sample.files > 0);
  const last = samples.findLast((sample) => sample.files <= total * to);
  if (!first || !last || last.at <= first.at) return "?";
  return `${Math.round(((last.files - first.files) / (last.at - first.at)) * 1000)} at ${last.chunks} chunks`;
}

/** Questions of three to nine words, drawn as the texts were and each new, and some real ones; the socket's round trip. */
async function measureSearch(client, baseId, count, drawn, change = (words) => words) {
  const source = textSource(SEED, drawn);
  const queries = benchCorpus() ? benchFile("queries.txt").trim().split("\n") : [];
  const times = [];
  for (let n = 0; n < count; n++) {
    const words = Array.from({ length: 3 + Math.floor(source.random() * 7) }, source.word);
    const query = (n % 8 === 0 && queries[n % queries.length]) || change(words).join(" ");
    const start = performance.now();
    await client.call("search.query", { query, baseIds: [baseId], topK: 10 });
    times.push(performance.now() - start);
    await sleep(20);
  }
  return times;
}

/** The longest word with two of its letters in each other's place. */
function misspelt(words) {
  const longest = words.reduce((most, word) => (word.length > most.length ? word : most));
  return words.map((word) =>
    word === longest ? `${word.slice(0, 2)}${word[3]}${word[2]}${word.slice(4)}` : word,
  );
}

function show(title, times) {
  printTable(title, [
    [
      "p50, p95",
      `${ms(percentile(times, 50))}, ${ms(percentile(times, 95))} (${times.length} queries)`,
      "6, 15 ms at 100,000 chunks; 20, 50 at 1,000,000",
    ],
  ]);
}
