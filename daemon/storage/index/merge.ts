import { decodeStructure } from "../../../workers/search/postings/fts5/structure.ts";
import type { Database } from "../sqlite.ts";

/** What the word index's structure record says of its segments. */
export interface WordSegments {
  readonly segments: number;
  readonly rows: number;
  /** Of the largest segment. */
  readonly largestRows: number;
  /** Rows that are deleted but still in their segment. */
  readonly deletedRows: number;
  /** A merge is under way, or some level has enough segments for one. */
  readonly mergeable: boolean;
}

/** FTS5 pages that one merge step writes: a few milliseconds. */
const STEP_PAGES = 64n;
/** When more than a fifth of the rows are deleted ones, all segments are merged into one, which drops them. */
const DELETED_SHARE = 0.2;
/**
 * Segments that searches may look into, and what share of the rows may stand beside the largest of more: of 100,000 passages
 * in nine segments a search takes a seventh longer than in one, which takes 1.3 s to make.
 */
const SEARCHED_SEGMENTS = 4;
const SPREAD_SHARE = 0.25;

/** One bounded merge step in a transaction of its own; false when there is nothing to merge. */
export function mergeStep(db: Database): boolean {
  return readSegments(db).mergeable && merge(db, STEP_PAGES);
}

/** Starts the merge of all segments into one if many rows are deleted; `mergeStep` goes on with it. */
export function startCompaction(db: Database, share = DELETED_SHARE): boolean {
  const { segments, rows, deletedRows } = readSegments(db);
  if (segments === 0 || deletedRows === 0 || deletedRows <= rows * share) return false;
  return merge(db, -STEP_PAGES);
}

/**
 * Starts the merge of all segments into one if a search would have to look into many of them; `mergeStep` goes on with it. An
 * index is written whole two or three times by it until it has doubled.
 */
export function startUnion(db: Database): boolean {
  const { segments, rows, largestRows } = readSegments(db);
  if (segments <= SEARCHED_SEGMENTS || rows - largestRows <= rows * SPREAD_SHARE) return false;
  return merge(db, -STEP_PAGES);
}

/** Reads FTS5's structure record (row 10 of its data table); nothing where it has not the form that contentless_delete tables have. */
export function readSegments(db: Database): WordSegments {
  const block = db.statement("SELECT block FROM unit_words_data WHERE id = 10").pluck().get() as
    | Buffer
    | undefined;
  const levels = (block && decodeStructure(block)) ?? [];
  const segments = levels.flatMap((level) => level.segments);
  return {
    segments: segments.length,
    rows: segments.reduce((sum, { rows }) => sum + rows, 0),
    largestRows: segments.reduce((most, { rows }) => Math.max(most, rows), 0),
    deletedRows: segments.reduce((sum, { deletedRows }) => sum + deletedRows, 0),
    mergeable: levels.some((level) => level.inMerge > 0 || level.segments.length >= USER_MERGE),
  };
}

const COMMAND = "INSERT INTO unit_words (unit_words, rank) VALUES (?, ?)";
/** FTS5's own default: a level with this many segments may be merged. */
const USER_MERGE = 4;

/** A negative number of pages starts with all segments, a positive one takes what is due. */
function merge(db: Database, pages: bigint): boolean {
  const before = totalChanges(db);
  db.statement(COMMAND).run("merge", pages);
  // FTS5 documents: fewer than two changes means that it had nothing to do.
  return totalChanges(db) - before >= 2;
}

function totalChanges(db: Database): number {
  return db.statement("SELECT total_changes()").pluck().get() as number;
}
