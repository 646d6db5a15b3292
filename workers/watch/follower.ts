import type { Backend } from "./backend.ts";
import { createBatch } from "./batch.ts";
import type { Burst } from "./burst.ts";
import type { KnownFile, WatchMessage, WatchRoot, WatchRules, WatchSettings } from "./contract.ts";
import { createDirty } from "./dirty.ts";
import type { Follow } from "./follow.ts";
import { forgetFiles, reconsiderSizes } from "./forget.ts";
import { createRules } from "./ignore-rules.ts";
import { remoteReason } from "./mount-kind.ts";
import { createRootHealth } from "./root-health.ts";
import { RootLoop } from "./root-loop.ts";
import { createSlicer } from "./slicer.ts";
import { hasBirthTime } from "./stamp.ts";
import { createTree, splitPath } from "./tree.ts";
import { createVanishing } from "./vanishing.ts";
import { exhaustedReason } from "./watch-limits.ts";

export interface FollowerDeps {
  readonly root: WatchRoot;
  readonly settings: WatchSettings;
  readonly backend: Backend;
  readonly burst: Burst;
  readonly post: (message: WatchMessage) => Promise<void>;
  /** A scan that was asked for can't be done. */
  readonly refuse: (request: number, reason: string) => void;
  readonly log: (level: "warn" | "error", text: string) => void;
  /** Directories of all roots together, and whether one more may be watched. */
  readonly allDirectories: () => number;
  readonly mayWatchMore: () => boolean;
}

export interface FollowerStats {
  readonly watches: number;
  readonly refused: number;
  readonly files: number;
  readonly special: number;
  readonly directories: number;
}

/** Follows one root. All its work is done by one loop, one thing at a time, so its messages come in order. */
export interface Follower {
  seed(files: readonly KnownFile[]): void;
  start(): void;
  update(rules: WatchRules): void;
  scan(request: number): void;
  forget(paths: readonly string[]): void;
  stats(): FollowerStats;
  close(): void;
}

export function createFollower(deps: FollowerDeps): Follower {
  const { root, settings, burst, post, refuse } = deps;
  const follow = openFollow(deps, (path, renamed, name) => hinted(path, name, renamed));
  const health = createRootHealth({
    follow,
    path: root.path,
    identity: root.identity,
    emptyRootFiles: settings.emptyRootFiles,
    emptyRootHoldMs: settings.emptyRootHoldMs,
  });
  const loop = new RootLoop({
    follow,
    health,
    burst,
    settings,
    post,
    refuse,
    pollReason: () => pollReason(deps, follow),
    error: (text) => deps.log("error", text),
  });

  const hinted = (path: string, name: string | null, renamed: boolean): void => {
    burst.count();
    const first = follow.dirty.size() === 0;
    if (renamed) suspect(follow, path, name, loop);
    if (name === null) follow.dirty.markAll(path);
    else follow.dirty.mark(path, name);
    if (loop.isOverflowed()) follow.dirty.clear();
    else if (follow.dirty.size() > settings.maxDirtyDirectories) loop.overflow();
    // Those that follow are due later.
    if (first) loop.wake();
  };

  return {
    seed: (files) => follow.tree.seed(files),
    start: () => loop.start(),
    update(rules) {
      reconsiderSizes(follow, rules.maxFileBytes);
      follow.rules = createRules({ rules, base: () => follow.base, warn: follow.warn });
      for (const directory of follow.tree.walk(follow.tree.root)) directory.rules = null;
      loop.restartScan();
    },
    scan: (request) => loop.wantScan(request),
    forget(paths) {
      forgetFiles(follow, paths);
      loop.wake();
    },
    stats: () => statsOf(follow),
    close() {
      loop.close();
      follow.backend.close();
    },
  };
}

/** Entries that came, went or were replaced; libuv says the same when a directory's mode changes. */
function suspect(follow: Follow, path: string, name: string | null, loop: RootLoop): void {
  const directory = follow.tree.find(path);
  if (!directory) return;
  const child = name === null ? undefined : directory.children.get(name);
  // It may be another one with the same inode, which the file system does not tell.
  if (child?.identity && !hasBirthTime(child.identity)) child.identity = null;
  const own = directory.parent ? directory.name : splitPath(follow.base).name;
  if (name !== null && name !== own) return;
  // A directory's own end is told under its own name, and so is a disk that left: its watch may be deaf.
  if (directory.watch === "live") directory.watch = "none";
  if (directory.parent) follow.dirty.mark(directory.parent.path, directory.name);
  else loop.wantCheck();
}

function openFollow(
  { root, settings, backend, post, log, mayWatchMore }: FollowerDeps,
  onHint: (path: string, renamed: boolean, name: string | null) => void,
): Follow {
  const slicer = createSlicer(SLICE_MS);
  const batch = createBatch(root.sourceId, post);
  const warn = (text: string): void => log("warn", text);
  const follow: Follow = {
    sourceId: root.sourceId,
    tree: createTree(),
    backend,
    dirty: createDirty(settings.compareDelayMs),
    vanishing: createVanishing(settings.goneConfirmMs),
    batch,
    held: new Map(),
    linked: new Set(),
    base: root.path,
    rules: createRules({ rules: root.rules, base: () => follow.base, warn }),
    maxFileBytes: root.rules.maxFileBytes,
    exhausted: null,
    unwatchable: null,
    remote: null,
    special: 0,
    mayWatchMore,
    onHint: (path, { name, renamed }) => onHint(path, renamed, name),
    async pause() {
      if (batch.isFull()) await batch.send(false);
      await slicer.pause();
    },
    warn,
  };
  return follow;
}

const SLICE_MS = 8;

function pollReason({ settings, allDirectories }: FollowerDeps, follow: Follow): string | null {
  if (follow.exhausted) {
    const { code, ours } = follow.exhausted;
    return exhaustedReason({
      code,
      directories: allDirectories(),
      maxWatches: ours ? settings.maxWatches : null,
    });
  }
  if (follow.unwatchable !== null) {
    return `Some folders can't be watched (${follow.unwatchable}), so they are scanned from time to time.`;
  }
  return follow.remote === null ? null : remoteReason(follow.remote);
}

function statsOf(follow: Follow): FollowerStats {
  let refused = 0;
  for (const directory of follow.tree.walk(follow.tree.root)) if (directory.watch === "refused") refused++;
  return {
    watches: follow.backend.count(),
    refused,
    files: follow.tree.fileCount(),
    special: follow.special,
    directories: follow.tree.directoryCount(),
  };
}
