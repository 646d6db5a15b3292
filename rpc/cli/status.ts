import type { Client } from "../client.ts";
import type { Item } from "../contract/items.ts";
import type { SystemStatus } from "../contract/system.ts";
import {
  bytes,
  count,
  duration,
  harmless,
  out,
  paint,
  plural,
  printJson,
  shownName,
  shownPath,
} from "./print.ts";
import { eachOf, type PageParams } from "./pages.ts";
import { allBases, withClient, type GlobalFlags } from "./session.ts";

export interface StatusFlags extends GlobalFlags {
  readonly failed?: boolean | undefined;
}

export async function status(flags: StatusFlags): Promise<void> {
  await withClient(flags, async (client) => {
    if (flags.failed) return await printFailed(client, flags);
    const current = await client.call("system.status", {});
    if (flags.json) printJson(current);
    else printStatus(current);
    return undefined;
  });
}

function printStatus(status: SystemStatus): void {
  const { items, sources, queue, hosts } = status;
  const rss = status.rssBytes + (hosts.worker.rssBytes ?? 0) + (hosts.search.rssBytes ?? 0);
  out(
    `${paint.bold(`knowd ${status.version}`)}  pid ${status.pid}, up ${duration(status.uptimeMs)}, ${bytes(rss)} of memory`,
  );
  out(`data     ${status.dataDir}`);
  out(`socket   ${status.socketPath}`);
  out(
    `bases    ${count(status.bases)}: ${plural(items.completed, "file")}, ${plural(status.chunks, "chunk")}${items.failed > 0 ? `, ${paint.yellow(`${count(items.failed)} not read`)}` : ""}`,
  );
  const states = (["watching", "scanning", "polling", "unavailable"] as const).filter(
    (state) => sources[state] > 0,
  );
  out(
    `folders  ${count(sources.total)}${states.length > 0 ? `: ${states.map((state) => `${count(sources[state])} ${state}`).join(", ")}` : ""}`,
  );
  const work = status.idle
    ? "idle"
    : `${plural(queue.queued + queue.running, "job")} to do, ${Math.round(status.filesPerSecond)} files/s`;
  out(`work     ${work}${queue.parked > 0 ? `, ${count(queue.parked)} parked` : ""}`);
  for (const warning of status.warnings) out(paint.yellow(`! ${shownName(warning)}`));
}

/** Failed files by reason, with counts and examples. */
async function printFailed(client: Client, flags: StatusFlags): Promise<void> {
  const failed: Item[] = [];
  for (const base of await allBases(client)) {
    const ask = (page: PageParams) =>
      client.call("item.list", { baseId: base.id, status: "failed", ...page });
    for await (const item of eachOf(ask)) if (item.type !== "directory") failed.push(item);
  }
  if (flags.json) return printJson({ items: failed });
  if (failed.length === 0) return out("Every file was read.");
  const groups = new Map<string, Item[]>();
  for (const item of failed) {
    const reason = item.error ?? "";
    const group = groups.get(reason);
    if (group) group.push(item);
    else groups.set(reason, [item]);
  }
  for (const [reason, items] of [...groups].sort((a, b) => b[1].length - a[1].length)) {
    out(`${paint.bold(count(items.length))}  ${harmless(reason)}`);
    for (const item of items.slice(0, 3))
      out(paint.dim(`     ${item.path === null ? shownName(item.conceptId) : shownPath(item.path)}`));
    if (items.length > 3) out(paint.dim(`     … and ${count(items.length - 3)} more`));
  }
  return undefined;
}
