// A base made in this process, through reader, chunker, embedded model and index, and a search host beside it.
import { rmSync } from "node:fs";
import path from "node:path";
import { root, temporaryFolder } from "../bench/support.mjs";

const dist = (file) => import(path.join(root, "dist", file));
const { parseBytes } = await dist("workers/parse/parse-bytes.js");
const { chunkDocument, prepareDocument } = await dist("workers/parse/prepare.js");
const { loadStaticModel } = await dist("workers/embed/static-model.js");
const { openIndexRegistry } = await dist("daemon/storage/index/registry.js");
const { followBase } = await dist("daemon/latent/follow-base.js");
const { fitLatent, foldLatent } = await dist("workers/latent/tasks.js");
const { openHost } = await dist("daemon/runtime/open-host.js");
const { locations } = await dist("config/locations.js");

export const model = locations.embeddedModel;
const embedder = loadStaticModel(model);
const defaultChunking = {
  chunkSize: 1024,
  chunkOverlap: 200,
  strategy: "structured",
  separator: null,
  hard: false,
};
const limits = { maxTextChars: 50_000_000, chunkTokens: 1024 };
const silent = { warn() {}, info() {}, error() {}, debug() {} };

/** `files`: { id, path, bytes } in any iterable, async or not. Answers how to search them; close it in the end. */
export async function buildBase(files, { documentsACommit = 200, chunks = {} } = {}) {
  const chunking = { ...defaultChunking, ...chunks };
  const dataDir = temporaryFolder();
  const baseId = "bench";
  const registry = openIndexRegistry({ dataDir, onRecreated() {}, log: silent });
  await registry.create(baseId, { substring: false });
  let waiting = [];
  const commit = async () => {
    const outcomes = await registry.commit(baseId, waiting);
    const failed = outcomes.find((outcome) => outcome.error);
    if (failed) throw failed.error;
    waiting = [];
  };
  for await (const file of files) {
    const revision = await revisionOf(file, chunking);
    if (!revision) continue;
    waiting.push(revision);
    if (waiting.length >= documentsACommit) await commit();
  }
  await commit();
  while (await registry.merge(baseId));
  const counts = await registry.counts(baseId);
  const target = { baseId, indexPath: registry.indexPath(baseId) };
  const host = startHost();
  await host.start();
  await followBase({ registry, searchHost: host, workerHost: threads }, baseId, new Map());
  await host.run("index.warm", { ...target, model }, { deadlineMs: 60_000 });
  return {
    counts,
    target,
    host,
    search: (query, options) => searchWith(host, target, query, options),
    async close() {
      await host.stop();
      await registry.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** What the worker host does for latent vectors, in this process. */
const threads = {
  run: (task, input) => Promise.resolve(task === "latent.fit" ? fitLatent(input) : foldLatent(input)),
};

export function startHost() {
  return openHost({
    name: "search host",
    entryUrl: locations.searchHost,
    init: { contentCacheBytes: 64 << 20, vectorCacheBytes: 256 << 20 },
    heapLimitMb: 768,
    memoryLimitBytes: 1 << 30,
    idleExitMs: null,
    maxInFlight: 4,
    maxQueued: 128,
    log: silent,
  });
}

export function searchWith(
  host,
  target,
  query,
  { hybrid, alpha = 0.3, candidates = 50, perDocument = false, shown = candidates },
) {
  const input = {
    ...target,
    query,
    queryVector: null,
    model: hybrid ? model : null,
    fusion: { kind: "convex", alpha },
    candidates,
    shown,
    perDocument,
    filters: null,
  };
  return host.run("index.search", input, { deadlineMs: 60_000 });
}

async function revisionOf({ id, path: relativePath, bytes }, chunking) {
  let document;
  try {
    const parsed = await parseBytes({ bytes, relativePath, snapshot: false, limits, signal: undefined });
    document = prepareDocument(parsed, chunkDocument(parsed, { materialId: id, relativePath, chunking }));
  } catch (error) {
    if (error.name === "ReadProblem") return null;
    throw error;
  }
  const vectors = new Map(
    document.units.map((unit) => [
      unit.textHash,
      embedder.embed(document.text.slice(unit.charStart, unit.charEnd)),
    ]),
  );
  const { format, text, contentHash, units } = document;
  return { materialId: id, relativePath, format, text, contentHash, units, vectors };
}

/** Best first, each document once. */
export function documentsOf(candidates) {
  return [...new Set(candidates.map((candidate) => candidate.materialId))];
}
