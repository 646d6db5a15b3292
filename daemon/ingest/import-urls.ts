import { rename } from "node:fs/promises";
import type { Item } from "../../rpc/contract/items.ts";
import { PRIORITY } from "../queue/queue.ts";
import { KnowdError } from "../runtime/errors.ts";
import type { CaptureOutcome } from "../../workers/fetch/contract.ts";
import { snapshotName } from "../storage/snapshot-file.ts";
import type { Captures } from "./captures.ts";
import { removeFile } from "./copy-material.ts";
import {
  type ConflictStrategy,
  type ImportDeps,
  type Imported,
  type ImportResult,
  reasonOf,
} from "./import-files.ts";
import { keyConflicts } from "./key-conflicts.ts";
import { placeNew, purge, temporaryFor } from "./place-material.ts";
import { queueIndex } from "./queue-index.ts";
import { refreshTime } from "./refresh-time.ts";

export type CaptureDeps = ImportDeps & { readonly captures: Captures };

export interface NewSnapshot {
  readonly url: string;
  readonly title: string | null;
  readonly allowPrivate: boolean;
  readonly refreshEveryMs: number | null;
}

type Captured = Extract<CaptureOutcome, { kind: "captured" }>;

/** URLs that are fetched at a time; a slow server holds up the others of its call no longer than that. */
export const FETCHES_AT_A_TIME = 4;

/** Captures URLs into a base (K5.4, K6). One that fails is reported and fails no other; results stand in the order of URLs. */
export async function importUrls(
  deps: CaptureDeps,
  baseId: string,
  urls: readonly string[],
  strategy: ConflictStrategy,
  signal: AbortSignal,
): Promise<Imported> {
  const keys = distinctUrls(urls);
  const results = new Map<string, Item | string>();
  await atATime(FETCHES_AT_A_TIME, keys, async (url) => {
    try {
      const asked = {
        url,
        title: null,
        allowPrivate: deps.captures.allowsPrivate(undefined),
        refreshEveryMs: null,
      };
      results.set(url, (await captureUrl(deps, baseId, asked, strategy, signal)).item);
    } catch (error) {
      if (signal.aborted) throw error;
      results.set(url, reasonOf(error));
    }
  });
  const result: Imported = { added: [], failed: [] };
  for (const url of keys) {
    const found = results.get(url);
    if (typeof found === "object")
      result.added.push({ itemId: found.id, path: url, conceptId: found.conceptId });
    else result.failed.push({ path: url, reason: found ?? "" });
  }
  return result;
}

/** K5.4: the URLs that are in the base already, as they were typed but for white space around them. */
export function urlConflicts(
  { catalog }: Pick<ImportDeps, "catalog">,
  baseId: string,
  urls: readonly string[],
): ImportResult["conflicts"] {
  return keyConflicts(catalog, baseId, "url", distinctUrls(urls));
}

/**
 * Fetches a URL outside of any lock, then gives it an item and its file a place, and queues it (K6.3). Nothing is written for
 * what can't be captured, and what is to be replaced stays then. Throws URL_REFUSED, URL_FAILED.
 */
export async function captureUrl(
  deps: CaptureDeps,
  baseId: string,
  asked: NewSnapshot,
  strategy: ConflictStrategy,
  signal: AbortSignal,
): Promise<{ item: Item; warnings: readonly string[] }> {
  const url = asked.url.trim();
  const { title, allowPrivate } = asked;
  const into = temporaryFor(deps, baseId);
  const timestamp = new Date(deps.now()).toISOString();
  try {
    const outcome = await deps.captures.capture(
      { url, title, timestamp, into, before: null, allowPrivate },
      signal,
    );
    if (outcome.kind !== "captured") throw captureProblem(url, outcome);
    // The base may have gone meanwhile.
    deps.catalog.bases.require(baseId);
    const existing = strategy === "replace" && deps.catalog.items.bySourceKey(baseId, "url", url);
    if (existing) await purge(deps, existing, signal);
    const item = await keep(deps, baseId, { ...asked, url }, outcome, into);
    return { item, warnings: outcome.warnings };
  } finally {
    await removeFile(into);
  }
}

async function keep(
  deps: CaptureDeps,
  baseId: string,
  { url, title, allowPrivate, refreshEveryMs }: NewSnapshot,
  captured: Captured,
  file: string,
): Promise<Item> {
  const { form, validators, hash, warnings } = captured;
  const conceptId = snapshotName("URL", captured.name, url, captured.extension);
  const item = deps.catalog.transaction(() => {
    const created = deps.catalog.items.create({
      baseId,
      groupId: null,
      sourceId: null,
      type: "url",
      title: captured.title ?? conceptId,
      conceptId,
      path: null,
      sourceKey: url,
    });
    const refreshAt = refreshTime(deps.now(), refreshEveryMs, 0);
    deps.catalog.snapshots.put({
      itemId: created.id,
      form,
      url,
      title,
      allowPrivate,
      validators,
      hash,
      warnings,
      refreshEveryMs,
      refreshAt,
      failures: 0,
    });
    return created;
  });
  await placeNew(deps, item, (temporary) => rename(file, temporary));
  queueIndex(deps, [item], PRIORITY.interactive);
  return item;
}

function captureProblem(url: string, outcome: Exclude<CaptureOutcome, Captured>): KnowdError {
  const reason =
    outcome.kind === "unchanged" ? "the server answered that nothing has changed" : outcome.reason;
  const name = outcome.kind === "refused" ? "URL_REFUSED" : "URL_FAILED";
  return new KnowdError(name, { url, reason }, `${url} can't be captured: ${reason}.`);
}

function distinctUrls(urls: readonly string[]): string[] {
  return [...new Set(urls.map((url) => url.trim()))];
}

/** Works a list off, so many at a time. The first rejection ends it. */
export async function atATime<T>(
  limit: number,
  list: readonly T[],
  work: (one: T) => Promise<void>,
): Promise<void> {
  const left = list.values();
  const worker = async (): Promise<void> => {
    for (const one of left) await work(one);
  };
  await Promise.all(Array.from({ length: Math.min(limit, list.length) }, worker));
}
