// Search quality and its price: npm run eval -- --help
import { parseArgs } from "node:util";
import { KNOWN, collectionNames, loadCollection, ownNames } from "./eval/collections.mjs";
import { openDaemonEngine } from "./eval/daemon-engine.mjs";
import { FLOOR_DEPTH, floorModes, reportFloor, updateFloor } from "./eval/floor.mjs";
import { DEPTH, meansOf, scoreQuery } from "./eval/metrics.mjs";
import { latencyOf, printChanges, printFigures, printKnownItems, printParaphrases } from "./eval/report.mjs";
import { changesSince, readResults, stamp, writeResults } from "./eval/results.mjs";

const help = `npm run eval [-- [collection…] [options]]
Builds a base by words and one with the embedded model for each collection, through the built daemon, asks all its queries
over the socket and prints nDCG@10, recall, MRR, the share of queries without an answer and the time of a search.

  collection…          of those at hand, "own" for the project's own (default: all)
  --mode a,b           of bm25, vector, hybrid, hybrid+rerank (default: all that can be run)
  --rerank-url url     a reranker (…/v1) for hybrid+rerank
  --json file          where the figures are written (default .tmp/eval.json, .tmp/eval-floor.json)
  --compare file       figures to compare with (default: what stood in the --json file)
  --in-process         without daemon, files and socket: faster; no times
  --alpha a            weight of the vector lane, only with --in-process (default 0.3)
  --floor              the project's own collections as the tests measure them: ends with 1 when nDCG@10 has fallen by
                       more than .01
  --update-floor why   the same, and writes the figures down as those that the tests hold to
`;
/** Queries whose time is taken, of each collection and mode. */
const TIMED_QUERIES = 100;

const MODES = ["bm25", "vector", "hybrid", "hybrid+rerank"];

const { values: options, positionals } = readArguments();
const isFloor = options.floor || options["update-floor"] !== undefined;
/** The floor is measured with fewer hits: its figures are compared with each other alone. */
const file = options.json ?? (isFloor ? ".tmp/eval-floor.json" : ".tmp/eval.json");
/** Exit code of a run that a signal ends; what fails after it fails because of it. */
let interrupted = null;

if (options.help) process.stdout.write(help);
else {
  await main().catch((error) => {
    if (interrupted === null) throw error;
    process.exitCode = interrupted;
  });
}

async function main() {
  const names = wantedCollections();
  const modes = wantedModes();
  const before = readResults(file);
  const compareFile = options.compare ?? file;
  const last = options.compare === undefined ? before : readResults(options.compare);
  if (options.compare !== undefined && last === null) fail(`there is no file ${options.compare}`);
  const opening = openEngine();
  const close = closeOnce(opening);
  const engine = await opening;
  const measured = {};
  try {
    for (const name of names) {
      const collection = loadCollection(name);
      if (collection === null) {
        process.stdout.write(`skipped: ${name} is not at hand\n`);
        continue;
      }
      const begun = stamp();
      measured[name] = { ...begun, engine: engine.name, ...(await measure(engine, collection, modes)) };
      // Collection by collection, so that a run that is broken off keeps what it has measured.
      writeResults(file, before, measured);
      showPart(name, measured[name], collection);
    }
  } finally {
    progress("");
    await close();
  }
  printFigures(measured);
  if (last) printChanges(compareFile, changesSince(last, measured));
  if (options["update-floor"] !== undefined) updateFloor(measured, options["update-floor"]);
  else if (isFloor && !reportFloor(measured)) process.exitCode = 1;
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        mode: { type: "string" },
        "rerank-url": { type: "string" },
        json: { type: "string" },
        compare: { type: "string" },
        "in-process": { type: "boolean", default: false },
        alpha: { type: "string", default: "0.3" },
        floor: { type: "boolean", default: false },
        "update-floor": { type: "string" },
        help: { type: "boolean", default: false },
      },
    });
  } catch (error) {
    return fail(error.message);
  }
}

function wantedCollections() {
  const there = collectionNames();
  if (isFloor) return ownNames();
  if (positionals.length === 0) return there;
  const names = [...new Set(positionals.flatMap((name) => (name === "own" ? ownNames() : [name])))];
  const unknown = names.find((name) => !there.includes(name));
  if (unknown !== undefined) fail(`there is no collection "${unknown}"; there are: ${there.join(", ")}`);
  return names;
}

function wantedModes() {
  const canRerank = options["rerank-url"] !== undefined && !options["in-process"];
  const runnable = MODES.filter((mode) => canRerank || mode !== "hybrid+rerank");
  if (isFloor) return floorModes;
  if (options.mode === undefined) {
    if (!canRerank) process.stdout.write("hybrid+rerank is not run: --rerank-url names no reranker\n");
    return runnable;
  }
  const wanted = options.mode.split(",");
  const unknown = wanted.find((mode) => !runnable.includes(mode));
  if (unknown !== undefined) fail(`the mode "${unknown}" can't be run; these can: ${runnable.join(", ")}`);
  return runnable.filter((mode) => wanted.includes(mode));
}

async function openEngine() {
  if (!options["in-process"]) return openDaemonEngine({ rerankUrl: options["rerank-url"] ?? null, progress });
  const alpha = Number(options.alpha);
  if (!(alpha >= 0 && alpha <= 1)) fail("--alpha is a weight from 0 to 1");
  const { openInProcessEngine } = await import("./eval/in-process-engine.mjs");
  return openInProcessEngine({ alpha, progress });
}

/** The engine is closed in the end, and also when the run is interrupted, be it while the engine is being opened. */
function closeOnce(opening) {
  let closed;
  const close = () => (closed ??= opening.then((engine) => engine.close()));
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ]) {
    process.once(signal, () => {
      progress("");
      interrupted = code;
      void close().finally(() => process.exit(code));
    });
  }
  return close;
}

async function measure(engine, collection, modes) {
  const base = await engine.build(collection, modes);
  const figures = {};
  for (const mode of modes) {
    const queries = {};
    for (const [at, { id, text }] of collection.queries.entries()) {
      if (at % 20 === 0)
        progress(`${collection.name}, ${mode}: query ${at + 1} of ${collection.queries.length}`);
      queries[id] = scoreQuery(
        collection.relevant.get(id),
        await base.rank(mode, text, isFloor ? FLOOR_DEPTH : DEPTH),
      );
    }
    const times = [];
    if (base.time && mode !== "vector" && !isFloor) {
      for (const { text } of collection.queries.slice(0, TIMED_QUERIES))
        times.push(await base.time(mode, text));
    }
    figures[mode] = { means: meansOf(Object.values(queries)), latencyMs: latencyOf(times), queries };
  }
  await base.close();
  return { counts: base.counts, modes: figures };
}

function showPart(name, { modes, counts }, { queries }) {
  if (counts.failed > 0) process.stdout.write(`${name}: ${counts.failed} documents could not be read\n`);
  if (name === KNOWN) printKnownItems({ queries, modes });
  if (name.startsWith("paraphrase")) printParaphrases({ modes });
}

/** On a terminal alone: the line is written over by the next one. */
function progress(text) {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}
