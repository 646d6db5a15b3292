import type { Change } from "../../rpc/contract/system.ts";
import { toKnowdError } from "../runtime/errors.ts";
import type { Log } from "../runtime/log.ts";
import { applyOwnedChanged, applyOwnedGone, sweepOwned, type OwnedState } from "./owned-changes.ts";
import { knownFiles, ownedFiles } from "./owned-items.ts";
import type { ChangeDeps } from "./source-changes.ts";
import { createTimers } from "./timers.ts";
import type { Watcher, WatchMessage, WatchRoot } from "./watch-contract.ts";

/**
 * Follows the files that bases own: notes, snapshots and added files under `raw/`. One that a person edits there is read
 * again, one that a person deletes goes after the grace period. Other files that are put there are none of ours.
 */
export interface OwnedFiles {
  /** Follows every base that owns a file, with the watcher that is current now. */
  followAll(): void;
  /** What the watcher says of a base's folder. */
  apply(message: WatchMessage): Promise<void>;
  /** Deletes the items whose files were gone for the whole grace period, and still are. */
  sweep(signal: AbortSignal): Promise<void>;
  stop(): void;
}

export interface OwnedFilesDeps extends ChangeDeps {
  readonly log: Pick<Log, "warn">;
}

/** A base that got its first file is followed after this long: many come at once. */
const FOLLOW_AFTER_MS = 200;
/** Of so many items it is remembered when they were last read; of others an event costs a reading more. */
const MAX_REMEMBERED = 10_000;

interface State extends OwnedState {
  readonly watcher: () => Watcher;
  readonly followed: Set<string>;
}

export function createOwnedFiles(deps: OwnedFilesDeps, watcher: () => Watcher): OwnedFiles {
  const state: State = { watcher, followed: new Set(), readingSince: new Map(), missing: new Map() };
  let started = false;
  const timers = createTimers();
  const awaited = new Set<string>();
  const followSoon = (baseId: string): void => {
    if (!started || state.followed.has(baseId) || awaited.has(baseId)) return;
    awaited.add(baseId);
    timers.after(FOLLOW_AFTER_MS, () => {
      awaited.delete(baseId);
      void follow(deps, state, baseId);
    });
  };
  const unsubscribe = deps.catalog.changes.subscribe((changes) => {
    for (const change of changes) hear(state, change, followSoon);
  });
  return {
    followAll() {
      started = true;
      state.followed.clear();
      for (const { id } of deps.catalog.bases.all()) void follow(deps, state, id);
    },
    async apply(message) {
      if (message.type === "changed") await applyOwnedChanged(deps, state, message);
      else if (message.type === "gone") await applyOwnedGone(deps, state, message.sourceId, message.paths);
      else if (
        message.type === "state" &&
        message.state === "unavailable" &&
        deps.catalog.bases.get(message.sourceId)
      )
        deps.log.warn(
          { baseId: message.sourceId, reason: message.reason },
          "a base's own files can't be followed",
        );
    },
    sweep: (signal) => sweepOwned(deps, state, signal),
    stop() {
      unsubscribe();
      timers.clear();
    },
  };
}

function hear(state: State, change: Change, followSoon: (baseId: string) => void): void {
  const { entity, action, id, baseId, status } = change;
  if (entity === "base" && action === "deleted") {
    const base = String(id);
    state.missing.delete(base);
    if (state.followed.delete(base))
      void state
        .watcher()
        .remove(base)
        .catch(() => undefined);
  }
  if (entity !== "item" || baseId === null) return;
  if (action === "created") followSoon(baseId);
  if (status !== "reading") return;
  state.readingSince.delete(String(id));
  state.readingSince.set(String(id), change.at);
  if (state.readingSince.size <= MAX_REMEMBERED) return;
  for (const oldest of state.readingSince.keys()) {
    state.readingSince.delete(oldest);
    return;
  }
}

async function follow(deps: OwnedFilesDeps, state: State, baseId: string): Promise<void> {
  if (state.followed.has(baseId)) return;
  const first = await ownedFiles(deps.catalog, baseId).next();
  if (first.done === true || state.followed.has(baseId)) return;
  state.followed.add(baseId);
  try {
    await state.watcher().add(rootOf(deps, baseId), knownFiles(deps.catalog, baseId));
  } catch (error) {
    state.followed.delete(baseId);
    deps.log.warn(
      { baseId, reason: toKnowdError(error).message },
      "a base's own files could not be followed",
    );
  }
}

function rootOf({ registry, settings }: OwnedFilesDeps, baseId: string): WatchRoot {
  const rules = {
    include: [],
    exclude: [],
    useIgnoreFiles: false,
    hidden: true,
    maxFileBytes: settings.maxFileBytes,
  };
  return { sourceId: baseId, path: registry.rawPath(baseId), rules, identity: null };
}
