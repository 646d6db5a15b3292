import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished, vi } from "vitest";
import { openEndpoint } from "../embedding/endpoint.ts";
import { sendScores } from "../rerank/reranking-endpoint.ts";
import { eventually } from "../support/eventually.ts";
import { temporaryFolder } from "../support/temporary.ts";

// Each starts daemons of its own, one after the other.
vi.setConfig({ testTimeout: 120_000 });

const script = fileURLToPath(new URL("../bench/eval.mjs", import.meta.url));

interface Figures {
  readonly counts: { documents: number; failed: number; chunks: number };
  readonly modes: Record<
    string,
    {
      means: Record<string, number>;
      latencyMs: { p50: number } | null;
      queries: Record<string, { rank: number | null }>;
    }
  >;
}

function start(args: readonly string[], folder: string) {
  const child = spawn(process.execPath, [script, ...args], {
    env: { ...process.env, KNOWD_QUALITY: folder, TMPDIR: folder },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => (output += String(bytes)));
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  return { child, ended, output: () => output };
}

/** Three notes and three questions: one by its words, one that nothing answers, one that only meaning answers. */
function writeCollection(folder: string): void {
  const notes = [
    ["harbour", "The harbour", "Ships wait in the harbour until the tide comes in."],
    ["dismissal", "Dismissal", "An employer may not terminate a contract merely because staff are ill."],
    ["bread", "Bread", "Dough rises slowly in a cool room. The harbour of taste, bakers say."],
  ];
  const queries = { ships: "where do ships wait", nothing: "zqxwv", boss: "boss fired worker", empty: "?!" };
  const to = path.join(folder, "small");
  mkdirSync(to, { recursive: true });
  const jsonl = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join("\n");
  writeFileSync(
    path.join(to, "corpus.jsonl"),
    jsonl(notes.map(([id, title, text]) => ({ id, title, text }))),
  );
  writeFileSync(
    path.join(to, "queries.jsonl"),
    jsonl(Object.entries(queries).map(([id, text]) => ({ id, text }))),
  );
  writeFileSync(
    path.join(to, "qrels.tsv"),
    "query\tdocument\tgrade\nships\tharbour\t2\nships\tbread\t1\nnothing\tbread\t1\nboss\tdismissal\t1\nempty\tbread\t1\n",
  );
}

it("a collection is measured in every mode over the socket, the reranker's order included, and the next run says what changed", async () => {
  const folder = temporaryFolder();
  writeCollection(folder);
  const endpoint = await openEndpoint(sendScores((text) => (text.includes("Dough") ? 0.9 : 0.1)));
  const file = path.join(folder, "figures.json");
  const args = ["small", "--json", file, "--rerank-url", endpoint.url];
  const first = start(args, folder);
  expect([await first.ended, first.output()]).toEqual([0, expect.stringContaining("hybrid+rerank")]);
  const read = () => JSON.parse(readFileSync(file, "utf8")) as { collections: Record<string, Figures> };
  const results = read();
  const { counts, modes } = results.collections["small"]!;
  expect(counts).toEqual({ documents: 3, failed: 0, chunks: 3 });
  expect(Object.keys(modes)).toEqual(["bm25", "vector", "hybrid", "hybrid+rerank"]);
  const ranks = (mode: string) => Object.values(modes[mode]!.queries).map(({ rank }) => rank);
  expect(ranks("bm25")).toEqual([1, null, null, null]);
  expect(ranks("vector")[2]).toBe(1);
  expect(ranks("hybrid").slice(0, 3)).toEqual([1, expect.anything(), 1]);
  expect(modes["bm25"]!.means["empty"]).toBeGreaterThanOrEqual(0.5);
  expect(modes["hybrid"]!.latencyMs!.p50).toBeGreaterThan(0);
  // The reranker puts the bread first wherever it is a candidate.
  expect(modes["hybrid+rerank"]!.queries["nothing"]).toMatchObject({ rank: 1 });
  expect(endpoint.asked.length).toBeGreaterThan(0);

  results.collections["small"]!.modes["bm25"]!.means["ndcg10"] = 0;
  for (const score of Object.values(results.collections["small"]!.modes["bm25"]!.queries))
    Object.assign(score, { ndcg10: 0 });
  writeFileSync(file, JSON.stringify(results));
  const second = start(["small", "--json", file, "--mode", "bm25"], folder);
  expect([await second.ended, second.output()]).toEqual([
    0,
    expect.stringMatching(/small +bm25 +0\.0000 +0\.\d+ +\+0\.\d+ +1 +0 /),
  ]);
  expect(Object.keys(read().collections["small"]!.modes)).toEqual(["bm25"]);
  expect(readdirSync(folder).filter((name) => name.startsWith("knowd-bench-"))).toEqual([]);
});

it("an interrupted run ends its daemon and leaves nothing behind; an unknown collection is named", async () => {
  const folder = temporaryFolder();
  const unknown = start(["nowhere"], folder);
  expect([await unknown.ended, unknown.output()]).toEqual([
    2,
    expect.stringContaining('there is no collection "nowhere"'),
  ]);

  const run = start(["paraphrase-en", "--json", path.join(folder, "figures.json")], folder);
  const home = await eventually(() => readdirSync(folder).find((name) => name.startsWith("knowd-bench-")));
  const lock = path.join(folder, home, "data", "knowd", "catalog.sqlite");
  await eventually(() => existsSync(lock) || undefined);
  run.child.kill("SIGINT");
  expect(await run.ended).toBe(130);
  expect(readdirSync(folder)).toEqual([]);
});

it("K9.5 search of the project's own collections, CJK and paraphrases among them, is as good as it was: no nDCG@10 falls by more than .01", async () => {
  const folder = temporaryFolder();
  const run = start(["--floor", "--json", path.join(folder, "figures.json")], folder);
  expect([await run.ended, run.output()]).toEqual([
    0,
    expect.stringContaining("no figure is below the floor"),
  ]);
});

it("the floor names what has fallen and what is not measured any more", async () => {
  const { href } = new URL("../bench/eval/floor.mjs", import.meta.url);
  const { belowFloor } = (await import(href)) as {
    belowFloor: (floor: object, measured: object) => string[];
  };
  const floor = { ndcg10: { a: { bm25: 0.5, hybrid: 0.6 }, b: { bm25: 0.7 } } };
  const now = (bm25: number, hybrid: number) => ({
    modes: { bm25: { means: { ndcg10: bm25 } }, hybrid: { means: { ndcg10: hybrid } } },
  });
  expect(belowFloor(floor, { a: now(0.491, 0.9), b: now(0.7, 0) })).toEqual([]);
  expect(belowFloor(floor, { a: now(0.489, 0.6) })).toEqual([
    "a, bm25: nDCG@10 is 0.4890, and was 0.5",
    "b, bm25: nDCG@10 is not measured, and was 0.7",
  ]);
});
