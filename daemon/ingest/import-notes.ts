import { writeFile } from "node:fs/promises";
import type { Item, NewNote } from "../../rpc/contract/items.ts";
import { firstLine, snapshotTitle, writeSnapshot } from "../../workers/parse/snapshot-text.ts";
import { PRIORITY } from "../queue/queue.ts";
import { KnowdError } from "../runtime/errors.ts";
import { snapshotName } from "../storage/snapshot-file.ts";
import {
  type ConflictStrategy,
  type ImportDeps,
  type Imported,
  type ImportResult,
  reasonOf,
} from "./import-files.ts";
import { keyConflicts } from "./key-conflicts.ts";
import { placeNew, purge } from "./place-material.ts";
import { queueIndex } from "./queue-index.ts";

/** How much of a note's first line is its key and its name in results. */
const MAX_KEY = 1000;

/**
 * Keeps notes in a base as snapshots (K5.3, K6.1), and queues them. A blank one fails before anything is written (K6.4); one
 * that fails fails no other.
 */
export async function importNotes(
  deps: ImportDeps,
  baseId: string,
  notes: readonly NewNote[],
  strategy: ConflictStrategy,
  signal: AbortSignal,
): Promise<Imported> {
  const result: Imported = { added: [], failed: [] };
  for (const note of notes) {
    signal.throwIfAborted();
    const key = keyOf(note);
    try {
      const item = await importNote(deps, baseId, note, key, strategy, signal);
      result.added.push({ itemId: item.id, path: key, conceptId: item.conceptId });
    } catch (error) {
      if (signal.aborted) throw error;
      result.failed.push({ path: key, reason: reasonOf(error) });
    }
  }
  return result;
}

/** K5.4: the notes that are in the base already, found by their first non-empty line. */
export function noteConflicts(
  { catalog }: Pick<ImportDeps, "catalog">,
  baseId: string,
  notes: readonly NewNote[],
): ImportResult["conflicts"] {
  return keyConflicts(catalog, baseId, "note", notes.map(keyOf));
}

async function importNote(
  deps: ImportDeps,
  baseId: string,
  note: NewNote,
  key: string,
  strategy: ConflictStrategy,
  signal: AbortSignal,
): Promise<Item> {
  if (key === "") throw new KnowdError("PATH_INVALID", { reason: "the note is blank" });
  const existing = strategy === "replace" && deps.catalog.items.bySourceKey(baseId, "note", key);
  if (existing) await purge(deps, existing, signal);
  const title = note.title?.trim() || (snapshotTitle(note.content) ?? key);
  const item = deps.catalog.items.create({
    baseId,
    groupId: null,
    sourceId: null,
    type: "note",
    title,
    conceptId: snapshotName("Note", title),
    path: null,
    sourceKey: key,
  });
  await placeNew(deps, item, async (temporary) => {
    const timestamp = new Date(deps.now()).toISOString();
    await writeFile(temporary, writeSnapshot({ type: "Note", title, timestamp }, note.content), {
      flag: "wx",
    });
  });
  queueIndex(deps, [item], PRIORITY.interactive);
  return item;
}

function keyOf({ content }: NewNote): string {
  return (firstLine(content) ?? "").slice(0, MAX_KEY);
}
