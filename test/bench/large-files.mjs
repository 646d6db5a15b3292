// A 1 GB mailbox and a 500 MB table: indexed, searched, read, grepped, appended to and deleted, with the memory of each
// process and the main loop's delay on the way. `--size 0.1` takes a tenth of both, which is the default; 1 is the whole.
import {
  appendFileSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import Sqlite from "better-sqlite3";
import { ms, percentile, printTable, sleep, startDaemon, temporaryFolder, textSource } from "./support.mjs";

const sizeAt = process.argv.indexOf("--size");
const size = Number(sizeAt === -1 ? (process.env.BENCH_SIZE ?? 0.1) : process.argv[sizeAt + 1]);
const only = process.argv.includes("--only") ? process.argv[process.argv.indexOf("--only") + 1] : null;
const MB = 1e6;
const home = temporaryFolder();

const source = textSource(7);
const paragraphs = Array.from({ length: 20_000 }, () => source.paragraph(400));
const pick = () => paragraphs[Math.floor(source.random() * paragraphs.length)];

function writeFile(file, bytes, next) {
  const descriptor = openSync(file, "w");
  let written = 0;
  for (let at = 0; written < bytes; at++) {
    let batch = "";
    for (; batch.length < MB && written + batch.length < bytes; at++) batch += next(at);
    written += writeSync(descriptor, batch);
  }
  closeSync(descriptor);
}

function message(at) {
  const head =
    `From sender${at % 500}@example.org Mon Nov  2 10:00:00 2026\nFrom: Sender ${at % 500} <sender${at % 500}@example.org>\n` +
    `To: team@example.org\nSubject: ${source.sentence()}\nMessage-ID: <m${at}@example.org>\n` +
    `Date: Mon, 2 Nov 2026 10:00:00 +0000\nMIME-Version: 1.0\n`;
  const text = Array.from({ length: 1 + (at % 9) }, (_, n) => `Note ${at}-${n}. ${pick()}`).join("\n\n");
  if (at % 40 === 0) {
    const picture = Buffer.from(Array.from({ length: 60_000 }, (_, n) => (n * at) & 255)).toString("base64");
    return (
      `${head}Content-Type: multipart/mixed; boundary="b${at}"\n\n--b${at}\nContent-Type: text/plain\n\n${text}\n` +
      `--b${at}\nContent-Type: image/png\nContent-Transfer-Encoding: base64\nContent-Disposition: attachment; filename="p${at}.png"\n\n` +
      `${picture.replaceAll(/.{76}/g, "$&\n")}\n--b${at}--\n\n`
    );
  }
  if (at % 5 === 0)
    return `${head}Content-Type: text/html\n\n<html><body><h1>News ${at}</h1>${text
      .split("\n\n")
      .map((one) => `<p>${one}</p>`)
      .join("")}</body></html>\n\n`;
  return `${head}Content-Type: text/plain\n\n${text}\n\n`;
}

const row = (at) =>
  at === 0
    ? "id,name,city,amount,note\n"
    : `${at},"Customer ${at}",${source.word()},${(at * 7919) % 100000}.${at % 100},"${pick()
        .slice(0, 60 + (at % 90))
        .replaceAll('"', "'")}"\n`;

const plans = [
  {
    name: "mail.mbox",
    bytes: 1000 * MB * size,
    next: message,
    more: message(9_999_999),
    needle: "sender499",
    word: "9999999",
  },
  {
    name: "table.csv",
    bytes: 500 * MB * size,
    next: row,
    more: row(99_999_999),
    needle: "Customer 77777",
    word: "99999999",
  },
].filter((plan) => only === null || plan.name.includes(only));

/** Resident megabytes of the daemon and its children, by what they are. */
function memory(pid) {
  const found = new Map();
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const status = readFileSync(`/proc/${entry}/status`, "utf8");
      const parent = Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]);
      if (Number(entry) !== pid && parent !== pid) continue;
      const line = readFileSync(`/proc/${entry}/cmdline`, "utf8");
      const name = line.includes("search/host")
        ? "search host"
        : line.includes("workers/host")
          ? "worker host"
          : Number(entry) === pid
            ? "main"
            : "other";
      const rss = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
      found.set(name, Math.max(found.get(name) ?? 0, rss));
    } catch {
      // It ended while it was looked at.
    }
  }
  return found;
}

function watchMemory(pid) {
  const idle = memory(pid);
  const peak = new Map();
  const timer = setInterval(() => {
    for (const [name, rss] of memory(pid)) peak.set(name, Math.max(peak.get(name) ?? 0, rss));
  }, 200);
  return {
    stop() {
      clearInterval(timer);
      return [...peak]
        .map(([name, rss]) => `${name} ${Math.round(rss)} (idle ${Math.round(idle.get(name) ?? 0)})`)
        .join(", ");
    },
  };
}

async function timed(fn) {
  const began = performance.now();
  const result = await fn();
  return { took: performance.now() - began, result };
}

/** Read beside the daemon. */
function unitsIn(indexFile) {
  const raw = new Sqlite(indexFile, { readonly: true });
  try {
    return raw.prepare("SELECT count(*) FROM search_unit").pluck().get();
  } finally {
    raw.close();
  }
}

/** Several times; the median and the longest. */
async function latency(fn, times = 9) {
  const all = [];
  for (let n = 0; n < times; n++) all.push((await timed(fn)).took);
  return `${ms(percentile(all, 50))}, at most ${ms(Math.max(...all))}`;
}

/** Round trips of a call that does nothing, while other work goes on: what the main loop keeps waiting. */
function watchLoop(client) {
  const waits = [];
  const stopping = new AbortController();
  const done = (async () => {
    while (!stopping.signal.aborted) {
      waits.push((await timed(() => client.call("system.status", {}))).took);
      await sleep(5);
    }
  })();
  // A daemon that ends on the way is said by the work that waits for it.
  done.catch(() => undefined);
  return {
    async stop() {
      stopping.abort();
      await done;
      return `p50 ${ms(percentile(waits, 50))}, p99 ${ms(percentile(waits, 99))}, at most ${ms(Math.max(...waits))}`;
    },
  };
}

async function settled(client, baseId) {
  for (let quiet = 0; quiet < 3; await sleep(100)) {
    const { base } = await client.call("base.get", { baseId });
    quiet = base.counts.active > 0 || base.counts.items === 0 ? 0 : quiet + 1;
    if (base.counts.failed > 0) {
      const { items } = await client.call("item.list", { baseId, status: "failed", type: "file", limit: 1 });
      throw new Error(`it failed: ${items[0]?.error}`);
    }
  }
}

async function measure(plan) {
  const folder = path.join(home, plan.name.replace(/\W/g, "-"));
  const file = path.join(folder, plan.name);
  mkdirSync(folder);
  writeFile(file, plan.bytes, plan.next);
  const megabytes = statSync(file).size / MB;
  const daemon = await startDaemon(path.join(home, `home-${plan.name}`), { "ingest.maxFileBytes": 2e9 });
  const { client, child } = daemon;
  const rows = [["file", `${megabytes.toFixed(0)} MB`]];
  try {
    const { base } = await client.call("base.create", { name: plan.name });
    const baseId = base.id;
    await client.call("search.query", { query: "anything", baseIds: [baseId] });
    const step = async (name, fn) => {
      const memoryOf = watchMemory(child.pid);
      const loop = watchLoop(client);
      const { took } = await timed(fn);
      const loopSaid = await loop.stop();
      rows.push([name, `${(took / 1000).toFixed(1)} s (${(megabytes / (took / 1000)).toFixed(1)} MB/s)`]);
      rows.push(["  memory, MB", memoryOf.stop()], ["  status call", loopSaid]);
    };
    await step("index", async () => {
      await client.call("source.add", { baseId, path: folder });
      await settled(client, baseId);
    });
    const { counts } = (await client.call("base.get", { baseId })).base;
    rows.push(["chunks", String(counts.chunks)]);
    const { items } = await client.call("item.list", { baseId, limit: 10 });
    const itemId = items.find((item) => item.type === "file")?.id;
    const { totalChars } = await client.call("kb.read", { itemId });
    const memoryOf = watchMemory(child.pid);
    rows.push([
      "search, first",
      ms(
        (
          await timed(() =>
            client.call("search.query", { query: "quarterly numbers of a customer", baseIds: [baseId] }),
          )
        ).took,
      ),
    ]);
    // The first searches begin to load the vectors; what is measured is a base that is in use.
    const isWarm = async () =>
      (await client.call("search.query", { query: "quarterly numbers", baseIds: [baseId] })).degraded ===
      undefined;
    while (!(await isWarm())) await sleep(200);
    rows.push([
      "search",
      await latency(() =>
        client.call("search.query", { query: `${source.word()} ${source.word()} note`, baseIds: [baseId] }),
      ),
    ]);
    rows.push([
      "read anywhere",
      await latency(() =>
        client.call("kb.read", {
          itemId,
          charStart: Math.floor(source.random() * (totalChars - 5000)),
          charEnd: undefined,
        }),
      ),
    ]);
    const grep = () =>
      client.call("kb.grep", { pattern: plan.needle, baseIds: [baseId], limit: 5, deadlineMs: 60_000 });
    rows.push(["grep, few matches", await latency(grep, 3)]);
    rows.push([
      "grep, none",
      await latency(
        () =>
          client.call("kb.grep", { pattern: "no such text anywhere", baseIds: [baseId], deadlineMs: 60_000 }),
        3,
      ),
    ]);
    rows.push([
      "find in it, none",
      await latency(
        () => client.call("kb.read", { itemId, pattern: "no such text anywhere" }).catch((error) => error),
        1,
      ),
    ]);
    rows.push(["  memory, MB", memoryOf.stop()]);
    await step("append one and index again", async () => {
      appendFileSync(file, plan.more);
      for (;;) {
        const { hits } = await client.call("search.query", { query: plan.word, baseIds: [baseId], topK: 3 });
        if (hits.some((hit) => hit.text.includes(plan.word) || hit.locator?.messageId?.includes(plan.word)))
          return;
        await sleep(200);
      }
    });
    const indexFile = path.join(daemon.home, "data/knowd/KnowledgeBase", baseId, ".cherry/index.sqlite");
    const indexBytes = statSync(indexFile).size;
    rows.push(["index on disk", `${(indexBytes / MB).toFixed(0)} MB`]);
    await step("delete", async () => {
      await client
        .call("item.delete", { itemIds: [itemId] })
        .catch((error) => process.stdout.write(`${error.message}\n`));
      while (unitsIn(indexFile) > 0) await sleep(100);
    });
  } finally {
    await daemon.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  printTable(plan.name, rows);
}

try {
  for (const plan of plans) await measure(plan);
} finally {
  rmSync(home, { recursive: true, force: true });
}
