// The documentation corpus: first index, no-op rescan, change → searchable, warm search, cold command, grep, memory, recall.
import { spawnSync } from "node:child_process";
import { appendFileSync, cpSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import {
  benchCorpus,
  benchFile,
  cli,
  ms,
  percentile,
  printTable,
  sleep,
  startDaemon,
  temporaryFolder,
  treeCpuSeconds,
  treeRssMb,
  whenIdle,
  visibleName,
} from "./support.mjs";

const corpus = benchCorpus();
if (!corpus) {
  process.stdout.write(
    "skipped: the benchmark corpus is not at hand (KNOWD_BENCH_CORPUS names its archive)\n",
  );
  process.exit(0);
}
const embeddingModelId = process.argv.includes("--hybrid") ? "static-en-128" : null;
const home = temporaryFolder();
const folder = path.join(home, "corpus");
cpSync(corpus, folder, { recursive: true });
let daemon = await startDaemon(home);
try {
  let { client } = daemon;
  const { base } = await client.call("base.create", { name: "corpus", embeddingModelId });
  const began = performance.now();
  const { source } = await client.call("source.add", { baseId: base.id, path: folder });
  let peak = 0;
  const sampling = setInterval(() => (peak = Math.max(peak, treeRssMb(daemon.child.pid))), 500);
  await whenIdle(client, base.id);
  const wall = performance.now() - began;
  clearInterval(sampling);
  const cpu = treeCpuSeconds(daemon.child.pid);
  const { counts } = (await client.call("base.get", { baseId: base.id })).base;
  const { loopDelayP99Ms } = await client.call("system.status", {});
  printTable(`First index (${embeddingModelId ?? "lexical"})`, [
    ["wall", `${(wall / 1000).toFixed(2)} s`, "12 s lexical"],
    ["CPU, living processes", `${cpu} s`],
    ["peak memory, all processes", `${Math.round(peak)} MB`],
    ["files, failed, chunks", `${counts.completed}, ${counts.failed}, ${counts.chunks}`],
    ["loop delay p99", ms(loopDelayP99Ms), "50 ms"],
  ]);

  const rescans = [];
  for (let n = 0; n < 5; n++) {
    const start = performance.now();
    const result = await client.call("source.rescan", { sourceId: source.id });
    rescans.push(performance.now() - start);
    if (result.changed + result.gone > 0)
      process.stdout.write(`! a no-op rescan saw ${JSON.stringify(result)}\n`);
  }
  printTable("No-op rescan", [
    ["median, max", `${ms(percentile(rescans, 50))}, ${ms(Math.max(...rescans))}`, "500 ms"],
  ]);

  await changes(client, base.id, folder);
  await warmSearch(client, base.id);
  await recall(client, base.id, folder);
  coldCommands(daemon);
  await grep(client, base.id);

  await daemon.stop();
  daemon = await startDaemon(home);
  client = daemon.client;
  const first = performance.now();
  await client.call("search.query", { query: "borrow checker", baseIds: [base.id] });
  const firstMs = daemon.startedMs + performance.now() - first;
  await whenIdle(client, base.id);
  const rescan = performance.now();
  await client.call("source.sync", { sourceId: source.id });
  const synced = performance.now() - rescan;
  // At rest means that the worker host, which has nothing to do, has given its memory back.
  for (let n = 0; n < 100 && (await client.call("system.status", {})).hosts.worker.state !== "stopped"; n++)
    await sleep(1000);
  printTable("Restart over the unchanged folder", [
    ["start to first answer", ms(firstMs), "1,000 ms"],
    ["sync (complete comparison)", ms(synced)],
    ["idle memory, all processes", `${Math.round(treeRssMb(daemon.child.pid))} MB`, "120 MB without a model"],
  ]);
} finally {
  await daemon.stop();
  rmSync(home, { recursive: true, force: true });
}

async function changes(client, baseId, where) {
  const latencies = { add: [], edit: [], delete: [] };
  const found = async (word) => {
    const { hits } = await client.call("search.query", { query: `"${word}"`, baseIds: [baseId], topK: 5 });
    return hits.some((hit) => hit.text.includes(word));
  };
  const until = async (wanted, word) => {
    const start = performance.now();
    while ((await found(word)) !== wanted) {
      if (performance.now() - start > 30_000)
        throw new Error(`${word}: not ${wanted ? "found" : "gone"} in 30 s`);
      await sleep(2);
    }
    return performance.now() - start;
  };
  for (let n = 0; n < 30; n++) {
    const file = path.join(where, `fresh-${n}.md`);
    const filler = "words of a note that somebody just wrote. ".repeat(240);
    writeFileSync(file, `# Fresh ${n}\n\nzqadded${n}x ${filler}`);
    latencies.add.push(await until(true, `zqadded${n}x`));
    appendFileSync(file, `\n\nzqedited${n}x\n`);
    latencies.edit.push(await until(true, `zqedited${n}x`));
    unlinkSync(file);
    latencies.delete.push(await until(false, `zqadded${n}x`));
  }
  printTable(
    "Change → searchable (10 KB Markdown, idle daemon)",
    Object.entries(latencies).map(([name, values]) => [
      `${name} p50, p95`,
      `${ms(percentile(values, 50))}, ${ms(percentile(values, 95))}`,
      "200, 500 ms",
    ]),
  );
}

async function warmSearch(client, baseId) {
  const queries = benchFile("queries.txt").trim().split("\n");
  const times = [];
  for (let round = 0; round < 4; round++) {
    for (const query of queries) {
      const start = performance.now();
      await client.call("search.query", { query, baseIds: [baseId], topK: 10 });
      if (round > 0) times.push(performance.now() - start);
    }
  }
  printTable("Warm search over the socket, with highlights", [
    ["p50, p95", `${ms(percentile(times, 50))}, ${ms(percentile(times, 95))}`, "15, 50 ms"],
  ]);
}

async function recall(client, baseId, where) {
  const byType = new Map();
  let empty = 0;
  for (const line of benchFile("known-dev.jsonl").trim().split("\n")) {
    const { type, q, files } = JSON.parse(line);
    const { hits } = await client.call("search.query", {
      query: q,
      baseIds: [baseId],
      topK: 10,
      groupBy: "document",
    });
    const targets = new Set(files.map((file) => path.join(where, visibleName(file))));
    const score = byType.get(type) ?? { found: 0, all: 0 };
    score.all++;
    if (hits.some((hit) => targets.has(hit.path))) score.found++;
    if (hits.length === 0) empty++;
    byType.set(type, score);
  }
  const bars = { title: ".83", rare: ".99", phrase: ".90", question: ".65 lexical, .80 hybrid" };
  printTable("Known items, recall@10", [
    ...[...byType].map(([type, { found, all }]) => [
      type,
      (found / all).toFixed(3),
      bars[type] ?? bars.question,
    ]),
    ["empty answers", empty, "0"],
  ]);
  const must = ["认证", "令牌登录", "C#", "Go", "package-lock.json", "describe-instances"];
  const answered = [];
  for (const query of must) {
    const { hits } = await client.call("search.query", { query, baseIds: [baseId], topK: 10 });
    answered.push([query, `${hits.length} hits`]);
  }
  printTable("These must answer", answered);
}

function coldCommands({ env, socketPath }) {
  const times = [];
  for (let n = 0; n < 15; n++) {
    const start = performance.now();
    spawnSync(process.execPath, [cli, "--socket", socketPath, "search", "resumable upload", "--json"], {
      env,
    });
    times.push(performance.now() - start);
  }
  printTable("Cold command (knowd search)", [
    ["p50, p95", `${ms(percentile(times, 50))}, ${ms(percentile(times, 95))}`, "120 ms"],
  ]);
}

async function grep(client, baseId) {
  const times = [];
  for (let n = 0; n < 6; n++) {
    const start = performance.now();
    const { matches } = await client.call("kb.grep", {
      pattern: "MaybeUninit",
      literal: true,
      baseIds: [baseId],
      limit: 5000,
    });
    if (n > 0) times.push(performance.now() - start);
    if (n === 0) process.stdout.write(`\ngrep: ${matches.length} matches\n`);
  }
  printTable("Grep over the base, a literal", [
    ["p50, max", `${ms(percentile(times, 50))}, ${ms(Math.max(...times))}`, "50 ms"],
  ]);
}
