import { createSlicer } from "../../runtime/yielding.ts";
import { embeddingSource } from "../../../workers/search/vectors/vector-source.ts";
import {
  checksumOf,
  encodedRowBytes,
  encodeRun,
  packRun,
  RUN_FORMAT,
  type VectorRow,
} from "../../../workers/search/vectors/vector-run.ts";
import type { Database } from "../sqlite.ts";
import { storedDimensions } from "./vectors.ts";

/** Keeps an index's vectors packed as searches use them, so that they are loaded in a moment (schema.ts, version 5). */
export interface VectorPacking {
  /** One bounded step; false when nothing is left to be packed. Call it with no transaction open. */
  step(): boolean;
}

/** Bytes of a pack, about, and units at least: it is written in about a millisecond, and read in a third of one. */
const PACK_BYTES = 128 * 1024;
const LEAST_UNITS = 256;
/** Units that are read at a time: in half a millisecond, where the file is in the system's cache. */
const PAGE_ROWS = 32;
/** A pack with more of its units deleted is written anew. */
const DELETED_SHARE = 0.25;

/** The numbers that the next pack is to span, as far as there is room in it. */
export interface PackRange {
  readonly first: number;
  readonly last: number;
}

export interface PackHead extends PackRange {
  readonly units: number;
  readonly deleted: number;
  /** Stale, or of other dimensions or another format. */
  readonly unusable: boolean;
}

/** A pack that is being made over several steps. It holds as long as nothing is written meanwhile. */
interface Building {
  readonly range: PackRange;
  readonly dimensions: number;
  readonly changes: string;
  readonly rows: VectorRow[];
  read: number;
}

export function createVectorPacking(db: Database, sliceMs: number): VectorPacking {
  let building: Building | null = null;

  const begin = (): Building | null => {
    const dimensions = storedDimensions(db);
    if (dimensions === null) return null;
    const range = nextRange(db, dimensions);
    return range && { range, dimensions, changes: changesOf(db), rows: [], read: range.first - 1 };
  };

  return {
    step() {
      if (building?.changes !== changesOf(db)) building = begin();
      if (building === null) return storedDimensions(db) === null && dropLast(db);
      if (!isRead(building)) {
        readSome(db, building, createSlicer(sliceMs));
        return true;
      }
      const made = building;
      building = null;
      db.transaction(() => writePack(db, made));
      return true;
    },
  };
}

/** All units of the range are, or as many as a pack holds. */
function isRead({ range, dimensions, rows, read }: Building): boolean {
  return read >= range.last || rows.length >= capacityOf(dimensions);
}

function readSome(db: Database, building: Building, slice: { due(): boolean }): void {
  const { range, dimensions, rows } = building;
  const source = embeddingSource(db, dimensions);
  do {
    const limit = Math.min(PAGE_ROWS, capacityOf(dimensions) - rows.length);
    const page = source.after(building.read, limit);
    const within = page.filter(([number]) => number <= range.last);
    rows.push(...within);
    building.read = within.length < limit ? range.last : within.at(-1)![0];
  } while (!isRead(building) && !slice.due());
}

/** Takes the place of all packs that it spans; of one that it spans in part the rest is left to be made anew. */
function writePack(db: Database, { range: { first }, dimensions, rows, read: last }: Building): void {
  const run = packRun(dimensions, rows);
  const bytes = encodeRun(run);
  const units = rows.length;
  db.statement("DELETE FROM vector_pack WHERE first >= ? AND last <= ?").run(first, last);
  db.statement("UPDATE vector_pack SET first = ?, stale = 1 WHERE last > ? AND first <= ?").run(
    last + 1,
    last,
    last,
  );
  const checksum = checksumOf({ first, last, units, dimensions }, bytes);
  db.statement(ADD_PACK).run(last, first, units, RUN_FORMAT, dimensions, checksum);
  db.statement("INSERT INTO vector_pack_bytes (last, bytes) VALUES (?, ?)").run(last, bytes);
}

function nextRange(db: Database, dimensions: number): PackRange | null {
  const capacity = capacityOf(dimensions);
  const heads = db.statement(HEADS).all(RUN_FORMAT, dimensions) as (Omit<PackHead, "unusable"> & {
    unusable: number;
  })[];
  const range = rangeToRenew(
    heads.map((head) => ({ ...head, unusable: head.unusable !== 0 })),
    capacity,
  );
  if (range) return range;
  const after = heads.at(-1)?.last ?? 0;
  const numbers = db.statement(NUMBERS_ON).pluck().all(after, capacity) as number[];
  const last = numbers.at(-1);
  return last === undefined || numbers.length < capacity ? null : { first: after + 1, last };
}

/**
 * The first pack that is to be made anew, because it can't be used or many of its units are deleted, with its neighbours as
 * far as they find room in the same one: packs do not grow many because they grow small.
 */
export function rangeToRenew(heads: readonly PackHead[], capacity: number): PackRange | null {
  const alive = (head: PackHead | undefined): number => (head ? head.units - head.deleted : Infinity);
  const at = heads.findIndex((head) => head.unusable || head.deleted > head.units * DELETED_SHARE);
  if (at < 0) return null;
  let [from, to, units] = [at, at, alive(heads[at])];
  while (units + alive(heads[to + 1]) <= capacity) units += alive(heads[++to]);
  while (units + alive(heads[from - 1]) <= capacity) units += alive(heads[--from]);
  return { first: heads[from]!.first, last: heads[to]!.last };
}

/** Of a base that has no vectors any more. From the end, so that there is no gap. */
function dropLast(db: Database): boolean {
  return (
    db.statement("DELETE FROM vector_pack WHERE last = (SELECT max(last) FROM vector_pack)").run().changes > 0
  );
}

/** Marks all packs as not to be read any more: the base is about to lose its vectors. */
export function outdatePacks(db: Database): void {
  db.statement("UPDATE vector_pack SET stale = 1 WHERE stale = 0").run();
}

/** The one that ends with this number. */
export function outdatePack(db: Database, last: number): void {
  db.statement("UPDATE vector_pack SET stale = 1 WHERE last = ?").run(last);
}

function capacityOf(dimensions: number): number {
  return Math.max(LEAST_UNITS, Math.floor(PACK_BYTES / encodedRowBytes(dimensions)));
}

/** Another value after each write, of this connection or another. */
function changesOf(db: Database): string {
  const own = db.statement("SELECT total_changes()").pluck().get() as number;
  return `${own} ${db.statement("PRAGMA data_version").pluck().get() as number}`;
}

const HEADS = `
  SELECT first, last, units, deleted, stale = 1 OR format <> ? OR dimensions <> ? AS unusable FROM vector_pack
  ORDER BY last`;
const NUMBERS_ON = "SELECT number FROM unit_number WHERE number > ? ORDER BY number LIMIT ?";
const ADD_PACK = `
  INSERT INTO vector_pack (last, first, units, deleted, stale, format, dimensions, checksum)
  VALUES (?, ?, ?, 0, 0, ?, ?, ?)`;
