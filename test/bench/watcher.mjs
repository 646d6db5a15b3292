/**
 * The watcher's thread alone, with a main thread that only takes messages in, for both backends: scans of the documentation
 * corpus, watches and memory of 20,000 files, event → message, and what is lost of bursts of 25,500 changes.
 * Each measurement has a process of its own. Usage: node test/bench/watcher.mjs [runs of each burst = 2]
 */
import { spawn, spawnSync } from "node:child_process";
import {
  appendFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { openWatcher } from "../../dist/daemon/ingest/watcher.js";
import { benchCorpus, ms, percentile, printTable, sleep, temporaryFolder } from "./support.mjs";

const BACKENDS = ["directory", "chokidar"];
const CREATED = 20_000;
const EDITED = 5_000;
const DELETED = 500;
const FOLDERS = 1_000;
const BLOCKED_MS = 6_000;
const EDITS = 100;
const SMALL_FOLDER = 20;
const LARGE_FOLDER = 10_000;
// Settings that no burst reaches: what the hints alone find.
const NO_REPAIR = { burstWindowMs: 0, maxDirtyDirectories: 1e9, reconcileMs: 1e9 };

const self = fileURLToPath(import.meta.url);
const [job, argument] = process.argv.slice(2);
const jobs = { corpus, tree, latency, burst, write };
if (job !== undefined && job in jobs) await jobs[job](JSON.parse(argument));
else await report(Number(job ?? 2));

async function report(runs) {
  if (benchCorpus()) {
    for (const backend of BACKENDS) {
      const { cold, noop, noopCpu, live } = measure("corpus", { backend });
      printTable(`documentation corpus, 5,322 files (${backend})`, [
        ["first scan", ms(cold)],
        ["scan of the unchanged folder after a restart", ms(noop), "500 ms"],
        ["its CPU time, with the start of the thread", ms(noopCpu)],
        ["scan of the unchanged folder while it is followed", ms(live), "500 ms"],
      ]);
    }
  }
  for (const backend of BACKENDS) {
    const { watches, grownMb, tookMs } = measure("tree", { backend });
    printTable(`20,000 files in 1,000 folders (${backend})`, [
      ["watches", watches],
      ["memory of thread, tree and main's model", `${grownMb.toFixed(0)} MB`],
      ["first scan", ms(tookMs)],
    ]);
  }
  for (const backend of BACKENDS) {
    for (const files of [SMALL_FOLDER, LARGE_FOLDER]) {
      const { p50, p95, most, cpuMs } = measure("latency", { backend, files });
      printTable(`edit → message in a folder of ${files} files (${backend})`, [
        ["p50", ms(p50)],
        ["p95", ms(p95)],
        ["most", ms(most)],
        ["CPU an edit", ms(cpuMs)],
      ]);
    }
  }
  const total = CREATED + EDITED + DELETED;
  for (const backend of BACKENDS) {
    const rows = [];
    for (const how of ["undisturbed", "main blocked 6 s", "stopped meanwhile"]) {
      for (const repair of [true, false]) {
        for (let run = 1; run <= runs; run++) {
          const { lost, writtenMs, settledMs, scans } = measure("burst", { backend, how, repair });
          const name = `${how}, ${repair ? "as shipped" : "hints alone"}, run ${run}`;
          rows.push([
            name,
            `${lost} lost, written in ${ms(writtenMs)}, all told after ${ms(settledMs)}, ${scans} scans`,
            repair ? "0 lost" : "",
          ]);
        }
      }
    }
    printTable(`burst of ${total} changes (${backend})`, rows);
  }
}

/** Runs one measurement in a process of its own; its last line is the result. */
function measure(name, options) {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ["--expose-gc", self, name, JSON.stringify(options)],
    {
      encoding: "utf8",
    },
  );
  if (status !== 0) throw new Error(`${name} ${JSON.stringify(options)} failed: ${stderr}`);
  return JSON.parse(stdout.trim().split("\n").at(-1));
}

function answer(result) {
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

/** A watcher, and the files as main would know them. */
async function follow(folder, { settings, known = [], onMessage = () => undefined }) {
  const files = new Map(known.map((file) => [file.path, file.stamp]));
  const model = { files, scans: 0, lastMessage: 0, watching: false };
  const log = {
    info() {},
    warn() {},
    error: (...parts) => process.stderr.write(`${JSON.stringify(parts)}\n`),
  };
  model.watcher = openWatcher({
    threadUrl: new URL("../../dist/workers/watch/thread.js", import.meta.url),
    settings,
    log,
    onMessage(message) {
      model.lastMessage = performance.now();
      if (message.type === "changed") for (const file of message.files) files.set(file.path, file.stamp);
      if (message.type === "gone") for (const gone of message.paths) files.delete(gone);
      if (message.type === "scanned") model.scans++;
      if (message.type === "state") model.watching = message.state === "watching";
      onMessage(message);
    },
  });
  const rules = {
    include: [],
    exclude: [],
    useIgnoreFiles: true,
    hidden: false,
    maxFileBytes: 50 * 1024 * 1024,
  };
  const slices = async function* () {
    for (let at = 0; at < known.length; at += 1_000) yield known.slice(at, at + 1_000);
  };
  const began = performance.now();
  await model.watcher.add({ sourceId: "bench", path: folder, rules, identity: null }, slices());
  while (!model.watching) await sleep(1);
  model.tookMs = performance.now() - began;
  return model;
}

async function corpus({ backend }) {
  const folder = benchCorpus();
  const first = await follow(folder, { settings: { backend } });
  const live = [];
  for (let n = 0; n < 5; n++) {
    const began = performance.now();
    await first.watcher.scan("bench");
    live.push(performance.now() - began);
  }
  await first.watcher.close();
  const known = [...first.files].map(([file, stamp]) => ({ path: file, stamp }));
  const cpu = process.cpuUsage();
  const again = await follow(folder, { settings: { backend }, known });
  const { user, system } = process.cpuUsage(cpu);
  await again.watcher.close();
  const noopCpu = (user + system) / 1_000;
  answer({ cold: first.tookMs, noop: again.tookMs, noopCpu, live: percentile(live, 50) });
}

function makeTree(folder) {
  for (let n = 0; n < FOLDERS; n++) mkdirSync(path.join(folder, `d${n}`), { recursive: true });
}

function fileOf(folder, n) {
  return path.join(folder, `d${n % FOLDERS}`, `f${n}.md`);
}

async function inFolder(use) {
  const folder = temporaryFolder();
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function tree({ backend }) {
  await inFolder(async (folder) => {
    makeTree(folder);
    for (let n = 0; n < CREATED; n++) writeFileSync(fileOf(folder, n), "");
    globalThis.gc();
    const before = process.memoryUsage.rss();
    const model = await follow(folder, { settings: { backend } });
    await sleep(500);
    globalThis.gc();
    const grownMb = (process.memoryUsage.rss() - before) / 1024 / 1024;
    const { watches } = await model.watcher.stats();
    await model.watcher.close();
    answer({ watches, grownMb, tookMs: model.tookMs });
  });
}

async function latency({ backend, files }) {
  await inFolder(async (folder) => {
    for (let n = 0; n < files; n++) writeFileSync(path.join(folder, `f${n}.md`), "");
    let arrived = () => undefined;
    const model = await follow(folder, {
      settings: { backend },
      onMessage: (message) => message.type === "changed" && arrived(),
    });
    await sleep(1_500);
    const took = [];
    const cpu = process.cpuUsage();
    for (let n = 0; n < EDITS; n++) {
      const began = performance.now();
      const told = new Promise((resolve) => {
        arrived = resolve;
      });
      appendFileSync(path.join(folder, `f${(n * 37) % files}.md`), "x");
      await told;
      took.push(performance.now() - began);
      await sleep(20);
    }
    const { user, system } = process.cpuUsage(cpu);
    await model.watcher.close();
    answer({
      p50: percentile(took, 50),
      p95: percentile(took, 95),
      most: Math.max(...took),
      cpuMs: (user + system) / 1_000 / EDITS,
    });
  });
}

/**
 * The burst itself, in another process, since main may be blocked. With `stop` the watcher's process stands still
 * meanwhile, so that the kernel's queue of 16,384 events overflows.
 */
function write({ folder, stop }) {
  makeTree(folder);
  if (stop) process.kill(process.ppid, "SIGSTOP");
  for (let n = 0; n < CREATED; n++) writeFileSync(fileOf(folder, n), "new");
  for (let n = 0; n < EDITED; n++) appendFileSync(fileOf(folder, n * 3), " edited");
  for (let n = 0; n < DELETED; n++) unlinkSync(fileOf(folder, n * 7));
  if (stop) process.kill(process.ppid, "SIGCONT");
}

function walk(folder, below = "") {
  return readdirSync(path.join(folder, below), { withFileTypes: true }).flatMap((entry) => {
    const inner = below === "" ? entry.name : `${below}/${entry.name}`;
    return entry.isDirectory() ? walk(folder, inner) : [inner];
  });
}

async function burst({ backend, how, repair }) {
  const stop = how === "stopped meanwhile";
  await inFolder(async (folder) => {
    // Watches must stand before the process does.
    if (stop) makeTree(folder);
    const model = await follow(folder, { settings: { backend, ...(repair ? {} : NO_REPAIR) } });
    const scansBefore = model.scans;
    const began = performance.now();
    const writer = spawn(process.execPath, [self, "write", JSON.stringify({ folder, stop })], {
      stdio: "inherit",
    });
    const written = new Promise((resolve) => writer.once("exit", resolve));
    if (how === "main blocked 6 s") {
      await sleep(50);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BLOCKED_MS);
    }
    await written;
    const writtenMs = performance.now() - began;
    const truth = new Map(
      walk(folder).map((file) => [file, lstatSync(path.join(folder, file), { bigint: true })]),
    );
    const countLost = () => {
      let lost = 0;
      for (const [file, stats] of truth) {
        const stamp = model.files.get(file);
        if (stamp?.size !== Number(stats.size) || stamp.mtimeNs !== String(stats.mtimeNs)) lost++;
      }
      for (const file of model.files.keys()) if (!truth.has(file)) lost++;
      return lost;
    };
    // Quiet: no message for three seconds, or nothing left to find.
    const from = performance.now();
    while (countLost() > 0 && performance.now() - Math.max(model.lastMessage, from) < 3_000) await sleep(50);
    const settledMs = performance.now() - began;
    answer({ lost: countLost(), writtenMs, settledMs, scans: model.scans - scansBefore });
    await model.watcher.close();
  });
}
