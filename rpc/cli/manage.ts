import type { Client } from "../client.ts";
import type { Base } from "../contract/bases.ts";
import type { Result } from "../contract/index.ts";
import type { Source } from "../contract/sources.ts";
import { CommandFailure, EXIT } from "./exit.ts";
import { out, paint, paintError, plural, printJson, shownName, shownPath } from "./print.ts";
import { basesNamed, withClient, type GlobalFlags } from "./session.ts";
import { realPath, targetOf } from "./target.ts";
import { typedPath } from "./typed-path.ts";
import { allSources, folderAt, watch as watchFolder, type UpFlags } from "./up.ts";

export interface BaseFlags extends GlobalFlags {
  readonly base?: string | undefined;
}

/** Watches folders with a running daemon, without waiting; without folders it lists what is watched. */
export async function watch(folders: readonly string[], flags: UpFlags): Promise<void> {
  await withClient(flags, async (client) => {
    for (const folder of folders) await watchFolder(client, await folderAt(folder), flags);
    const sources = await allSources(client);
    if (flags.json) return printJson({ items: sources });
    for (const source of sources) {
      out(
        `${source.id}  ${shownPath(source.path)}  ${plural(source.files, "file")}  ${paint.dim(source.stateReason ?? source.state)}`,
      );
    }
    return undefined;
  });
}

/** Copies files or folders into a base. */
export async function add(
  paths: readonly string[],
  flags: BaseFlags & { onConflict?: "rename" | "detect" | "replace" },
): Promise<number> {
  return await withClient(flags, async (client) => {
    const base = await baseNamed(client, flags.base);
    if (!base) throw new CommandFailure(EXIT.usage, "which base? name it with --base", "knowd ls lists them");
    const result: Result<"item.add"> = { added: [], conflicts: [], failed: [] };
    for (const some of slices(paths.map(typedPath))) {
      const part = await client.call("item.add", {
        baseId: base.id,
        paths: some,
        onConflict: flags.onConflict ?? "rename",
      });
      result.added.push(...part.added);
      result.conflicts.push(...part.conflicts);
      result.failed.push(...part.failed);
    }
    if (flags.json) printJson(result);
    else {
      for (const added of result.added) out(`+ ${shownName(added.conceptId)}`);
      for (const conflict of result.conflicts)
        out(paint.yellow(`= ${shownName(conflict.path)} is there already (${conflict.itemId})`));
      for (const failed of result.failed)
        out(paint.red(`! ${shownName(failed.path)}: ${shownName(failed.reason)}`));
    }
    return result.failed.length > 0 ? EXIT.failed : EXIT.done;
  });
}

/**
 * Takes items out of their base, and stops watching the folders among the targets. Answers the exit code: 4 when one of
 * the targets is not there; the others are taken out all the same.
 */
export async function rm(targets: readonly string[], flags: BaseFlags): Promise<number> {
  return await withClient(flags, async (client) => {
    const base = await baseNamed(client, flags.base);
    const sources = await allSources(client);
    const removed = new Set<string>();
    const rest: string[] = [];
    for (const target of targets) {
      const named = sourcesNamed(sources, target, base);
      for (const { id } of named) removed.add(id);
      if (named.length === 0) rest.push(target);
    }
    const { itemIds, notFound } = await findItems(client, rest, base);
    for (const sourceId of removed) await client.call("source.remove", { sourceId });
    let deleted = 0;
    for (const ids of slices(itemIds))
      deleted += (await client.call("item.delete", { itemIds: ids })).deleted;
    if (flags.json) printJson({ deleted, sourcesRemoved: removed.size, notFound });
    else if (removed.size + itemIds.length > 0) out("Done. No file of yours was touched.");
    return reportMissing(notFound);
  });
}

/** Reads, chunks and embeds items or a whole base again. Answers the exit code: 4 when one of the targets is not there. */
export async function reindex(targets: readonly string[], flags: BaseFlags): Promise<number> {
  return await withClient(flags, async (client) => {
    let queued = 0;
    let refused = 0;
    const add = (answer: { queued: number; refused: number }): void => {
      queued += answer.queued;
      refused += answer.refused;
    };
    const base = await baseNamed(client, flags.base);
    if (targets.length === 0 && !base)
      throw new CommandFailure(EXIT.usage, "reindex what? name files, or a base with --base");
    const { itemIds, notFound } = await findItems(client, targets, base);
    for (const ids of slices(itemIds)) add(await client.call("item.reindex", { itemIds: ids }));
    if (targets.length === 0 && base) add(await client.call("base.reindex", { baseId: base.id }));
    if (flags.json) printJson({ queued, refused, notFound });
    else if (itemIds.length > 0 || targets.length === 0)
      out(`${plural(queued, "file")} queued.${leftAlone(refused)}`);
    return reportMissing(notFound);
  });
}

function leftAlone(refused: number): string {
  return refused === 0
    ? ""
    : ` ${plural(refused, "file")} left as they are: missing, or on a source that can't be read.`;
}

async function baseNamed(client: Client, name: string | undefined): Promise<Base | undefined> {
  return (await basesNamed(client, name === undefined ? undefined : [name]))?.[0];
}

/** Watched folders by path or id. A folder may be watched for several bases. */
function sourcesNamed(sources: readonly Source[], target: string, base: Base | undefined): Source[] {
  const absolute = typedPath(target);
  const names = [absolute, realPath(absolute)];
  return sources.filter(
    (one) => (names.includes(one.path) || one.id === target) && (!base || one.baseId === base.id),
  );
}

/** The items that a person means, each once, and the targets at which nothing stands. */
async function findItems(
  client: Client,
  targets: readonly string[],
  base: Base | undefined,
): Promise<{ itemIds: string[]; notFound: string[] }> {
  const itemIds = new Set<string>();
  const notFound: string[] = [];
  for (const target of targets) {
    const { items } = await client.call("item.find", targetOf(target, base));
    for (const { id } of items) itemIds.add(id);
    if (items.length === 0) notFound.push(target);
  }
  return { itemIds: [...itemIds], notFound };
}

/** As many items or paths as one call may name. */
const MAX_NAMED = 1000;

function slices(named: readonly string[]): string[][] {
  const found: string[][] = [];
  for (let at = 0; at < named.length; at += MAX_NAMED) found.push(named.slice(at, at + MAX_NAMED));
  return found;
}

function reportMissing(notFound: readonly string[]): number {
  for (const target of notFound)
    process.stderr.write(`${paintError.red("knowd:")} nothing indexed stands at ${shownName(target)}\n`);
  if (notFound.length > 0)
    process.stderr.write(
      `       ${paintError.dim("knowd ls lists the bases, knowd ls <base> what is in one")}\n`,
    );
  return notFound.length > 0 ? EXIT.notFound : EXIT.done;
}
