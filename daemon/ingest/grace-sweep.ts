import type { Source } from "../../rpc/contract/sources.ts";
import type { LedgerRow } from "../storage/catalog/ledger-contract.ts";
import type { ChangeDeps } from "./source-changes.ts";
import { isGoneNow } from "./is-gone.ts";
import { beginDelete } from "./remove-items.ts";

export interface SweepResult {
  /** Items on their way out: their files were gone for the whole grace period and still are. */
  readonly removed: number;
  /** Paths that are there again: the watcher must look. */
  readonly returned: { readonly sourceId: string; readonly path: string }[];
}

/** Of one source; the others have their turn in the same sweep. */
const ROWS_PER_SWEEP = 500;
/** "Many at once": more than this many files, or more than this share of a source of some size. */
const MASS_FILES = 100;
const MASS_SHARE = 0.3;
const MASS_SHARE_FROM_FILES = 20;

/**
 * Deletes what vanished long enough ago (K11.2); nothing of a source that can't be vouched for right now. Ends early, with
 * what it has found so far, when `signal` aborts.
 */
export async function sweepMissing(deps: ChangeDeps, signal: AbortSignal): Promise<SweepResult> {
  const now = deps.now();
  const returned: { sourceId: string; path: string }[] = [];
  let removed = 0;
  for (const source of deps.catalog.sources.all()) {
    if (signal.aborted) break;
    if (source.state === "unavailable" || source.state === "paused") continue;
    if (deps.catalog.ledger.missingCount(source.id) === 0) continue;
    const heldMs = vanishedInMass(deps, source) ? deps.settings.massGraceMs : deps.settings.graceMs;
    const doomed: LedgerRow[] = [];
    for (const row of deps.catalog.ledger.missingBefore(source.id, now - heldMs, ROWS_PER_SWEEP)) {
      const gone = await isGoneNow(source, row);
      if (signal.aborted) return { removed, returned };
      if (gone) doomed.push(row);
      else returned.push({ sourceId: source.id, path: row.path });
    }
    removed += removeStillMissing(deps, doomed);
  }
  return { removed, returned };
}

/** While the file system was asked, the watcher may have found a file again, or its source may have gone away. */
function removeStillMissing(deps: ChangeDeps, doomed: readonly LedgerRow[]): number {
  const { catalog } = deps;
  return catalog.transaction(() => {
    const ids = doomed.flatMap(({ sourceId, path, itemId, missingSince }) => {
      const state = catalog.sources.get(sourceId)?.state;
      const isHeld = state === undefined || state === "unavailable" || state === "paused";
      return !isHeld && catalog.ledger.get(sourceId, path)?.missingSince === missingSince ? [itemId] : [];
    });
    return ids.length === 0 ? 0 : beginDelete(deps, ids);
  });
}

/** Whether so many files of a source are missing that it looks like a fault, not like a person's delete. */
export function vanishedInMass(deps: Pick<ChangeDeps, "catalog">, source: Source): boolean {
  const missing = deps.catalog.ledger.missingCount(source.id);
  if (missing > MASS_FILES) return true;
  const files = deps.catalog.ledger.count(source.id);
  return files >= MASS_SHARE_FROM_FILES && missing / files > MASS_SHARE;
}
