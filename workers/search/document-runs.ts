import { createBackgroundLoad, type Loading } from "./background-load.ts";
import type { IndexReader } from "./index-reader.ts";
import { newestNumber } from "./units.ts";

/** Numbers from `start` to before `end`: the units of one document. */
export interface Run {
  readonly start: number;
  readonly end: number;
}

/**
 * Which units make up a document. A revision is written at once, so the numbers of its units follow one another. Of a
 * document that is stored in segments, a run is what was written without another one in between.
 */
export interface DocumentRuns {
  /**
   * Takes in new documents where that takes about budgetMs at most; else they follow in the background, and are not known
   * until then. Call it inside the snapshot that is searched.
   */
  refresh(budgetMs: number): void;
  /** The document that a unit belongs to; null while it is not known. */
  runOf(number: number): Run | null;
  /**
   * Of these materials, by unit number 1 for each unit, and how many there are, those of old revisions included; null while
   * not all documents are known.
   */
  unitsOf(materialIds: ReadonlySet<string>): { readonly units: Uint8Array; readonly size: number } | null;
  /** Resolves when everything is loaded, or it is closed. */
  loadAll(): Promise<void>;
  /** Gives the memory back; the next refresh loads anew. */
  forget(): void;
}

/** Of an index of 100,000 units 21,000 documents take two megabytes, and 0.2 s to read. */
interface Known extends Loading {
  readonly starts: number[];
  readonly ends: number[];
  readonly materials: string[];
  isComplete(): boolean;
  /** Units up to this number are known. */
  lastNumber(): number;
}

const PAGE_ROWS = 500;
/** Read in a millisecond, at least. */
const ROWS_A_MS = 150;
/** Runs of deleted documents stay, up to this many times the documents that there are and some more. */
const MAX_BLOAT = 2;
const SOME_MORE = 1000;

/** Each segment of a long document may be a run of its own. */
const MATERIALS = "SELECT materials + (SELECT count(*) FROM content_segment) FROM stats WHERE id = 1";
/** CROSS JOIN keeps the order of the loops, so that LIMIT reads no more than it answers. */
const AFTER = `
  SELECT n.number, u.material_id FROM unit_number AS n CROSS JOIN search_unit AS u ON u.unit_id = n.unit_id
  WHERE n.number > ? ORDER BY n.number LIMIT ${PAGE_ROWS}`;

export function createDocumentRuns(reader: IndexReader): DocumentRuns {
  let known: Known | null = null;
  const background = createBackgroundLoad<Known>(reader, (mine) => mine === known);

  return {
    refresh(budgetMs) {
      const materials = reader.statement(MATERIALS).pluck().get() as number | undefined;
      const bound = (materials ?? Infinity) * MAX_BLOAT + SOME_MORE;
      if (!known || known.starts.length > bound) known = createKnown(reader);
      // Part of it would be of little use: no search waits for that.
      const isWithin = newestNumber(reader) - known.lastNumber() <= budgetMs * ROWS_A_MS;
      if (!isWithin || !known.take(budgetMs)) background.goOn(known);
    },
    runOf(number) {
      if (!known) return null;
      const at = countUpTo(known.starts, number) - 1;
      const [start, end] = [known.starts[at], known.ends[at]];
      return start !== undefined && end !== undefined && number < end ? { start, end } : null;
    },
    unitsOf(materialIds) {
      if (!known?.isComplete()) return null;
      const { starts, ends, materials } = known;
      const units = new Uint8Array(ends.at(-1) ?? 0);
      let size = 0;
      materials.forEach((material, run) => {
        if (!materialIds.has(material)) return;
        units.fill(1, starts[run], ends[run]);
        size += ends[run]! - starts[run]!;
      });
      return { units, size };
    },
    loadAll() {
      known ??= createKnown(reader);
      return background.finish(known);
    },
    forget() {
      known = null;
    },
  };
}

function createKnown(reader: IndexReader): Known {
  const starts: number[] = [];
  const ends: number[] = [];
  const materials: string[] = [];
  let isComplete = false;
  let lastNumber = 0;
  let lastMaterial: string | null = null;
  return {
    starts,
    ends,
    materials,
    isComplete: () => isComplete,
    lastNumber: () => lastNumber,
    take(budgetMs) {
      const newest = newestNumber(reader);
      const until = performance.now() + budgetMs;
      while (lastNumber < newest) {
        const rows = reader.statement(AFTER).raw().all(lastNumber) as [number, string][];
        for (const [number, material] of rows) {
          if (material !== lastMaterial || number !== ends.at(-1))
            materials[starts.push(number) - 1] = material;
          ends[starts.length - 1] = number + 1;
          lastMaterial = material;
        }
        lastNumber = rows.length < PAGE_ROWS ? newest : rows.at(-1)![0];
        if (performance.now() >= until) break;
      }
      const complete = lastNumber >= newest;
      isComplete = complete;
      // What the same material gets later is another revision of it, with the numbers that come next.
      if (complete) lastMaterial = null;
      return complete;
    },
  };
}

/** How many of the ascending numbers are not above `limit`. */
export function countUpTo(ascending: ArrayLike<number>, limit: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle]! <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
