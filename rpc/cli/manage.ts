import type { Client } from "../client.ts";
import type { Item } from "../contract/items.ts";
import { CommandFailure, EXIT } from "./exit.ts";
import { out, paint, plural, printJson, shownName, shownPath } from "./print.ts";
import { basesNamed, withClient, type GlobalFlags } from "./session.ts";
import { typedPath } from "./typed-path.ts";
import { allSources, folderAt, watch as watchFolder, type UpFlags } from "./up.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

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
    const base = (await basesNamed(client, flags.base === undefined ? undefined : [flags.base]))?.[0];
    if (!base) throw new CommandFailure(EXIT.usage, "which base? name it with --base", "knowd ls lists them");
    const result = await client.call("item.add", {
      baseId: base.id,
      paths: paths.map(typedPath),
      onConflict: flags.onConflict ?? "rename",
    });
    if (flags.json) printJson(result);
    else {
      for (const added of result.added) out(`+ ${shownName(added.conceptId)}`);
      for (const conflict of result.conflicts)
        out(paint.yellow(`= ${shownName(conflict.path)} is there already (${conflict.itemId})`));
      for (const failed of result.failed) out(paint.red(`! ${shownName(failed.path)}: ${failed.reason}`));
    }
    return result.failed.length > 0 ? EXIT.failed : EXIT.done;
  });
}

/** Takes items out of a base: by id or by path. A watched folder itself is not watched any more. */
export async function rm(targets: readonly string[], flags: GlobalFlags): Promise<void> {
  await withClient(flags, async (client) => {
    const sources = await allSources(client);
    let deleted = 0;
    for (const target of targets) {
      const source = sources.find((one) => one.path === typedPath(target) || one.id === target);
      if (source) await client.call("source.remove", { sourceId: source.id });
      else deleted += (await client.call("item.delete", { itemIds: await itemIds(client, target) })).deleted;
    }
    if (flags.json) printJson({ deleted });
    else out("Done. No file of yours was touched.");
  });
}

/** Reads, chunks and embeds items or a whole base again. */
export async function reindex(targets: readonly string[], flags: BaseFlags): Promise<void> {
  await withClient(flags, async (client) => {
    let queued = 0;
    let refused = 0;
    const add = (answer: { queued: number; refused: number }): void => {
      queued += answer.queued;
      refused += answer.refused;
    };
    const bases = await basesNamed(client, flags.base === undefined ? undefined : [flags.base]);
    for (const base of bases ?? []) add(await client.call("base.reindex", { baseId: base.id }));
    for (const target of targets)
      add(await client.call("item.reindex", { itemIds: await itemIds(client, target) }));
    if (targets.length === 0 && !bases)
      throw new CommandFailure(EXIT.usage, "reindex what? name files, or a base with --base");
    if (flags.json) printJson({ queued, refused });
    else out(`${plural(queued, "file")} queued.${leftAlone(refused)}`);
  });
}

function leftAlone(refused: number): string {
  return refused === 0
    ? ""
    : ` ${plural(refused, "file")} left as they are: missing, or on a source that can't be read.`;
}

/** The items that a person means by an id or a path. */
async function itemIds(client: Client, target: string): Promise<string[]> {
  if (uuid.test(target)) return [target];
  const absolute = typedPath(target);
  const found: Item[] = [];
  for (const source of await allSources(client)) {
    if (!absolute.startsWith(`${source.path}/`)) continue;
    found.push(...(await itemsAt(client, source.baseId, absolute)));
  }
  if (found.length === 0) throw new CommandFailure(EXIT.notFound, `nothing indexed stands at ${target}`);
  return found.map((item) => item.id);
}

async function itemsAt(client: Client, baseId: string, absolute: string): Promise<Item[]> {
  let cursor: string | undefined;
  do {
    const page = await client.call("item.list", {
      baseId,
      limit: 100,
      ...(cursor !== undefined && { cursor }),
    });
    const found = page.items.filter((item) => item.path === absolute);
    if (found.length > 0) return found;
    cursor = page.cursor;
  } while (cursor !== undefined);
  return [];
}
