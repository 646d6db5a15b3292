import type { Source } from "../../rpc/contract/sources.ts";
import type { LedgerRow } from "../storage/catalog/contract.ts";
import type { ChangeDeps } from "./source-changes.ts";
import { isGone } from "./is-gone.ts";
import { beginDelete } from "./remove-items.ts";

export interface SweepResult {
  /** Items on their way out: their files were gone for the whole grace period and still are. */
  readonly removed: number;
  /** Paths that are there again: the watcher must look. */
  readonly returned: { readonly sourceId: string; readonly path: string }[];
}

const ROWS_PER_SWEEP = 500;
/** "Many at once": more than this many files, or more than this share of a source of some size. */
const MASS_FILES = 100;
const MASS_SHARE = 0.3;
const MASS_SHARE_FROM_FILES = 20;

/** Deletes what vanished long enough ago (K11.2); nothing of a source that can't be vouched for right now. */
export function sweepMissing(deps: ChangeDeps): SweepResult {
  const now = deps.now();
  const rows = deps.catalog.ledger.missingBefore(now - deps.settings.graceMs, ROWS_PER_SWEEP);
  const doomed: string[] = [];
  const returned: { sourceId: string; path: string }[] = [];
  for (const [sourceId, ofSource] of bySource(rows)) {
    const source = deps.catalog.sources.get(sourceId);
    if (!source || source.state === "unavailable" || source.state === "paused") continue;
    const holdUntil = vanishedInMass(deps, source) ? deps.settings.massGraceMs : deps.settings.graceMs;
    for (const row of ofSource) {
      if ((row.missingSince ?? now) + holdUntil > now) continue;
      if (isGone(source, row)) doomed.push(row.itemId);
      else returned.push({ sourceId, path: row.path });
    }
  }
  return { removed: doomed.length === 0 ? 0 : beginDelete(deps, doomed), returned };
}

/** Whether so many files of a source are missing that it looks like a fault, not like a person's delete. */
export function vanishedInMass(deps: Pick<ChangeDeps, "catalog">, source: Source): boolean {
  const missing = deps.catalog.ledger.missingCount(source.id);
  if (missing > MASS_FILES) return true;
  const files = deps.catalog.ledger.count(source.id);
  return files >= MASS_SHARE_FROM_FILES && missing / files > MASS_SHARE;
}

function bySource(rows: readonly LedgerRow[]): Map<string, LedgerRow[]> {
  const groups = new Map<string, LedgerRow[]>();
  for (const row of rows) groups.set(row.sourceId, [...(groups.get(row.sourceId) ?? []), row]);
  return groups;
}
