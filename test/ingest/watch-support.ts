import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pino } from "pino";
import { afterEach } from "vitest";
import type {
  FileChange,
  KnownFile,
  WatchMessage,
  WatchRoot,
  WatchRules,
  Watcher,
} from "../../daemon/ingest/watch-contract.ts";
import { openWatcher } from "../../daemon/ingest/watcher.ts";
import type { WatchSettings } from "../../workers/watch/contract.ts";

export const threadUrl = new URL("../../dist/workers/watch/thread.js", import.meta.url);
export const silent = pino({ level: "silent" });

export const takeAll: WatchRules = {
  include: [],
  exclude: [],
  useIgnoreFiles: true,
  hidden: false,
  maxFileBytes: 1_000_000,
};

/** Every figure small, so that a test waits for what happens and not for a clock. */
export const quick: Partial<WatchSettings> = {
  compareDelayMs: 20,
  goneConfirmMs: 40,
  rootCheckMs: 50,
  pollMs: 100,
  reconcileMs: 600_000,
};

type State = Extract<WatchMessage, { type: "state" }>;

/** What main would know: the messages applied to a model. */
export interface Followed {
  readonly sourceId: string;
  readonly watcher: Watcher;
  readonly messages: WatchMessage[];
  /** Files by path, as they were told last. */
  readonly files: Map<string, FileChange>;
  state(): State | undefined;
  paths(): string[];
  /** Messages of a type since the last clear(). */
  of<T extends WatchMessage["type"]>(type: T): Extract<WatchMessage, { type: T }>[];
  clear(): void;
}

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (let cleanup = cleanups.pop(); cleanup; cleanup = cleanups.pop()) await cleanup();
});

export function defer(cleanup: () => Promise<void> | void): void {
  cleanups.push(cleanup);
}

export function makeFolder(): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "knowd-watch-")));
  defer(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface FollowOptions {
  readonly rules?: Partial<WatchRules>;
  readonly settings?: Partial<WatchSettings>;
  readonly known?: readonly KnownFile[];
  readonly identity?: WatchRoot["identity"];
  /** Awaited by the watcher before the message is applied. */
  readonly onMessage?: (message: WatchMessage) => Promise<void> | void;
}

/** Follows a folder until its first scan has ended (or it was found unavailable). */
export async function follow(folder: string, options: FollowOptions = {}): Promise<Followed> {
  const followed = await startFollowing(folder, options);
  await until(() => {
    const state = followed.state()?.state;
    return state !== undefined && state !== "scanning";
  });
  return followed;
}

export async function startFollowing(folder: string, options: FollowOptions = {}): Promise<Followed> {
  const messages: WatchMessage[] = [];
  const files = new Map<string, FileChange>();
  let state: State | undefined;
  const watcher = openWatcher({
    threadUrl,
    log: silent,
    settings: { ...quick, ...options.settings },
    onMessage: async (message) => {
      await options.onMessage?.(message);
      messages.push(message);
      if (message.type === "changed") for (const file of message.files) files.set(file.path, file);
      if (message.type === "gone" || message.type === "excluded") {
        for (const gone of message.paths) files.delete(gone);
      }
      if (message.type === "state") state = message;
    },
  });
  defer(() => watcher.close());
  for (const { path: known, stamp } of options.known ?? [])
    files.set(known, { path: known, stamp, refused: null });
  const sourceId = "source";
  await watcher.add(
    { sourceId, path: folder, rules: { ...takeAll, ...options.rules }, identity: options.identity ?? null },
    slices(options.known ?? []),
  );
  return {
    sourceId,
    watcher,
    messages,
    files,
    state: () => state,
    paths: () => [...files.keys()].sort(),
    of: <T extends WatchMessage["type"]>(type: T) =>
      messages.filter((message): message is Extract<WatchMessage, { type: T }> => message.type === type),
    clear: () => void messages.splice(0),
  };
}

async function* slices(known: readonly KnownFile[]): AsyncGenerator<readonly KnownFile[]> {
  for (let at = 0; at < known.length; at += 1000) yield known.slice(at, at + 1000);
}

/** Polls; a condition that never comes is a failed test that shows what there was instead. */
export async function until(
  condition: () => boolean,
  describe: () => unknown = () => "",
  ms = 15_000,
): Promise<void> {
  const end = performance.now() + ms;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`waited in vain: ${JSON.stringify(describe())}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export async function untilPaths(followed: Followed, expected: readonly string[]): Promise<void> {
  const wanted = [...expected].sort();
  await until(
    () => JSON.stringify(followed.paths()) === JSON.stringify(wanted),
    () => ({ wanted, found: followed.paths() }),
  );
}

/** What a restart would hand in. */
export function knownOf(followed: Followed): KnownFile[] {
  return [...followed.files.values()].map(({ path, stamp }) => ({ path, stamp }));
}
