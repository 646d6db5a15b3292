import type { Source } from "../../rpc/contract/sources.ts";
import { KnowdError, toKnowdError } from "../runtime/errors.ts";
import type { Log } from "../runtime/log.ts";
import { sweepMissing, vanishedInMass } from "./grace-sweep.ts";
import { applyChanged, applyExcluded, applyGone, type ChangeDeps } from "./source-changes.ts";
import { createSourceTree } from "./source-tree.ts";
import type { KnownFile, Watcher, WatchMessage, WatchRoot } from "./watch-contract.ts";

export interface SourceSyncDeps extends ChangeDeps {
  readonly log: Log;
  /** Opens the watcher; each message is to be awaited, so that it never runs ahead of the catalogue. */
  readonly openWatcher: (onMessage: (message: WatchMessage) => Promise<void>) => Watcher;
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
  /** Sentences for people about sources that need one. */
  warnings(): string[];
  stop(): Promise<void>;
}

const KNOWN_SLICE = 1000;
/** A path whose old item is still being deleted is looked at again this much later. */
const REVISIT_MS = 500;

export function openSourceSync(deps: SourceSyncDeps): SourceSync {
  const { catalog, log } = deps;
  const tree = createSourceTree(catalog);
  const fresh = new Set<string>();
  const revisits = new Set<NodeJS.Timeout>();

  const onMessage = async (message: WatchMessage): Promise<void> => {
    const source = catalog.sources.get(message.sourceId);
    if (!source) return;
    try {
      await apply(source, message);
    } catch (error) {
      log.error(
        { source: source.path, type: message.type, error: toKnowdError(error).stack },
        "a watcher message failed",
      );
      if (message.type === "changed") {
        revisit(
          source.id,
          message.files.map((file) => file.path),
        );
      }
    }
  };

  const apply = async (source: Source, message: WatchMessage): Promise<void> => {
    switch (message.type) {
      case "changed": {
        const later = await applyChanged(deps, tree, source, message.files, message.origin);
        if (later.length > 0) revisit(source.id, later);
        return;
      }
      case "gone":
        return await applyGone(deps, source, message.paths);
      case "excluded":
        return await applyExcluded(deps, source, message.paths);
      case "scanned":
        if (message.complete) fresh.delete(source.id);
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
  };

  const watcher = deps.openWatcher(onMessage);

  const revisit = (sourceId: string, paths: readonly string[]): void => {
    const timer = setTimeout(() => {
      revisits.delete(timer);
      watcher.forget(sourceId, paths);
    }, REVISIT_MS);
    revisits.add(timer);
  };

  const sweep = (): void => {
    try {
      const { returned, removed } = sweepMissing(deps);
      if (removed > 0) tree.reset();
      for (const { sourceId, path } of returned) watcher.forget(sourceId, [path]);
    } catch (error) {
      log.error(
        { error: toKnowdError(error).stack },
        "looking after vanished files failed; it is tried again",
      );
    }
  };
  const sweeping = setInterval(sweep, deps.sweepEveryMs);
  sweeping.unref();

  const follow = async (source: Source): Promise<void> => {
    fresh.add(source.id);
    await watcher.add(rootOf(source, catalog.sources.rootIdentity(source.id)), knownFiles(deps, source.id));
  };

  return {
    start() {
      for (const source of catalog.sources.all()) {
        if (source.state === "paused" || source.state === "removing") continue;
        follow(source).catch((error: unknown) => {
          log.error(
            { source: source.path, error: toKnowdError(error).message },
            "a source could not be followed",
          );
          catalog.sources.setState(source.id, "unavailable", toKnowdError(error).message);
        });
      }
    },
    follow,
    unfollow: (sourceId) => watcher.remove(sourceId),
    updateRules: (source) => watcher.update(source.id, source),
    async scan(sourceId) {
      const source = catalog.sources.require(sourceId);
      if (source.state === "paused" || source.state === "removing") {
        throw new KnowdError("SOURCE_UNAVAILABLE", { sourceId, reason: `it is ${source.state}` });
      }
      return await watcher.scan(sourceId);
    },
    isFresh: (sourceId) => fresh.has(sourceId),
    warnings: () => sourceWarnings(deps),
    async stop() {
      clearInterval(sweeping);
      for (const timer of revisits) clearTimeout(timer);
      await watcher.close();
    },
  };
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
