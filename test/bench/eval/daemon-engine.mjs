// The built daemon in a home of its own: documents are files in a folder, bases watch it, queries go over the socket.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { sleep, startDaemon, temporaryFolder } from "../support.mjs";

const KILL_AFTER_MS = 10_000;
const PROGRESS_MS = 500;
const READY_MS = 20_000;
/** Hits of a search whose time is taken: as many as people ask for. */
const TIMED_HITS = 10;
const RERANKER = "eval";

/** `rerankUrl`: address of a reranker, as in [[rerank.models]] of the settings; null where there is none. */
export async function openDaemonEngine({ rerankUrl, progress }) {
  const home = temporaryFolder();
  let daemon = null;
  const close = async () => {
    if (daemon) {
      const kill = setTimeout(() => daemon.child.kill("SIGKILL"), KILL_AFTER_MS);
      await daemon.stop();
      clearTimeout(kill);
    }
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    if (rerankUrl !== null) writeSettings(home, rerankUrl);
    daemon = await startDaemon(home, { "log.level": "error" });
  } catch (error) {
    await close();
    throw error;
  }
  return {
    name: "daemon",
    build: (collection, wanted) => build(daemon, collection, wanted, progress),
    close,
  };
}

function writeSettings(home, url) {
  const folder = path.join(home, "config", "knowd");
  mkdirSync(folder, { recursive: true });
  const table = ["[[rerank.models]]", `id = "${RERANKER}"`, `url = ${JSON.stringify(url)}`];
  writeFileSync(path.join(folder, "config.toml"), `${table.join("\n")}\n`);
}

/** A base by words and one with a model: how a base is searched follows from what it is (K9.1). */
async function build({ client, home }, collection, wanted, progress) {
  const folder = collection.folder ?? writeFiles(path.join(home, "documents", collection.name), collection);
  const idOf = new Map(collection.documents.map((document) => [document.path, document.id]));
  const kinds = [...new Set(wanted.map(kindOf))];
  const bases = {};
  let counts;
  for (const kind of kinds) {
    const name = `${collection.name} ${kind}`;
    const model = kind === "words" ? { embeddingModelId: null } : {};
    const { base } = await client.call("base.create", { name, ...model });
    bases[kind] = base.id;
    await fill(client, base.id, folder, ({ completed }) =>
      progress(`${name}: ${completed} of ${collection.documents.length} documents`),
    );
    ({ counts } = (await client.call("base.get", { baseId: base.id })).base);
  }
  let reranked = false;
  /** A base says itself whether its answers are reranked. */
  const baseFor = async (mode) => {
    const baseId = bases[kindOf(mode)];
    const wantsRerank = mode === "hybrid+rerank";
    if (kindOf(mode) === "meaning" && wantsRerank !== reranked) {
      await client.call("base.update", { baseId, rerankModelId: wantsRerank ? RERANKER : null });
      reranked = wantsRerank;
    }
    return baseId;
  };
  return {
    counts: { documents: counts.completed, failed: counts.failed + counts.skipped, chunks: counts.chunks },
    /** Ids of documents, best first, `depth` at most. */
    async rank(mode, query, depth) {
      const params = { query, baseIds: [await baseFor(mode)], topK: depth, groupBy: "document" };
      const found = mode === "vector" ? await vectorLane(client, params) : await search(client, params);
      return found.map((hit) => idOf.get(path.relative(folder, hit.path)));
    },
    /** Milliseconds from the question to the answer's last byte. */
    async time(mode, query) {
      const baseIds = [await baseFor(mode)];
      const started = performance.now();
      await search(client, { query, baseIds, topK: TIMED_HITS });
      return performance.now() - started;
    },
    async close() {
      for (const baseId of Object.values(bases)) await client.call("base.delete", { baseId });
    },
  };
}

function kindOf(mode) {
  return mode === "bm25" ? "words" : "meaning";
}

function writeFiles(folder, { documents }) {
  mkdirSync(folder, { recursive: true });
  for (const { path: name, bytes } of documents) writeFileSync(path.join(folder, name), bytes);
  return folder;
}

async function fill(client, baseId, folder, report) {
  const { source } = await client.call("source.add", { baseId, path: folder });
  const look = () => client.call("base.get", { baseId }).then(({ base }) => report(base.counts));
  // A look that fails is no trouble of its own: the sync fails of the same.
  const looking = setInterval(() => void look().catch(() => {}), PROGRESS_MS);
  try {
    await client.call("source.sync", { sourceId: source.id });
  } finally {
    clearInterval(looking);
  }
}

async function search(client, params) {
  const { hits } = await answerOf(client, "search.query", { passages: 1, ...params }, { hits: [] });
  return hits;
}

/** A base is never searched by meaning alone, but what the lane named, before anything is folded, is told by search.explain. */
async function vectorLane(client, params) {
  const { bases } = await answerOf(
    client,
    "search.explain",
    { ...params, foldDuplicates: false },
    { bases: [] },
  );
  return bases
    .flatMap(({ passages }) =>
      passages.filter(({ lanes, path }) => lanes.vector !== undefined && path !== null),
    )
    .sort((a, b) => a.lanes.vector - b.lanes.vector);
}

/** A query with nothing to look for has no answer; any other trouble ends the run, for its figures would be of something else. */
async function answerOf(client, method, params, none) {
  try {
    return await wholeAnswer(client, method, params);
  } catch (error) {
    if (error.errorName === "QUERY_EMPTY") return none;
    throw error;
  }
}

/** What a base needs time for after it was filled makes its first answers less than they could be; they don't count. */
async function wholeAnswer(client, method, params) {
  const deadline = performance.now() + READY_MS;
  for (;;) {
    const answer = await client.call(method, params);
    if (answer.degraded === undefined) return answer;
    if (performance.now() > deadline) throw new Error(`searches stay degraded: ${answer.degraded}`);
    await sleep(100);
  }
}
