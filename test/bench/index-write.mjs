/**
 * Writes to one base's index as the pipeline does: documents of ten chunks, new, rebuilt and deleted, at two sizes of the
 * base, then one document of 10,000 chunks. Prints rates a CPU second (all threads) and how long a turn of the event loop
 * was held. Usage: node test/bench/index-write.mjs [chunks = 100000] [dimensions = 128, 0 for words alone]
 */
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { openIndexRegistry } from "../../dist/daemon/storage/index/registry.js";
import { shapeBody, shapeTitle } from "../../dist/workers/words/shape.js";

const totalChunks = Number(process.argv[2] ?? 100_000);
const dimensions = Number(process.argv[3] ?? 128);
const CHUNK_CHARS = 1000;
const CHUNKS = 10;
const BATCH = 32;
const SAMPLE = 500;
const baseId = "bench";

const dataDir = mkdtempSync(path.join(tmpdir(), "knowd-bench-index-"));
const registry = openIndexRegistry({ dataDir, onRecreated: () => undefined });
const loop = watchLoop();
try {
  await registry.create(baseId, { substring: false });
  let documents = 0;
  for (const size of [totalChunks / 10, totalChunks]) {
    documents = await grow(documents, size / CHUNKS);
    await sampleAt(size);
  }
  await large();
  await upkeep();
} finally {
  loop.stop();
  await registry.close();
  rmSync(dataDir, { recursive: true, force: true });
}

async function grow(from, to) {
  while (from < to) {
    const step = Math.min(SAMPLE, to - from);
    const batch = made(from, step, 0);
    from += step;
    if (from === to) await measure(`new, the last before ${from * CHUNKS} chunks`, step, () => commit(batch));
    else await commit(batch);
  }
  return from;
}

async function sampleAt(size) {
  const again = made(0, SAMPLE, size);
  await measure(`rebuilt at ${size}`, SAMPLE, () => commit(again));
  await measure(`equal at ${size}`, SAMPLE, () => commit(again));
  const ids = again.map((revision) => revision.materialId);
  await measure(`renamed at ${size}`, SAMPLE, async () => {
    for (const id of ids) await registry.rename(baseId, id, `moved/${id}.md`);
  });
  await measure(`deleted at ${size}`, SAMPLE, () => registry.remove(baseId, ids));
  await measure(`new at ${size}`, SAMPLE, () => commit(again));
}

async function large() {
  const [revision] = made(1_000_000, 1, 0, 10_000);
  await measure("one document of 10,000 chunks", 1, () => commit([revision]));
  await measure("  deleted", 1, () => registry.remove(baseId, [revision.materialId]));
}

async function upkeep() {
  const file = registry.indexPath(baseId);
  const text = (await registry.counts(baseId)).units * CHUNK_CHARS;
  console.log(
    `file ${mb(statSync(file).size)} MB, log ${mb(statSync(`${file}-wal`).size)} MB, text ${mb(text)} MB`,
  );
  await measure("idle merges", 1, async () => {
    while (await registry.merge(baseId));
  });
  await measure("reclaim", 1, async () => {
    const { freedBytes } = await registry.reclaim(baseId, { force: true });
    console.log(`freed ${mb(freedBytes)} MB`);
  });
  await measure("check", 1, async () => console.log(JSON.stringify(await registry.check(baseId))));
  console.log(`file ${mb(statSync(file).size)} MB, resident ${mb(process.memoryUsage.rss())} MB`);
}

async function commit(revisions) {
  for (let at = 0; at < revisions.length; at += BATCH) {
    const outcomes = await registry.commit(baseId, revisions.slice(at, at + BATCH));
    const failed = outcomes.find((outcome) => outcome.error);
    if (failed) throw failed.error;
  }
}

async function measure(name, documents, run) {
  await loop.reset();
  const [cpu, started] = [process.cpuUsage(), performance.now()];
  await run();
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const cpuSeconds = (user + system) / 1e6;
  const { p50, p99, max } = loop.read();
  const perCpu = documents > 1 ? `${Math.round(documents / cpuSeconds)} documents a CPU s, ` : "";
  console.log(
    `${name}: ${perCpu}${seconds.toFixed(2)} s (${cpuSeconds.toFixed(2)} CPU); turn p50 ${p50}, p99 ${p99}, max ${max} ms`,
  );
}

/** How long each turn of the event loop takes, seen from a setImmediate in every turn. */
function watchLoop() {
  let [turns, last, going] = [[], performance.now(), true];
  const turn = () => {
    const now = performance.now();
    if (now - last > 0.5) turns.push(now - last);
    last = now;
    if (going) setImmediate(turn);
  };
  setImmediate(turn);
  const share = (sorted, part) => (sorted[Math.floor((sorted.length - 1) * part)] ?? 0).toFixed(1);
  return {
    async reset() {
      for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
      turns = [];
    },
    read() {
      const sorted = turns.toSorted((a, b) => a - b);
      return { p50: share(sorted, 0.5), p99: share(sorted, 0.99), max: share(sorted, 1) };
    },
    stop() {
      going = false;
    },
  };
}

function made(from, count, revision, chunks = CHUNKS) {
  return Array.from({ length: count }, (_, at) => document(`m${from + at}`, revision, chunks));
}

function document(materialId, revision, chunks) {
  const random = randomOf(`${materialId}/${revision}`);
  const parts = Array.from({ length: chunks }, () => passage(random));
  const text = parts.join("\n\n");
  const contentHash = sha256(text);
  const [relativePath, title, format] = [`notes/${materialId}.md`, `Note ${materialId}`, "markdown"];
  const vectors = dimensions > 0 ? new Map() : null;
  const units = parts.map((part, unitIndex) => {
    const charStart = unitIndex * (CHUNK_CHARS + 2);
    const charEnd = charStart + CHUNK_CHARS;
    const headings = [`Part ${unitIndex % 3}`];
    const textHash = sha256(part);
    vectors?.set(
      textHash,
      Float32Array.from({ length: dimensions }, () => random() - 0.5),
    );
    return {
      unitId: sha256(`${materialId} ${contentHash} chunk ${unitIndex} ${charStart} ${charEnd}`),
      searchTextId: sha256(`${materialId} ${contentHash} ${unitIndex} body`),
      textHash,
      unitIndex,
      charStart,
      charEnd,
      title,
      headings,
      locator: { lineStart: unitIndex * 10 + 1, lineEnd: unitIndex * 10 + 9 },
      wordsTitle: shapeTitle({ relativePath, title, headings, format }),
      wordsBody: shapeBody(part, format),
    };
  });
  return { materialId, relativePath, format, text, contentHash, units, vectors };
}

/** Words of a made-up language, a few of them very frequent, as in a real one. */
function passage(random) {
  let text = "";
  while (text.length < CHUNK_CHARS) text += `${word(Math.floor(random() ** 3 * 60_000))} `;
  return text.slice(0, CHUNK_CHARS);
}

function word(rank) {
  let [text, rest] = ["", rank * 7919 + 13];
  do {
    text += "bcdfghklmnprstvz"[rest % 16] + "aeiou"[(rest >> 4) % 5];
    rest = Math.floor(rest / 80);
  } while (rest > 0);
  return rank % 7 === 0 ? `${text}ing` : text;
}

function randomOf(seed) {
  let state = createHash("sha256").update(seed).digest().readUInt32LE(0);
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function sha256(text) {
  return createHash("sha256").update(text).digest("hex");
}

function mb(bytes) {
  return (bytes / 1e6).toFixed(1);
}
