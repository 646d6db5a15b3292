import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { startDaemon, watchFolder, type Daemon } from "./daemon.ts";
import { pathsWith } from "./questions.ts";
import { createRandom } from "./random.ts";
import { temporaryFolder } from "./temporary.ts";

export interface KillPlan {
  readonly cycles: number;
  readonly filesPerCycle: number;
  /** A kill comes this long after the files were written, at most. */
  readonly withinMs: number;
  readonly seed: number;
}

export interface KillReport {
  readonly cycles: number;
  readonly files: number;
  /** Files that answered before a kill and were asked for again right after the restart. */
  readonly acknowledged: number;
}

/**
 * Promise P1: a daemon that is killed at any moment of its ingest goes on where it was. In each cycle new files come and old
 * ones are edited; what answered before the kill answers after it, index and catalogue agree, nothing is there twice.
 */
export async function killCycles(plan: KillPlan): Promise<KillReport> {
  const random = createRandom(plan.seed);
  const home = temporaryFolder();
  const folder = path.join(home, "notes");
  mkdirSync(folder);
  const written = new Map<string, string>();
  const write = (name: string, word: string): void => {
    writeFileSync(
      path.join(folder, name),
      `# ${name}\n\n${word} stands in ${"a text of some length. ".repeat(40)}\n`,
    );
    written.set(name, word);
  };
  let daemon = await startDaemon({ home });
  const { base, source } = await watchFolder(daemon.client, folder);
  let acknowledged = 0;

  for (let cycle = 0; cycle < plan.cycles; cycle++) {
    for (let n = 0; n < plan.filesPerCycle; n++) write(`c${cycle}-${n}.md`, `zqc${cycle}n${n}x`);
    if (cycle > 0) write(`c${cycle - 1}-0.md`, `zqedited${cycle}x`);
    await new Promise((resolve) => setTimeout(resolve, random() * plan.withinMs));
    const answered = await answering(daemon, written, random);
    await daemon.end("SIGKILL");

    daemon = await startDaemon({ home });
    for (const [name, word] of answered) {
      expect(await pathsWith(daemon.client, word), `${word} after kill ${cycle}, seed ${plan.seed}`).toEqual([
        path.join(folder, name),
      ]);
    }
    acknowledged += answered.length;
    const { problems } = await daemon.client.call("base.check", { baseId: base.id });
    expect(problems, `index after kill ${cycle}, seed ${plan.seed}`).toEqual([]);
  }

  await daemon.client.call("source.sync", { sourceId: source.id });
  await expectEqual(daemon, base.id, written);
  await daemon.end();
  return { cycles: plan.cycles, files: written.size, acknowledged };
}

/** Some of the files that answer now. */
async function answering(
  daemon: Daemon,
  written: ReadonlyMap<string, string>,
  random: () => number,
): Promise<[string, string][]> {
  const names = [...written].sort(() => random() - 0.5).slice(0, 5);
  const found: [string, string][] = [];
  for (const [name, word] of names) {
    if ((await pathsWith(daemon.client, word)).length > 0) found.push([name, word]);
  }
  return found;
}

/** Each file once, each word in its file, nothing failed, index and catalogue in agreement. */
async function expectEqual(
  daemon: Daemon,
  baseId: string,
  written: ReadonlyMap<string, string>,
): Promise<void> {
  const { client } = daemon;
  const { counts } = (await client.call("base.get", { baseId })).base;
  expect(counts).toMatchObject({ items: written.size, completed: written.size, failed: 0, active: 0 });
  expect((await client.call("base.check", { baseId })).problems).toEqual([]);
  const { matches } = await client.call("kb.grep", {
    pattern: "zq\\w+ stands",
    baseIds: [baseId],
    limit: 5000,
  });
  const found = matches.map((match) => `${path.basename(match.path ?? "")}: ${match.match}`).sort();
  expect(found).toEqual([...written].map(([name, word]) => `${name}: ${word} stands`).sort());
}
