import { realpath, stat } from "node:fs/promises";
import path from "node:path";
import type { Params } from "../rpc/contract/index.ts";
import type { Source } from "../rpc/contract/sources.ts";
import { displayPath, escapePath, toSystemPath } from "../workers/path-bytes.ts";
import { isVirtualMount } from "../workers/watch/mount-kind.ts";
import type { IngestDeps } from "./ingest/ingest-deps.ts";
import { removeItems } from "./ingest/remove-items.ts";
import type { SourceSync } from "./ingest/source-sync.ts";
import { KnowdError, toKnowdError } from "./runtime/errors.ts";

export interface SourcesDeps {
  readonly ingest: IngestDeps;
  readonly sync: SourceSync;
  /** The daemon's own folder must never be watched: it changes with each thing it indexes. */
  readonly dataDir: string;
}

export type AddSource = (
  input: Params<"source.add">,
  options?: { mayBeUnreadable?: boolean },
) => Promise<Source>;

export interface Sources {
  add: AddSource;
  /** Answers how many items go with it. */
  remove(sourceId: string): Promise<number>;
  /** Goes on with removals that a crash interrupted. */
  finishRemoves(): Promise<void>;
  pause(sourceId: string): Promise<Source>;
  resume(sourceId: string): Promise<Source>;
  update(input: Params<"source.update">): Promise<Source>;
  /** Adds files and folders (absolute paths) to what the source excludes. */
  leaveOut(
    sourceId: string,
    entries: readonly { readonly path: string; readonly isFolder: boolean }[],
  ): Promise<void>;
}

export function openSources(deps: SourcesDeps): Sources {
  const { catalog } = deps.ingest;
  const finishRemove = async (sourceId: string): Promise<number> => {
    const { itemId } = catalog.sources.require(sourceId);
    const removed = await removeItems(deps.ingest, [itemId]);
    catalog.sources.remove(sourceId);
    return removed;
  };

  return {
    add: (input, options = {}) => addSource(deps, input, options.mayBeUnreadable === true),
    async finishRemoves() {
      for (const { id, state, path: root } of catalog.sources.all()) {
        if (state !== "removing") continue;
        await finishRemove(id).catch((error: unknown) => {
          deps.ingest.log.warn(
            { source: root, error: toKnowdError(error).message },
            "a source could not be removed; the next start, or removing it again, goes on with it",
          );
        });
      }
    },
    async remove(sourceId) {
      catalog.sources.require(sourceId);
      await deps.sync.unfollow(sourceId);
      catalog.sources.setState(sourceId, "removing", null);
      return await finishRemove(sourceId);
    },
    async pause(sourceId) {
      catalog.sources.require(sourceId);
      await deps.sync.unfollow(sourceId);
      catalog.sources.setState(sourceId, "paused", "paused by a person");
      return catalog.sources.require(sourceId);
    },
    async resume(sourceId) {
      const source = catalog.sources.require(sourceId);
      if (source.state !== "paused") return source;
      catalog.sources.setState(sourceId, "scanning", null);
      await deps.sync.follow(source);
      return catalog.sources.require(sourceId);
    },
    async update({ sourceId, ...patch }) {
      const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
      if (patch.exclude) {
        const own = ownFolderRule(catalog.sources.require(sourceId).path, await realpath(deps.dataDir));
        given["exclude"] = [...new Set([...patch.exclude, ...own])];
      }
      const source = catalog.sources.update(sourceId, given);
      if (source.state !== "paused") await deps.sync.updateRules(source);
      return catalog.sources.require(sourceId);
    },
    async leaveOut(sourceId, entries) {
      // Nothing is awaited between reading and writing: two callers at once must not lose one another's rules.
      const { path: root, exclude } = catalog.sources.require(sourceId);
      const patterns = entries.map((entry) => patternOf(root, entry.path, entry.isFolder));
      const source = catalog.sources.update(sourceId, { exclude: [...new Set([...exclude, ...patterns])] });
      if (source.state !== "paused") await deps.sync.updateRules(source);
    },
  };
}

async function addSource(
  deps: SourcesDeps,
  input: Params<"source.add">,
  mayBeUnreadable: boolean,
): Promise<Source> {
  const { catalog, settings } = deps.ingest;
  catalog.bases.require(input.baseId);
  const dataDir = await realpath(deps.dataDir);
  const root = await rootPath(dataDir, input.path, mayBeUnreadable);
  const twin = catalog.sources.all().find((source) => source.baseId === input.baseId && source.path === root);
  if (twin) throw new KnowdError("SOURCE_EXISTS", { sourceId: twin.id, path: root });
  const name = displayPath(path.basename(root) || "root");
  const source = catalog.transaction(() => {
    const item = catalog.items.create({
      baseId: input.baseId,
      groupId: null,
      sourceId: null,
      type: "directory",
      title: name,
      conceptId: name,
      path: root,
      sourceKey: root,
    });
    return catalog.sources.create({
      baseId: input.baseId,
      itemId: item.id,
      path: root,
      include: input.include ?? [],
      exclude: [...(input.exclude ?? []), ...ownFolderRule(root, dataDir)],
      useIgnoreFiles: input.useIgnoreFiles ?? true,
      hidden: input.hidden ?? false,
      maxFileBytes: input.maxFileBytes ?? settings.maxFileBytes,
      copy: input.copy,
    });
  });
  await deps.sync.follow(source);
  const followed = catalog.sources.get(source.id);
  if (followed) return followed;
  // Its base was deleted meanwhile.
  await deps.sync.unfollow(source.id);
  throw new KnowdError("SOURCE_NOT_FOUND", { sourceId: source.id });
}

/** A watched folder that holds the daemon's own data leaves that out: it changes with each thing that is indexed. */
function ownFolderRule(root: string, dataDir: string): string[] {
  return isWithin(root, dataDir) ? [patternOf(root, dataDir, true)] : [];
}

/** A gitignore pattern that matches this path below the root and no other. */
function patternOf(root: string, absolute: string, isFolder: boolean): string {
  const below = path.relative(root, absolute).replaceAll(/[\\*?[\]!# ]/g, (special) => `\\${special}`);
  return `/${below}${isFolder ? "/" : ""}`;
}

/** The folder's real path. Refuses what is no folder, and what lies within the daemon's own data. */
async function rootPath(dataDir: string, wanted: string, mayBeUnreadable: boolean): Promise<string> {
  if (!path.isAbsolute(wanted))
    throw new KnowdError("PATH_INVALID", { path: wanted, reason: "the path must be absolute" });
  if (wanted.includes("\0"))
    throw new KnowdError("PATH_INVALID", { path: wanted, reason: "a path has no NUL" });
  const real = realpath(toSystemPath(wanted), { encoding: "buffer" });
  const root = await real.then(escapePath).catch((error: NodeJS.ErrnoException) => {
    if (mayBeUnreadable) return path.resolve(wanted);
    if (error.code === "ENOENT") throw new KnowdError("PATH_NOT_FOUND", { path: wanted });
    throw new KnowdError("PATH_INVALID", { path: wanted, reason: error.message });
  });
  const found = await stat(toSystemPath(root)).catch(() => null);
  if (found && !found.isDirectory())
    throw new KnowdError("PATH_INVALID", { path: wanted, reason: "it is not a folder" });
  if (isVirtualMount(root)) {
    throw new KnowdError("PATH_INVALID", {
      path: wanted,
      reason: "the kernel makes up what is in it: there are no documents",
    });
  }
  if (isWithin(dataDir, root)) {
    throw new KnowdError("PATH_INVALID", {
      path: wanted,
      reason: `it lies in knowd's own data folder ${dataDir}`,
    });
  }
  return root;
}

function isWithin(folder: string, candidate: string): boolean {
  const relative = path.relative(folder, candidate);
  const climbs = relative === ".." || relative.startsWith(`..${path.sep}`);
  return !climbs && !path.isAbsolute(relative);
}
