// What the benchmarks share: a daemon of their own in a temporary home, corpora, percentiles, tables.
import { spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));
const { connect } = await import(path.join(root, "dist/rpc/client.js"));
export const cli = path.join(root, "dist/rpc/cli/main.js");

export function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

export function temporaryFolder() {
  return mkdtempSync(path.join(tmpdir(), "knowd-bench-"));
}

function environment(home) {
  return {
    PATH: process.env.PATH,
    HOME: home,
    XDG_DATA_HOME: path.join(home, "data"),
    XDG_CONFIG_HOME: path.join(home, "config"),
    XDG_STATE_HOME: path.join(home, "state"),
    XDG_RUNTIME_DIR: path.join(home, "run"),
  };
}

/** Starts the built daemon; `startedMs` is the time until it answered its first call. */
export async function startDaemon(home, settings = {}) {
  mkdirSync(path.join(home, "run"), { recursive: true, mode: 0o700 });
  const socketPath = path.join(home, "run/knowd/knowd.sock");
  const set = Object.entries(settings).flatMap(([key, value]) => ["--set", `${key}=${value}`]);
  const began = performance.now();
  const child = spawn(
    process.execPath,
    [path.join(root, "dist/daemon/main.js"), "--socket", socketPath, ...set],
    {
      env: environment(home),
      stdio: ["ignore", "ignore", "inherit"],
    },
  );
  const ended = new Promise((resolve) => child.once("exit", resolve));
  for (;;) {
    try {
      const client = await connect({ socketPath });
      await client.call("system.status", {});
      const startedMs = performance.now() - began;
      return {
        client,
        child,
        home,
        socketPath,
        startedMs,
        env: environment(home),
        async stop(signal = "SIGTERM") {
          client.close();
          child.kill(signal);
          await ended;
        },
      };
    } catch (error) {
      if (child.exitCode !== null) throw new Error("the daemon ended at start", { cause: error });
      await sleep(5);
    }
  }
}

export async function whenIdle(client, baseId, timeoutMs = 1_200_000) {
  const deadline = performance.now() + timeoutMs;
  for (let quiet = 0; quiet < 2;) {
    const { base } = await client.call("base.get", { baseId });
    const { items } = await client.call("source.list", { baseId, limit: 100 });
    const busy = base.counts.active > 0 || items.some((source) => source.state === "scanning");
    quiet = busy ? 0 : quiet + 1;
    if (performance.now() > deadline) throw new Error("not idle in time");
    await sleep(20);
  }
}

export function percentile(values, p) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((p / 100) * sorted.length))] ?? NaN;
}

export function ms(value) {
  return value < 10 ? `${value.toFixed(2)} ms` : `${Math.round(value)} ms`;
}

/** Resident memory of the process and all its descendants, in MB. */
export function treeRssMb(pid) {
  const out = spawnSync("ps", ["-eo", "pid=,ppid=,rss="], { encoding: "utf8" }).stdout;
  const rows = out
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number));
  const wanted = new Set([pid]);
  for (let grew = true; grew;) {
    grew = false;
    for (const [child, parent] of rows) {
      if (wanted.has(parent) && !wanted.has(child)) {
        wanted.add(child);
        grew = true;
      }
    }
  }
  return rows.filter(([one]) => wanted.has(one)).reduce((sum, [, , rss]) => sum + rss / 1024, 0);
}

/** User and system CPU seconds of the process and its living descendants. */
export function treeCpuSeconds(pid) {
  const out = spawnSync("ps", ["-eo", "pid=,ppid=,cputimes="], { encoding: "utf8" }).stdout;
  const rows = out
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number));
  const wanted = new Set([pid]);
  for (const [child, parent] of [...rows, ...rows]) if (wanted.has(parent)) wanted.add(child);
  return rows.filter(([one]) => wanted.has(one)).reduce((sum, [, , cpu]) => sum + cpu, 0);
}

const archive = process.env.KNOWD_BENCH_CORPUS ?? path.join(root, "../shared/bench/corpus.tar.zst");

/** Folders that are left out by default, under a name that is not, so that all 5,322 files count. */
export function visibleName(file) {
  return file.replaceAll("node_modules", "node-modules").replaceAll(/(^|\/)\./g, "$1dot-");
}

/** The benchmark corpus, unpacked once into a temporary folder; null where it is not at hand. */
export function benchCorpus() {
  if (!existsSync(archive)) return null;
  const folder = path.join(tmpdir(), "knowd-bench-corpus");
  if (!existsSync(path.join(folder, ".complete"))) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const done = spawnSync("tar", ["--zstd", "-xf", archive, "-C", folder], { encoding: "utf8" });
    if (done.status !== 0) throw new Error(`tar failed: ${done.stderr}`);
    makeVisible(folder);
    writeFileSync(path.join(folder, ".complete"), "");
  }
  return path.join(folder, "corpus");
}

function makeVisible(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const visible = path.join(folder, visibleName(entry.name));
    if (visible !== path.join(folder, entry.name)) renameSync(path.join(folder, entry.name), visible);
    if (entry.isDirectory()) makeVisible(visible);
  }
}

/** A file that stands beside the corpus' archive. */
export function benchFile(name) {
  return readFileSync(path.join(path.dirname(archive), name), "utf8");
}

/**
 * A word list with natural frequencies (Zipf), and texts drawn from it; the same for the same seeds. `drawn` is that of the
 * texts alone: other texts of the same words.
 */
export function textSource(seed = 1, drawn = null) {
  let state = seed >>> 0;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const syllables =
    "ka lo mi ter ran vel so ni dra pu est or in al ba cu re fo gi hen jo wex qua zi um pla tre sto che ly".split(
      " ",
    );
  const common =
    "the of and to in is that for it as with be by on not this are or from at which an have has can if when will one all use you more other".split(
      " ",
    );
  const vocabulary = [...common];
  for (let n = 0; n < 60_000; n++) {
    const length = 2 + Math.floor(random() * 3);
    vocabulary.push(
      Array.from({ length }, () => syllables[Math.floor(random() * syllables.length)]).join(""),
    );
  }
  const weights = vocabulary.map((_, rank) => 1 / (rank + 2.7) ** 1.05);
  const cumulative = [];
  weights.reduce((sum, weight, index) => (cumulative[index] = sum + weight), 0);
  const total = cumulative.at(-1);
  if (drawn !== null) state = drawn >>> 0;
  const word = () => {
    const target = random() * total;
    let low = 0;
    let high = cumulative.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (cumulative[middle] < target) low = middle + 1;
      else high = middle;
    }
    return vocabulary[low];
  };
  const sentence = () => {
    const words = Array.from({ length: 6 + Math.floor(random() * 14) }, word);
    return `${words[0][0].toUpperCase()}${words.join(" ").slice(1)}.`;
  };
  const paragraph = (chars) => {
    let text = "";
    while (text.length < chars) text += (text ? " " : "") + sentence();
    return text;
  };
  const markdown = (chars) => {
    let text = `# ${sentence().slice(0, -1)}\n\n`;
    while (text.length < chars) text += `## ${sentence().slice(0, -1)}\n\n${paragraph(500)}\n\n`;
    return text;
  };
  return { random, word, sentence, paragraph, markdown };
}

/** Writes `count` Markdown files of about `chars` characters, 200 a folder. */
export function writeMarkdownFiles(folder, count, chars, seed = 1) {
  const source = textSource(seed);
  for (let n = 0; n < count; n++) {
    const part = path.join(folder, `part-${String(Math.floor(n / 200)).padStart(4, "0")}`);
    if (n % 200 === 0) mkdirSync(part, { recursive: true });
    writeFileSync(path.join(part, `note-${String(n).padStart(6, "0")}.md`), source.markdown(chars));
  }
}

export function printTable(title, rows) {
  process.stdout.write(`\n${title}\n`);
  const width = Math.max(...rows.map(([name]) => name.length));
  for (const [name, value, bar] of rows) {
    process.stdout.write(
      `  ${name.padEnd(width)}  ${String(value).padEnd(24)} ${bar ? `bar: ${bar}` : ""}\n`,
    );
  }
}
