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
import { notRead } from "./not-read.ts";
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
    `bases    ${count(status.bases)}: ${plural(items.completed, "file")}, ${plural(status.chunks, "chunk")}${notRead(items)}`,
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
  for (const { conceptId, processorId, done, total } of status.processing) {
    const steps =
      total === null ? (done > 0 ? `, ${count(done)} done` : "") : `, ${count(done)} of ${count(total)}`;
    out(`         ${shownName(processorId)}: ${shownName(conceptId)}${steps}`);
  }
  for (const warning of status.warnings) out(paint.yellow(`! ${shownName(warning)}`));
}

const EXAMPLES = 3;

/** Failed files by reason, with counts and examples. */
async function printFailed(client: Client, flags: StatusFlags): Promise<void> {
  const failed: Item[] = [];
  const warned: Item[] = [];
  for (const base of await allBases(client)) {
    const ask = (page: PageParams) =>
      client.call("item.list", { baseId: base.id, status: "failed", ...page });
    for await (const item of eachOf(ask)) if (item.type !== "directory") failed.push(item);
    const askWarned = (page: PageParams) =>
      client.call("item.list", { baseId: base.id, warned: true, ...page });
    for await (const item of eachOf(askWarned)) warned.push(item);
  }
  if (flags.json) return printJson({ items: failed, warned });
  if (failed.length + warned.length === 0) return out("Every file was read.");
  const of = (items: readonly Item[]) => items.map((item) => ({ item, reason: item.error ?? "" }));
  const skipped = failed.filter((item) => item.failure === "unsupported");
  printGroups(of(failed.filter((item) => item.failure !== "unsupported")));
  if (warned.length > 0) {
    out(paint.dim(`read in part: ${plural(warned.length, "file")}`));
    printGroups(warned.flatMap((item) => item.warnings.map((reason) => ({ item, reason }))));
  }
  if (skipped.length > 0) {
    out(
      paint.dim(`skipped, until they change: ${plural(skipped.length, "file")} of types that are not read`),
    );
    printGroups(of(skipped));
  }
  return undefined;
}

interface Reason {
  readonly item: Item;
  readonly reason: string;
}

/** By reason, the commonest first, each with examples. */
function printGroups(reasons: readonly Reason[]): void {
  const groups = new Map<string, Item[]>();
  for (const { item, reason } of reasons) {
    const kind = withoutFigures(reason);
    const group = groups.get(kind);
    if (group) group.push(item);
    else groups.set(kind, [item]);
  }
  for (const [reason, items] of [...groups].sort((a, b) => b[1].length - a[1].length)) {
    out(`${paint.bold(count(items.length))}  ${harmless(reason)}`);
    for (const item of items.slice(0, EXAMPLES))
      out(paint.dim(`     ${item.path === null ? shownName(item.conceptId) : shownPath(item.path)}`));
    if (items.length > EXAMPLES) out(paint.dim(`     … and ${count(items.length - EXAMPLES)} more`));
  }
}

/** Figures differ from file to file ("None of its 12 pages has text"): files of one kind stand together all the same. */
function withoutFigures(reason: string): string {
  return reason.replaceAll(/\d[\d.,]*/g, "…");
}
