// kb.grep over the socket beside ripgrep over the same tree, in alternation: all matching lines, and how many there are.
// ripgrep writes to a pipe that is read, and to a file; of web pages it reads the source, knowd the text.
//   node test/bench/grep.mjs [runs]
import { spawnSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, rmSync } from "node:fs";
import path from "node:path";
import { printColumns } from "./columns.mjs";
import { benchCorpus, percentile, startDaemon, temporaryFolder, whenIdle } from "./support.mjs";

const runs = Number(process.argv[2] ?? 20);
const corpus = benchCorpus();
if (corpus === null) {
  process.stdout.write("the corpus is not at hand\n");
  process.exit(0);
}

/** ripgrep's flags, the pattern, and the same for kb.grep. */
const patterns = [
  ["-sF", "describe-instances", { literal: true, caseSensitive: true }],
  ["-sF", "MaybeUninit", { literal: true, caseSensitive: true }],
  ["-sF", "return", { literal: true, caseSensitive: true }],
  ["-sF", "ing", { literal: true, caseSensitive: true }],
  ["-sF", "the", { literal: true, caseSensitive: true }],
  ["-sF", "e", { literal: true, caseSensitive: true }],
  ["-s", "", { caseSensitive: true }],
  ["-iF", "javascript", { literal: true, caseSensitive: false }],
  ["-i", "error", { caseSensitive: false }],
  ["-sw", "key", { caseSensitive: true, word: true }],
  ["-s", "rotate_keys?\\(", { caseSensitive: true }],
  ["-s", "\\w+Exception", { caseSensitive: true }],
  ["-s", "[0-9]{4}-[0-9]{2}-[0-9]{2}", { caseSensitive: true }],
  ["-s", "(http|ftp)s?://[a-z.]+", { caseSensitive: true }],
  ["-s", "\\b[a-z]+_[a-z]+\\(", { caseSensitive: true }],
  ["-s", "^#+ .*[Cc]onfig", { caseSensitive: true }],
];

const home = temporaryFolder();
mkdirSync(path.join(home, "run"), { recursive: true, mode: 0o700 });
const daemon = await startDaemon(home);
const { client } = daemon;
try {
  const { base } = await client.call("base.create", { name: "bench", embeddingModelId: null });
  await client.call("source.add", { baseId: base.id, path: corpus });
  await whenIdle(client, base.id);
  printColumns(["first grep", "ms"], await firstGreps());
  const rows = [];
  for (const [flags, pattern, options] of patterns) rows.push(await compare(flags, pattern, options));
  printColumns(
    [
      "pattern",
      "lines",
      "rg ms",
      "to a file",
      "knowd ms",
      "ratio",
      "to a file",
      "rg -c ms",
      "counts ms",
      "ratio",
      "first 500 ms",
    ],
    rows,
  );
} finally {
  await daemon.stop();
  rmSync(home, { recursive: true, force: true });
}

/**
 * The search host is ended by its process id, and the next grep brings up a new one, whose caches are empty. The grep behind
 * another call of a new host is what a started daemon answers first.
 */
async function firstGreps() {
  const [, pattern, options] = patterns[1];
  const found = [];
  for (let run = 0; run < 3; run++) {
    await endHost();
    const whole = await timed(() => counts(pattern, options));
    await endHost();
    await client.call("search.query", { query: "anything" });
    const started = await timed(() => counts(pattern, options));
    const warm = await timed(() => counts(pattern, options));
    const rg = await timed(() => ripgrep(["-c", "-sF"], pattern));
    found.push(["with the start of a host", whole.ms.toFixed(0)]);
    found.push(["in a host that has started", started.ms.toFixed(0)]);
    found.push(["the one after it", warm.ms.toFixed(0)], ["ripgrep", rg.ms.toFixed(0)]);
  }
  return found;
}

async function endHost() {
  const { hosts } = await client.call("system.status", {});
  if (hosts.search.pid !== null) process.kill(hosts.search.pid, "SIGKILL");
}

async function compare(flags, pattern, options) {
  const sides = {
    rg: () => ripgrep(["-n", flags], pattern),
    knowd: () => lines(pattern, options),
    rgFile: () => ripgrepToFile(["-n", flags], pattern),
    rgCounts: () => ripgrep(["-c", flags], pattern),
    knowdCounts: () => counts(pattern, options),
    first: () => client.call("kb.grep", { pattern, ...options, perLine: true, limit: 500 }),
  };
  const times = Object.fromEntries(Object.keys(sides).map((name) => [name, []]));
  let found = 0;
  for (let run = -2; run < runs; run++) {
    for (const [name, side] of Object.entries(sides)) {
      const { ms, result } = await timed(side);
      if (run >= 0) times[name].push(ms);
      if (name === "knowd") found = result;
    }
  }
  const p50 = (name) => percentile(times[name], 50);
  const ratio = (name, other) => (p50(name) / p50(other)).toFixed(2);
  return [
    `${flags} ${pattern}`,
    String(found),
    p50("rg").toFixed(0),
    p50("rgFile").toFixed(0),
    p50("knowd").toFixed(0),
    ratio("knowd", "rg"),
    ratio("knowd", "rgFile"),
    p50("rgCounts").toFixed(0),
    p50("knowdCounts").toFixed(0),
    ratio("knowdCounts", "rgCounts"),
    p50("first").toFixed(0),
  ];
}

async function timed(side) {
  const started = performance.now();
  const result = await side();
  return { ms: performance.now() - started, result };
}

function ripgrepArguments(flags, pattern) {
  return ["--no-config", "-uuu", ...flags, "-e", pattern, corpus];
}

function ripgrep(flags, pattern) {
  const { error } = spawnSync("rg", ripgrepArguments(flags, pattern), { maxBuffer: 2 ** 30 });
  if (error) throw error;
}

function ripgrepToFile(flags, pattern) {
  const file = openSync(path.join(home, "lines"), "w");
  const { error } = spawnSync("rg", ripgrepArguments(flags, pattern), { stdio: ["ignore", file, "inherit"] });
  closeSync(file);
  if (error) throw error;
}

async function lines(pattern, options) {
  let found = 0;
  await client.call(
    "kb.grep",
    { pattern, ...options, perLine: true, stream: true, lean: true, limit: 1_000_000, deadlineMs: 60_000 },
    {
      onProgress: ({ part }) =>
        (found += part.documents.reduce((sum, { lean }) => sum + lean.line.length, 0)),
    },
  );
  return found;
}

async function counts(pattern, options) {
  return await client.call("kb.grep", { pattern, ...options, output: "counts", limit: 5000 });
}
