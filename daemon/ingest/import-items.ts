import type { Params } from "../../rpc/contract/index.ts";
import { importPaths, type ImportResult, pathConflicts } from "./import-files.ts";
import { type CaptureDeps, importUrls, urlConflicts } from "./import-urls.ts";
import { importNotes, noteConflicts } from "./import-notes.ts";

/**
 * Adds what a client gives. With `detect` nothing is written when any of it is there already (K5.4); types never conflict
 * with one another.
 */
export async function importItems(
  deps: CaptureDeps,
  { baseId, paths, urls, notes, onConflict }: Params<"item.add">,
  signal: AbortSignal,
): Promise<ImportResult> {
  if (onConflict === "detect") {
    const conflicts = [
      ...(await pathConflicts(deps, baseId, paths)),
      ...urlConflicts(deps, baseId, urls),
      ...noteConflicts(deps, baseId, notes),
    ];
    if (conflicts.length > 0) return { added: [], conflicts, failed: [] };
  }
  const strategy = onConflict === "replace" ? "replace" : "rename";
  const files = await importPaths(deps, baseId, paths, strategy, signal);
  const texts = await importNotes(deps, baseId, notes, strategy, signal);
  const pages = await importUrls(deps, baseId, urls, strategy, signal);
  return {
    added: [...files.added, ...pages.added, ...texts.added],
    conflicts: [],
    failed: [...files.failed, ...pages.failed, ...texts.failed],
  };
}
