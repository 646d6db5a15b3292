import { realpath, stat } from "node:fs/promises";
import path from "node:path";
import { displayPath, escapePath, toSystemPath } from "../../workers/path-bytes.ts";
import type { Client } from "../client.ts";
import { RpcError } from "../client-errors.ts";
import type { BaseView } from "../contract/bases.ts";
import type { Source } from "../contract/sources.ts";
import { CommandFailure, EXIT } from "./exit.ts";
import { allOf } from "./pages.ts";
import { followUntilIdle } from "./progress.ts";
import { bytes, count, duration, out, paint, plural, printJson, shownName, shownPath } from "./print.ts";
import { notRead } from "./not-read.ts";
import { allBases, type GlobalFlags } from "./session.ts";
import { connectOrStart } from "./spawn-daemon.ts";
import { typedPath } from "./typed-path.ts";

export interface UpFlags extends GlobalFlags {
  readonly base?: string | undefined;
  /** False for --no-embedding. */
  readonly embedding?: boolean | undefined;
  /** False for --no-wait. */
  readonly wait?: boolean | undefined;
}

/** Starts the daemon if none runs, watches the folders, shows progress until idle, then says how to go on. */
export async function up(folders: readonly string[], flags: UpFlags): Promise<void> {
  const roots = await Promise.all(folders.map(folderAt));
  const { client, started } = await connectOrStart(flags);
  try {
    if (!flags.json && started)
      out(
        `Started the daemon (${paint.dim(`data in ${(await client.call("system.status", {})).dataDir}`)}).`,
      );
    const added: Source[] = [];
    for (const root of roots) added.push(await watch(client, root, flags));
    const began = performance.now();
    const baseIds = [...new Set(added.map((source) => source.baseId))];
    if (flags.wait !== false) await followUntilIdle(client, added, flags.json !== true);
    const sources = (await allSources(client)).filter(({ id }) => added.some((source) => source.id === id));
    // One after the other: a connection may have only so many requests in flight.
    const bases: BaseView[] = [];
    for (const baseId of baseIds) bases.push((await client.call("base.get", { baseId })).base);
    if (flags.json) printJson({ started, sources, bases });
    else await summary(client, bases, sources, performance.now() - began, flags.wait !== false);
  } finally {
    client.close();
  }
}

/** The real path of a folder that was typed, in escaped form. */
export async function folderAt(folder: string): Promise<string> {
  const found = await realpath(toSystemPath(typedPath(folder)), { encoding: "buffer" }).catch(
    (error: NodeJS.ErrnoException) => error.code ?? error.message,
  );
  if (found === "ENOENT") throw new CommandFailure(EXIT.notFound, `there is no folder ${folder}`);
  if (typeof found === "string") throw new CommandFailure(EXIT.failed, `${folder} can't be opened: ${found}`);
  const real = escapePath(found);
  if (!(await stat(found)).isDirectory())
    throw new CommandFailure(
      EXIT.usage,
      `${folder} is a file, not a folder`,
      "watch its folder, or add it: knowd add",
    );
  return real;
}

/**
 * The source of a folder: the one that watches it already, or a new one in a base of the folder's name. Another command may
 * do the same at this moment: whoever comes second takes what the first has made. For that the sources are read last.
 */
export async function watch(client: Client, root: string, flags: UpFlags): Promise<Source> {
  const bases = await allBases(client);
  const sources = await allSources(client);
  const wanted =
    flags.base === undefined
      ? emptyBase(bases, sources, root, flags)
      : bases.find((base) => base.name === flags.base || base.id === flags.base);
  const known = sources.find(
    (source) => source.path === root && (flags.base === undefined || source.baseId === wanted?.id),
  );
  if (known) return known;
  try {
    return await watchIn(client, wanted ?? (await createBase(client, root, flags, bases)), root, !wanted);
  } catch (error) {
    if (isError(error, "BASE_NAME_TAKEN")) return await watch(client, root, flags);
    throw error;
  }
}

async function watchIn(
  client: Client,
  base: { readonly id: string },
  root: string,
  isNew: boolean,
): Promise<Source> {
  try {
    return (await client.call("source.add", { baseId: base.id, path: root })).source;
  } catch (error) {
    const first = isError(error, "SOURCE_EXISTS")
      ? (await allSources(client)).find((source) => source.baseId === base.id && source.path === root)
      : undefined;
    if (first) return first;
    // A base made for a folder that can't be watched would only be in the way.
    if (isNew) await client.call("base.delete", { baseId: base.id });
    throw error;
  }
}

const nameFor = (root: string): string => displayPath(path.basename(root)).trim() || "root";

/** A base that was made for a folder of this name and has nothing (any more, or yet), neither folders nor items. */
function emptyBase(
  bases: readonly BaseView[],
  sources: readonly Source[],
  root: string,
  flags: UpFlags,
): BaseView | undefined {
  const name = nameFor(root);
  return bases.find((base) => {
    const isOfName = base.name === name || /^ \d+$/.test(base.name.slice(name.length));
    const isWordsOnly = base.embeddingModelId === null;
    return (
      base.name.startsWith(name) &&
      isOfName &&
      base.counts.items === 0 &&
      isWordsOnly === (flags.embedding === false) &&
      !sources.some((source) => source.baseId === base.id)
    );
  });
}

async function createBase(
  client: Client,
  root: string,
  flags: UpFlags,
  bases: readonly BaseView[],
): Promise<{ id: string }> {
  const taken = new Set(bases.map((one) => one.name));
  const folderName = nameFor(root);
  let name = flags.base ?? folderName;
  for (let n = 2; taken.has(name); n++) name = `${folderName} ${n}`;
  const withoutModel = flags.embedding === false ? { embeddingModelId: null } : {};
  return (await client.call("base.create", { name, ...withoutModel })).base;
}

export async function allSources(client: Client): Promise<Source[]> {
  return await allOf((page) => client.call("source.list", page));
}

async function summary(
  client: Client,
  bases: readonly BaseView[],
  sources: readonly Source[],
  tookMs: number,
  waited: boolean,
): Promise<void> {
  const status = await client.call("system.status", {});
  for (const base of bases) {
    const { completed, failed, skipped, warned, chunks, active } = base.counts;
    const roots = sources
      .filter((source) => source.baseId === base.id)
      .map((source) => shownPath(source.path));
    const hint = failed + skipped + warned > 0 ? " (knowd status --failed)" : "";
    const problems = notRead(base.counts) + hint;
    const rest = active > 0 ? `, ${plural(active, "file")} waiting` : "";
    out(
      `${paint.bold(shownName(base.name))}: ${plural(completed, "file")}, ${plural(chunks, "chunk")}${problems}${rest}. Watching ${roots.join(", ")}.`,
    );
  }
  if (bases.length === 0) {
    out(
      `knowd runs: ${plural(status.bases, "base")}, ${plural(status.items.completed, "file")}, ${count(status.chunks)} chunks, ${bytes(status.rssBytes)} of memory.`,
    );
    if (status.bases === 0) out(`Watch a folder:  ${paint.bold("knowd up ~/notes")}`);
  } else if (waited && sources.every((source) => source.state !== "unavailable"))
    out(paint.dim(`Up to date after ${duration(tookMs)}; changes are followed from here on.`));
  for (const warning of status.warnings) out(paint.yellow(`! ${shownName(warning)}`));
  out(`Search:  ${paint.bold('knowd search "your question"')}`);
  out(`Stop:    ${paint.bold("knowd stop")}`);
}

function isError(error: unknown, name: string): boolean {
  return error instanceof RpcError && error.errorName === name;
}
