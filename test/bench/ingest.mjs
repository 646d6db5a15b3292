// 10,000 Markdown files of about 4 KB: files/s lexical and with the embedded model, loop delay, cost as the base grows,
// change → searchable under load, delete of the source.
import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import {
  ms,
  percentile,
  printTable,
  sleep,
  startDaemon,
  temporaryFolder,
  treeRssMb,
  whenIdle,
  writeMarkdownFiles,
} from "./support.mjs";

const FILES = Number(process.env.BENCH_FILES ?? 10_000);

for (const embeddingModelId of process.argv.includes("--lexical") ? [null] : [null, "static-en-128"]) {
  const home = temporaryFolder();
  const folder = path.join(home, "notes");
  writeMarkdownFiles(folder, FILES, 4000);
  const daemon = await startDaemon(home);
  try {
    await ingest(daemon, folder, embeddingModelId);
  } finally {
    await daemon.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

async function ingest({ client, child }, folder, embeddingModelId) {
  const { base } = await client.call("base.create", { name: "notes", embeddingModelId });
  const began = performance.now();
  const { source } = await client.call("source.add", { baseId: base.id, path: folder });
  const live = [];
  let peak = 0;
  const touch = (async () => {
    await sleep(2000);
    for (let n = 0; n < 12; n++) {
      const { base: now } = await client.call("base.get", { baseId: base.id });
      if (now.counts.active < FILES / 10 && n > 0) return;
      const word = `zqlive${n}${embeddingModelId ? "m" : "l"}`;
      writeFileSync(
        path.join(folder, `live-${n}.md`),
        `# Live\n\n${word} ${"a line that a person wrote just now. ".repeat(270)}`,
      );
      const start = performance.now();
      for (;;) {
        const { hits } = await client.call("search.query", { query: word, baseIds: [base.id], topK: 3 });
        if (hits.some((hit) => hit.text.includes(word))) break;
        await sleep(10);
      }
      live.push(performance.now() - start);
      peak = Math.max(peak, treeRssMb(child.pid));
    }
  })();
  await whenIdle(client, base.id);
  const wall = (performance.now() - began) / 1000;
  await touch;
  const { counts } = (await client.call("base.get", { baseId: base.id })).base;
  const status = await client.call("system.status", {});
  printTable(`Ingest of ${FILES} Markdown files of 4 KB (${embeddingModelId ?? "lexical"})`, [
    [
      "files/s",
      `${Math.round(counts.completed / wall)} (${wall.toFixed(1)} s)`,
      embeddingModelId ? "400" : "800",
    ],
    ["completed, failed, chunks", `${counts.completed}, ${counts.failed}, ${counts.chunks}`],
    ["loop delay p99", ms(status.loopDelayP99Ms), "50 ms"],
    ["save → searchable meanwhile, p95", `${ms(percentile(live, 95))} (${live.length} saves)`, "2,000 ms"],
    ["peak memory, all processes", `${Math.round(peak)} MB`],
  ]);
  await sleep(1000);
  const start = performance.now();
  await client.call("source.remove", { sourceId: source.id });
  for (;;) {
    const { queue } = await client.call("system.status", {});
    if (queue.queued + queue.running === 0) break;
    await sleep(50);
  }
  const after = await client.call("system.status", {});
  printTable("Delete of the whole source", [
    ["wall", `${((performance.now() - start) / 1000).toFixed(1)} s`],
    ["loop delay p99 (last minute)", ms(after.loopDelayP99Ms), "50 ms"],
    ["chunks left", after.chunks],
  ]);
}
