import type { Database } from "../sqlite.ts";
import { mergeStep, startCompaction } from "./merge.ts";
import { mergeTrigrams, usesTrigrams } from "./trigram.ts";

/** K8.7: below either, the free pages stay for the next writes. */
const FREE_SHARE = 0.2;
const FREE_BYTES = 8 * 1024 * 1024;
/** Pages given back, or merged, a step: a few milliseconds. */
const STEP_PAGES = 16;

export interface Space {
  readonly fileBytes: number;
  readonly freeBytes: number;
}

export function readSpace(db: Database): Space {
  const pageBytes = Number(db.raw.pragma("page_size", { simple: true }));
  return {
    fileBytes: Number(db.raw.pragma("page_count", { simple: true })) * pageBytes,
    freeBytes: Number(db.raw.pragma("freelist_count", { simple: true })) * pageBytes,
  };
}

export function isWorthReclaiming({ fileBytes, freeBytes }: Space): boolean {
  return freeBytes >= FREE_BYTES && freeBytes >= fileBytes * FREE_SHARE;
}

/**
 * Optimises the full-text tables and gives free pages back, a transaction of a few milliseconds a step. The vacuum is
 * SQLite's incremental one: it moves pages from the end of the file into free ones, needs no second copy of the file and
 * may stop between any two steps. Only a file that was not made for it gets the whole VACUUM, in one step.
 */
export function* reclaimSteps(db: Database): Generator<undefined, void> {
  if (startCompaction(db, 0)) yield;
  while (mergeStep(db)) yield;
  if (usesTrigrams(db)) {
    for (let pages = -STEP_PAGES; mergeTrigrams(db, pages); pages = STEP_PAGES) yield;
  }
  if (Number(db.raw.pragma("auto_vacuum", { simple: true })) !== INCREMENTAL) {
    db.raw.exec("VACUUM");
    return;
  }
  while (readSpace(db).freeBytes > 0) {
    db.raw.pragma(`incremental_vacuum(${STEP_PAGES})`);
    yield;
  }
}

const INCREMENTAL = 2;
