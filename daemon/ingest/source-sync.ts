import type { Source } from "../../rpc/contract/sources.ts";
import { isDiskFull, KnowdError, toKnowdError } from "../runtime/errors.ts";
import type { Log } from "../runtime/log.ts";
import { createOwnedFiles, type OwnedFiles } from "./owned-files.ts";
import { sweepMissing, vanishedInMass } from "./grace-sweep.ts";
import { applyChanged, applyExcluded, applyGone, type ChangeDeps } from "./source-changes.ts";
import { createSourceTree, type SourceTree } from "./source-tree.ts";
import { createTimers, type Timers } from "./timers.ts";
import { createUnrest, type Unrest } from "./unrest.ts";
import type { KnownFile, Watcher, WatchMessage, WatchRoot, WatchStats } from "./watch-contract.ts";

export interface SourceSyncDeps extends ChangeDeps {
  readonly log: Log;
  /** Opens the watcher. Each message is awaited, so that it never runs ahead of the catalogue, and told again when it fails. */
  readonly openWatcher: (
    onMessage: (message: WatchMessage) => Promise<void>,
    onExit: (reason: string) => void,
  ) => Watcher;
  readonly sweepEveryMs: number;
}

/** Keeps catalogue and watched folders in step. */
export interface SourceSync {
  /** Follows every source of the catalogue that is not paused. */
  start(): void;
  follow(source: Source): Promise<void>;
  unfollow(sourceId: string): Promise<void>;
  updateRules(source: Source): Promise<void>;
  scan(sourceId: string): Promise<{ files: number; changed: number; gone: number; complete: boolean }>;
  /** True until the source's first complete scan after this daemon's start. */
  isFresh(sourceId: string): boolean;
  /** How many folders are watched; null while the watcher is not there to say so. */
  watchStats(): Promise<WatchStats | null>;
  /** Sentences for people about sources that need one. */
  warnings(): string[];
  stop(): Promise<void>;
}

const KNOWN_SLICE = 1000;
/** A path whose old item is still being deleted is looked at again this much later. */
const REVISIT_MS = 500;
const REOPEN_MS = 1000;

export function openSourceSync(deps: SourceSyncDeps): SourceSync {
  const { catalog } = deps;
  const state: SyncState = {
    tree: createSourceTree(catalog),
    unrest: createUnrest(),
    scanned: new Set(),
    timers: createTimers(),
    stopping: new AbortController(),
    followed: new Map(),
    started: createGate(),
    owned: createOwnedFiles(deps, () => watcher.current()),
  };
  const watcher = openLastingWatcher(deps, state);

  const sweeping = everyMs(deps.sweepEveryMs, () => sweep(deps, state, watcher.current()));

  return {
    start() {
      followAll(deps, state, watcher.current());
      state.started.set();
    },
    follow: (source) => follow(deps, state, watcher.current(), source),
    async unfollow(sourceId) {
      await isFollowed(state, sourceId);
      state.followed.delete(sourceId);
      await watcher.current().remove(sourceId);
    },
    async updateRules(source) {
      if (await isFollowed(state, source.id)) await watcher.current().update(source.id, source);
    },
    async scan(sourceId) {
      const { state: now } = catalog.sources.require(sourceId);
      const mayScan = now !== "paused" && now !== "removing" && (await isFollowed(state, sourceId));
      if (!mayScan) throw new KnowdError("SOURCE_UNAVAILABLE", { sourceId, reason: `it is ${now}` });
      return await watcher.current().scan(sourceId);
    },
    isFresh: (sourceId) => !state.scanned.has(sourceId),
    watchStats: async () =>
      await watcher
        .current()
        .stats()
        .catch(() => null),
    warnings: () => sourceWarnings(deps),
    async stop() {
      clearInterval(sweeping);
      state.stopping.abort();
      state.timers.clear();
      state.owned.stop();
      await watcher.close();
    },
  };
}

/** Looks after vanished files; a round that fails is followed by the next one. */
async function sweep(deps: SourceSyncDeps, state: SyncState, watcher: Watcher): Promise<void> {
  try {
    const { returned, removed } = await sweepMissing(deps, state.stopping.signal);
    if (removed > 0) state.tree.reset();
    for (const { sourceId, path } of returned) watcher.forget(sourceId, [path]);
    await state.owned.sweep(state.stopping.signal);
  } catch (error) {
    deps.log[isDiskFull(error) ? "warn" : "error"](
      { error: toKnowdError(error).stack },
      "looking after vanished files failed; it is tried again",
    );
  }
}

/** A round that still waits, for a file system say, is not joined by another. */
function everyMs(ms: number, round: () => Promise<void>): NodeJS.Timeout {
  let running = false;
  const tick = (): void => {
    if (running) return;
    running = true;
    void round().finally(() => (running = false));
  };
  return setInterval(tick, ms).unref();
}

interface SyncState {
  readonly tree: SourceTree;
  readonly unrest: Unrest;
  /** Sources with a complete scan since this daemon's start. */
  readonly scanned: Set<string>;
  /** Settled once the watcher knows all that is known of the source, and has begun to scan. */
  readonly followed: Map<string, Promise<void>>;
  readonly started: Gate;
  readonly timers: Timers;
  readonly stopping: AbortController;
  readonly owned: OwnedFiles;
}

interface Gate {
  readonly passed: Promise<void>;
  set(): void;
}

function createGate(): Gate {
  let set = (): void => undefined;
  const passed = new Promise<void>((resolve) => (set = resolve));
  return { passed, set };
}

/** Calls come as soon as the socket is open: what they ask of a source waits until it is followed, or can't be. */
async function isFollowed({ started, followed }: SyncState, sourceId: string): Promise<boolean> {
  await started.passed;
  await followed.get(sourceId)?.catch(() => undefined);
  return followed.has(sourceId);
}

/** A watcher whose successor takes over when its thread dies by itself. */
function openLastingWatcher(
  deps: SourceSyncDeps,
  state: SyncState,
): { current(): Watcher; close(): Promise<void> } {
  let closed = false;
  const applying = new Set<Promise<void>>();
  const apply = (message: WatchMessage): Promise<void> => {
    const applied = applyMessage(deps, state, message, (sourceId, paths) => current.forget(sourceId, paths));
    applying.add(applied);
    const forget = (): unknown => applying.delete(applied);
    applied.then(forget, forget);
    return applied;
  };
  const open = (): Watcher =>
    deps.openWatcher(apply, (reason) => {
      if (closed) return;
      deps.log.error({ reason }, "the watcher has died; another one takes its place");
      state.timers.after(REOPEN_MS, () => {
        current = open();
        state.followed.clear();
        followAll(deps, state, current);
      });
    });
  let current = open();
  return {
    current: () => current,
    async close() {
      closed = true;
      await current.close();
      // What is half written into the catalogue is finished before the catalogue is closed.
      await Promise.allSettled(applying);
    },
  };
}

function followAll(deps: SourceSyncDeps, state: SyncState, watcher: Watcher): void {
  state.owned.followAll();
  for (const source of deps.catalog.sources.all()) {
    if (source.state === "paused" || source.state === "removing") continue;
    follow(deps, state, watcher, source).catch((error: unknown) => {
      if (state.stopping.signal.aborted) return;
      const reason = toKnowdError(error).message;
      deps.log.error({ source: source.path, error: reason }, "a source could not be followed");
      deps.catalog.sources.setState(source.id, "unavailable", reason);
    });
  }
}

async function follow(
  deps: SourceSyncDeps,
  state: SyncState,
  watcher: Watcher,
  source: Source,
): Promise<void> {
  const before = state.followed.get(source.id);
  if (before) return await before;
  state.scanned.delete(source.id);
  const known = knownFiles(deps, source.id);
  const following = watcher.add(rootOf(source, deps.catalog.sources.rootIdentity(source.id)), known);
  state.followed.set(source.id, following);
  try {
    await following;
  } catch (error) {
    state.followed.delete(source.id);
    throw error;
  }
}

/** Writes what the watcher says into the catalogue. What is thrown here makes the watcher say it again. */
async function applyMessage(
  deps: SourceSyncDeps,
  state: SyncState,
  message: WatchMessage,
  forget: (sourceId: string, paths: readonly string[]) => void,
): Promise<void> {
  const { catalog, log } = deps;
  const source = catalog.sources.get(message.sourceId);
  if (!source) return await state.owned.apply(message);
  switch (message.type) {
    case "changed": {
      const later = await applyChanged(deps, state, source, message.files, message.origin);
      if (later.length > 0) state.timers.after(REVISIT_MS, () => forget(source.id, later));
      return;
    }
    case "gone":
      return await applyGone(deps, source, message.paths);
    case "excluded":
      return await applyExcluded(deps, source, message.paths);
    case "scanned":
      if (message.complete) state.scanned.add(source.id);
      for (const unreadable of message.unreadable)
        log.warn({ source: source.path, unreadable }, "a folder can't be read");
      catalog.sources.update(source.id, { lastScanAt: deps.now() });
      return;
    case "state":
      if (message.root) catalog.sources.setRootIdentity(source.id, message.root);
      catalog.sources.setState(source.id, message.state, message.reason);
      return;
    default:
      message satisfies never;
  }
}

function rootOf(source: Source, identity: WatchRoot["identity"]): WatchRoot {
  const { include, exclude, useIgnoreFiles, hidden, maxFileBytes } = source;
  return {
    sourceId: source.id,
    path: source.path,
    rules: { include, exclude, useIgnoreFiles, hidden, maxFileBytes },
    identity,
  };
}

/** The ledger of a source in slices; vanished files are left out, so that their return is seen as a change. */
async function* knownFiles(deps: ChangeDeps, sourceId: string): AsyncGenerator<KnownFile[]> {
  let after = "";
  for (;;) {
    const rows = deps.catalog.ledger.pageAfter(sourceId, after, KNOWN_SLICE);
    const last = rows.at(-1);
    if (!last) return;
    yield rows.filter((row) => row.missingSince === null).map(({ path, stamp }) => ({ path, stamp }));
    after = last.path;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function sourceWarnings(deps: ChangeDeps): string[] {
  return deps.catalog.sources.all().flatMap((source) => {
    if (source.state === "unavailable" || source.state === "polling") {
      return [`${source.path} is ${source.state}: ${source.stateReason ?? "no reason is known"}`];
    }
    if (!vanishedInMass(deps, source)) return [];
    const missing = deps.catalog.ledger.missingCount(source.id);
    const minutes = Math.round(deps.settings.massGraceMs / 60_000);
    return [
      `${missing} files of ${source.path} vanished at once; they are hidden, and deleted after ${minutes} minutes`,
    ];
  });
}
