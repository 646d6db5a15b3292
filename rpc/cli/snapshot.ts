import type { Client } from "../client.ts";
import { RpcError } from "../client-errors.ts";
import type { Result } from "../contract/index.ts";
import { CommandFailure, EXIT } from "./exit.ts";
import { out, paint, paintError, plural, printJson, shownName } from "./print.ts";
import { allBases, basesNamed, withClient, type GlobalFlags } from "./session.ts";
import { itemsOfUrl } from "./url-items.ts";

export interface SnapshotFlags extends GlobalFlags {
  readonly base?: string | undefined;
  readonly title?: string | undefined;
  readonly allowPrivate?: boolean | undefined;
  readonly refresh?: boolean | undefined;
  readonly every?: string | undefined;
  readonly onConflict?: "rename" | "detect" | "replace" | undefined;
}

/** Where snapshots go when no base is named and there is more than one, or none. */
const BASE_NAME = "snapshots";

type Captured = Result<"snapshot.capture">;
interface Failed {
  readonly url: string;
  readonly error: string;
  readonly reason: string;
}

/** Captures URLs, or with --refresh fetches again what was captured. One that fails fails no other. */
export async function snapshot(urls: readonly string[], flags: SnapshotFlags): Promise<number> {
  const refreshEveryMs = everyMs(flags.every);
  return await withClient(flags, async (client) =>
    flags.refresh === true
      ? await refresh(client, urls, flags, refreshEveryMs)
      : await capture(client, urls, flags, refreshEveryMs ?? null),
  );
}

async function capture(
  client: Client,
  urls: readonly string[],
  flags: SnapshotFlags,
  refreshEveryMs: number | null,
): Promise<number> {
  if (urls.length === 0)
    throw new CommandFailure(
      EXIT.usage,
      "snapshot what? name a URL",
      "knowd snapshot https://example.org/page",
    );
  if (flags.title !== undefined && urls.length > 1)
    throw new CommandFailure(EXIT.usage, "--title goes with one URL alone");
  const base = await baseFor(client, flags.base);
  const captured: Captured[] = [];
  const failed: Failed[] = [];
  for (const url of urls) {
    try {
      const one = await client.call("snapshot.capture", {
        baseId: base.id,
        url,
        refreshEveryMs,
        onConflict: flags.onConflict ?? "rename",
        ...(flags.title !== undefined && { title: flags.title }),
        ...(flags.allowPrivate === true && { allowPrivate: true }),
      });
      captured.push(one);
      if (!flags.json) printCaptured(one, base.name);
    } catch (error) {
      const failure = failureOf(url, error);
      failed.push(failure);
      if (!flags.json)
        out(paint.red(`! ${shownName(url)}: ${shownName(failure.reason)}${flagFor(failure.reason)}`));
    }
  }
  if (flags.json) printJson({ captured, failed });
  return failed.length > 0 ? EXIT.failed : EXIT.done;
}

function printCaptured({ item, warnings }: Captured, baseName: string): void {
  out(`+ ${shownName(item.conceptId)}  ${paint.dim(`in ${shownName(baseName)}`)}`);
  for (const warning of warnings) out(paint.yellow(`  ${shownName(warning)}`));
}

/** Without URLs: all that was captured, of one base or of all. */
async function refresh(
  client: Client,
  urls: readonly string[],
  flags: SnapshotFlags,
  refreshEveryMs: number | null | undefined,
): Promise<number> {
  const bases =
    (await basesNamed(client, flags.base === undefined ? undefined : [flags.base])) ??
    (await allBases(client));
  const { itemIds, notFound } = await itemsOfUrl(client, bases, urls);
  const items: Result<"snapshot.refresh">["items"] = [];
  // A call has its deadline, and what a URL comes to is shown as it comes.
  for (const itemId of itemIds) {
    const wish = refreshEveryMs === undefined ? {} : { refreshEveryMs };
    const answer = await client.call("snapshot.refresh", { itemIds: [itemId], ...wish });
    items.push(...answer.items);
    if (!flags.json) for (const one of answer.items) printRefreshed(one);
  }
  if (flags.json) printJson({ items, notFound });
  else if (items.length === 0 && notFound.length === 0) out("No URL was captured yet: knowd snapshot <url>");
  else if (items.length > 1) out(`${plural(items.length, "snapshot")} looked after.`);
  for (const url of notFound)
    process.stderr.write(`${paintError.red("knowd:")} ${shownName(url)} was not captured yet\n`);
  if (notFound.length > 0) return EXIT.notFound;
  return items.some(({ outcome }) => outcome === "failed") ? EXIT.failed : EXIT.done;
}

function printRefreshed({ url, outcome, reason }: Result<"snapshot.refresh">["items"][number]): void {
  const colour = { unchanged: paint.dim, changed: paint.green, gone: paint.yellow, failed: paint.red }[
    outcome
  ];
  out(
    `${colour(outcome.padEnd(9))}  ${shownName(url)}${reason === null ? "" : `  ${paint.dim(shownName(reason))}`}`,
  );
}

async function baseFor(client: Client, name: string | undefined): Promise<{ id: string; name: string }> {
  const [named] = (await basesNamed(client, name === undefined ? undefined : [name])) ?? [];
  if (named) return named;
  const bases = await allBases(client);
  const [only] = bases;
  const own = bases.find((base) => base.name === BASE_NAME) ?? (bases.length === 1 ? only : undefined);
  return own ?? (await client.call("base.create", { name: BASE_NAME })).base;
}

/** The reasons are the daemon's, which knows no flags. */
function flagFor(reason: string): string {
  return reason.includes("allowPrivate") ? " (--allow-private)" : "";
}

/** What is wrong with one URL is said; what is wrong with the connection ends the command. */
function failureOf(url: string, error: unknown): Failed {
  if (!(error instanceof RpcError)) throw error;
  const { reason } = error.data;
  return {
    url,
    error: error.errorName ?? "INTERNAL",
    reason: typeof reason === "string" ? reason : error.message,
  };
}

const UNITS_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** "12h" → milliseconds; "never" → null. */
function everyMs(text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined;
  if (text === "never") return null;
  const [, figure, unit] = /^(\d{1,4})([mhdw])$/.exec(text) ?? [];
  const ms = Number(figure) * (UNITS_MS[unit ?? ""] ?? Number.NaN);
  if (Number.isSafeInteger(ms) && ms > 0) return ms;
  throw new CommandFailure(EXIT.usage, `--every ${text}: 30m, 12h, 1d, 2w or never is needed`);
}
