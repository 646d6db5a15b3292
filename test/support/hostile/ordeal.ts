import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished } from "vitest";
import type { BaseView } from "../../../rpc/contract/bases.ts";
import type { Item } from "../../../rpc/contract/items.ts";
import type { Source } from "../../../rpc/contract/sources.ts";
import { type Daemon, startDaemon } from "../daemon.ts";
import { eventually } from "../eventually.ts";
import { filesOf } from "../questions.ts";
import { temporaryFolder } from "../temporary.ts";
import { meterMemory, type Peaks } from "./process-memory.ts";
import { smallFiles } from "./small-files.ts";
import type { Zoo } from "./zoo.ts";

/** How a file ended: as a document, or with a reason. */
export interface Ending {
  readonly name: string;
  readonly item: Item;
}

export interface Ordeal {
  readonly daemon: Daemon;
  readonly base: BaseView;
  readonly source: Source;
  /** Writes the files into the watched folder, and changes innocent ones beside them. */
  write(zoo: Zoo): void;
  /** Waits for the end of all of them. */
  end(zoo: Zoo): Promise<Ending[]>;
  /** Both. */
  face(zoo: Zoo): Promise<Ending[]>;
  /** Takes files away again, with all that is kept of them. */
  forget(names: readonly string[]): Promise<void>;
  /** What innocent files were read as. */
  formats(): Promise<Set<string | null>>;
  /** Lines of the log that say of hosts and files that were lost, since it was last asked. */
  newWarnings(): string[];
  /** The most memory since it was last asked. */
  peaks(): Peaks;
  /** @throws when an innocent file was blamed, something is left behind, or the daemon is another one. */
  assertUnharmed(): Promise<void>;
}

const INNOCENT = 300;
/** Of the innocent files, that many change beside each zoo. */
const CHANGED = 30;

/** A daemon that watches a folder of 300 innocent files of all formats. */
export async function openOrdeal(settings: Record<string, string | number> = {}): Promise<Ordeal> {
  const home = temporaryFolder();
  const folders = { innocent: path.join(home, "files/innocent"), hostile: path.join(home, "files/hostile") };
  for (const folder of Object.values(folders)) mkdirSync(folder, { recursive: true });
  let round = 0;
  let logSeen = 0;
  const writeInnocent = (count: number): void => {
    round++;
    for (let n = 0; n < count; n++) {
      const text = `# Note ${n}\n\nzqgood${n}x in round ${round}\n`;
      writeFileSync(path.join(folders.innocent, `${n}.md`), text);
    }
  };
  writeInnocent(INNOCENT - Object.keys(smallFiles).length);
  for (const [name, make] of Object.entries(smallFiles))
    writeFileSync(path.join(folders.innocent, name), make());

  const daemon = await startDaemon({
    home,
    settings: { "ingest.settleMs": 0, "ingest.graceMs": 0, "ingest.massGraceMs": 0, ...settings },
  });
  const { client } = daemon;
  const { base } = await client.call("base.create", { name: "files", embeddingModelId: null });
  const { source } = await client.call("source.add", { baseId: base.id, path: path.join(home, "files") });
  const meter = meterMemory(daemon.process.pid ?? 0);
  onTestFinished(() => meter.stop());

  const ended = async (): Promise<void> => {
    await client.call("source.sync", { sourceId: source.id });
    await eventually(async () => ((await client.call("system.status", {})).idle ? true : undefined), 600_000);
  };
  const write = (zoo: Zoo): void => {
    for (const [name, make] of Object.entries(zoo)) writeFileSync(path.join(folders.hostile, name), make());
    writeInnocent(CHANGED);
  };
  const end = async (zoo: Zoo): Promise<Ending[]> => {
    await ended();
    const items = new Map((await filesOf(daemon.client, base.id)).map((item) => [item.path, item]));
    return Object.keys(zoo).map((name) => {
      const item = items.get(path.join(folders.hostile, name));
      if (item === undefined) throw new Error(`no item stands for ${name}`);
      return { name, item };
    });
  };
  return {
    daemon,
    base,
    source,
    write,
    end,
    face(zoo) {
      write(zoo);
      return end(zoo);
    },
    async forget(names) {
      const paths = new Set(names.map((name) => path.join(folders.hostile, name)));
      for (const place of paths) rmSync(place, { force: true });
      await eventually(async () => {
        await client.call("source.rescan", { sourceId: source.id });
        const left = (await filesOf(daemon.client, base.id)).some((item) => paths.has(item.path ?? ""));
        return left ? undefined : true;
      }, 120_000);
    },
    async formats() {
      const files = await filesOf(daemon.client, base.id);
      return new Set(
        files.filter((item) => item.path?.startsWith(folders.innocent)).map((item) => item.format),
      );
    },
    newWarnings() {
      const log = daemon.log();
      const lines = log.slice(logSeen).split("\n");
      logSeen = log.length;
      return lines.filter((line) => line.includes('"level":"warn"'));
    },
    peaks: () => meter.take(),
    async assertUnharmed() {
      const files = await filesOf(daemon.client, base.id);
      const innocent = files.filter((item) => item.path?.startsWith(folders.innocent));
      expect(innocent).toHaveLength(INNOCENT);
      expect(innocent.filter((item) => item.status !== "completed" || item.refreshError !== null)).toEqual(
        [],
      );
      expect((await client.call("job.list", { baseId: base.id })).items).toEqual([]);
      const { problems } = await client.call("base.check", { baseId: base.id });
      const byHash = new Map(files.map((item) => [item.contentHash, item.conceptId]));
      expect(problems.map((problem) => ({ ...problem, file: byHash.get(problem.example ?? "") }))).toEqual(
        [],
      );
      expect((await client.call("system.status", {})).pid).toBe(daemon.process.pid);
      expect(daemon.log()).not.toMatch(/"level":"(?:error|fatal)"/);
    },
  };
}

/** A file's end in one line. */
export function outcomeOf({ item }: Ending): string {
  if (item.status !== "completed") return `${item.failure ?? "left out"}: ${item.error}`;
  const warned = item.warnings.length > 0 ? `; ${item.warnings[0]}` : "";
  return `${item.format}, ${item.chunkCount} chunks${warned}`;
}

/** Files that ended without a reason that a person can read, or by a reader's own mistake: a line for each. */
export function unreasoned(endings: readonly Ending[]): string[] {
  const bad = endings.filter(({ item }) => {
    if (item.status === "completed") return item.chunkCount === 0;
    return item.status !== "failed" || (item.error ?? "").length < 10 || item.failure === "parser_error";
  });
  return bad.map((ending) => `${ending.name}: ${ending.item.status}, ${outcomeOf(ending)}`);
}

const MIB = 2 ** 20;
/** Twice what was measured; far below what one of the files would unpack to. */
const MAX_DAEMON_BYTES = 512 * MIB;
/** A document goes from the worker host to the index as a whole: its text and its words, sent and received. */
const DAEMON_BYTES_PER_BYTE = 12;
/** One and a half of ingest.memoryLimitBytes, at which a host is killed, and what it may take until that is seen. */
const MAX_HOST_BYTES = 2560 * MIB;

/** What took more than it may: a line for each. `fileBytes`: of the largest file that was read as a whole. */
export function beyondBounds({ daemon, host }: Peaks, fileBytes = 0): string[] {
  const bounds = [
    ["the daemon", daemon, MAX_DAEMON_BYTES + DAEMON_BYTES_PER_BYTE * fileBytes],
    ["a host", host, MAX_HOST_BYTES],
  ] as const;
  const beyond = bounds.filter(([, bytes, most]) => bytes > most);
  return beyond.map(([who, bytes]) => `${who} took ${Math.round(bytes / MIB)} MB`);
}
