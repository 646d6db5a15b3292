import type { Params } from "../../rpc/contract/index.ts";
import { type ImportDeps, importPaths, type ImportResult, pathConflicts } from "./import-files.ts";
import { importNotes, noteConflicts } from "./import-notes.ts";

/**
 * Adds what a client gives. With `detect` nothing is written when any of it is there already (K5.4); types never conflict
 * with one another.
 */
export async function importItems(
  deps: ImportDeps,
  { baseId, paths, notes, onConflict }: Params<"item.add">,
  signal: AbortSignal,
): Promise<ImportResult> {
  if (onConflict === "detect") {
    const conflicts = [...(await pathConflicts(deps, baseId, paths)), ...noteConflicts(deps, baseId, notes)];
    if (conflicts.length > 0) return { added: [], conflicts, failed: [] };
  }
  const strategy = onConflict === "replace" ? "replace" : "rename";
  const files = await importPaths(deps, baseId, paths, strategy, signal);
  const texts = await importNotes(deps, baseId, notes, strategy, signal);
  return {
    added: [...files.added, ...texts.added],
    conflicts: [],
    failed: [...files.failed, ...texts.failed],
  };
}
