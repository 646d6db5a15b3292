import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { mutants, wholeZoo } from "../support/hostile/all-zoos.ts";
import {
  type Ending,
  openOrdeal,
  type Ordeal,
  outcomeOf,
  unreasoned,
  beyondBounds,
} from "../support/hostile/ordeal.ts";
import type { Zoo } from "../support/hostile/zoo.ts";
import { temporaryFolder } from "../support/temporary.ts";

const MIB = 2 ** 20;
/** A word of the names of the zoos to run, or of the files; all by default. */
const only = new RegExp(process.env["SOAK_HOSTILE"] ?? "");
const lineBytes = Number(process.env["SOAK_LINE_BYTES"] ?? 100_000_000);
/** Zoos of small files, where each alone would say little: they are put in together. */
const together = /odd bytes|cut off|polyglots|disguised|traps/;
const BATCH = 200;

/** The deadline of a task, three times: with others, alone, and alone in a fresh host; and time for what was lost with it. */
const MAX_SECONDS = 3 * 62 + 120;
/** What large files get beyond that, each time. */
const BYTES_PER_SECOND = 512_000 / 3;

const settings = { "ingest.maxFileBytes": 256 * MIB, "ingest.idleExitMs": 1000 };

interface Row {
  readonly name: string;
  readonly outcome: string;
  readonly seconds: number;
  readonly hostBytes: number;
  readonly daemonBytes: number;
}

function print({ name, outcome, seconds, hostBytes, daemonBytes }: Row): void {
  const cells = [
    name,
    outcome.replaceAll(/\s+/g, " ").slice(0, 140),
    seconds.toFixed(1),
    hostBytes / MIB,
    daemonBytes / MIB,
  ];
  const shown = cells.map((cell) =>
    typeof cell === "number" ? cell.toFixed(0) : cell.replaceAll("|", "\\|"),
  );
  process.stdout.write(`| ${shown.join(" | ")} |\n`);
}

/** What became of them, most frequent first. */
function summary(endings: readonly Ending[]): string {
  const counts = new Map<string, number>();
  for (const { item } of endings) {
    const outcome = item.status === "completed" ? "documents" : (item.failure ?? "left out");
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  return sorted.map(([outcome, count]) => `${count} ${outcome}`).join(", ");
}

let largest = 0;

async function faceOne(ordeal: Ordeal, name: string, zoo: Zoo): Promise<void> {
  ordeal.peaks();
  ordeal.write(zoo);
  const start = performance.now();
  const endings = await ordeal.end(zoo);
  const seconds = (performance.now() - start) / 1000;
  const { host, daemon } = ordeal.peaks();
  const [first] = endings;
  const outcome = endings.length === 1 && first !== undefined ? outcomeOf(first) : summary(endings);
  print({ name, outcome, seconds, hostBytes: host, daemonBytes: daemon });
  for (const line of ordeal.newWarnings()) process.stdout.write(`${line}\n`);
  expect(unreasoned(endings)).toEqual([]);
  const sizes = endings.map(({ item }) => item.sizeBytes ?? 0);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  // What a large one took is given back when the daemon rests, which it hardly does here.
  largest = Math.max(largest, ...sizes);
  expect(seconds).toBeLessThan(MAX_SECONDS + bytes / BYTES_PER_SECOND);
  expect([name, ...beyondBounds({ host, daemon }, largest)]).toEqual([name]);
  await ordeal.forget(Object.keys(zoo));
}

/** A zoo in the portions in which it is put in: file by file, or many together. */
function* portions(kind: string, zoo: Zoo): Generator<[name: string, zoo: Zoo]> {
  const entries = Object.entries(zoo).filter(([name]) => only.test(kind) || only.test(name));
  const size = together.test(kind) ? BATCH : 1;
  for (let at = 0; at < entries.length; at += size) {
    const some = entries.slice(at, at + size);
    yield [
      some.length === 1 ? (some[0]?.[0] ?? "") : `${kind} ${at} to ${at + some.length}`,
      Object.fromEntries(some),
    ];
  }
}

it("P10 P11 each hostile file ends within its deadline and its memory, beside innocent ones that it does not harm", async () => {
  const secret = path.join(temporaryFolder(), "secret.txt");
  writeFileSync(secret, "zqsecret words that are nobody's business\n");
  const ordeal = await openOrdeal(settings);
  process.stdout.write(
    "| input | outcome | seconds | peak MB of a host | peak MB of the daemon |\n| --- | --- | --- | --- | --- |\n",
  );
  for (const [kind, zoo] of Object.entries(wholeZoo(secret, lineBytes)))
    for (const [name, some] of portions(kind, zoo)) await faceOne(ordeal, name, some);
  await ordeal.assertUnharmed();
  const { hits } = await ordeal.daemon.client.call("search.query", { query: '"zqsecret"' });
  expect(hits.filter((hit) => hit.text.includes("zqsecret"))).toEqual([]);
});

it("P10 P11 10,000 sound files with random faults end with a reason or as documents", async () => {
  const budgetMs = Number(process.env["SOAK_SECONDS"] ?? 1800) * 1000;
  const seed = Number(process.env["SOAK_SEED"] ?? Date.now() % 1_000_000) * 10_000;
  const ordeal = await openOrdeal(settings);
  const start = performance.now();
  let done = 0;
  process.stdout.write(
    "| input | outcome | seconds | peak MB of a host | peak MB of the daemon |\n| --- | --- | --- | --- | --- |\n",
  );
  for (; done < 10_000 && performance.now() - start < budgetMs; done += BATCH) {
    const from = seed + done;
    await faceOne(ordeal, `faults ${from} to ${from + BATCH}`, mutants(from, from + BATCH));
  }
  await ordeal.assertUnharmed();
  process.stdout.write(`seed ${seed / 10_000}: ${done} files\n`);
  expect(done).toBeGreaterThan(0);
});
