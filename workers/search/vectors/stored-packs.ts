import type { IndexReader } from "../index-reader.ts";
import { decodeRun, retainRows, RUN_FORMAT, type RunHead, type VectorRun } from "./vector-run.ts";

/** Where a pack's bytes and its units are. Every unit from first to last is in it, unless its vector has no direction. */
export interface StoredPack extends RunHead {
  readonly checksum: number;
  /** Units that were deleted since it was written. */
  readonly deleted: number;
}

/** Vectors that an index has packed ready beside the exact ones (daemon/storage/index/vector-packs.ts). */
export interface StoredPacks {
  /** The next one that begins above this number. */
  next(number: number): StoredPack | null;
  /** Its units that there are; null when it is damaged. */
  read(pack: StoredPack): VectorRun | null;
  /** Of all that begin above this number: how many numbers they span, and how many units they hold. */
  extent(number: number): { readonly span: number; readonly units: number };
}

const USABLE = `stale = 0 AND format = ${RUN_FORMAT} AND dimensions = @dimensions AND first > @number AND last >= first`;
/** The packs' key is their last number: all before are passed over. */
const NEXT = `
  SELECT first, last, units, deleted, dimensions, checksum FROM vector_pack WHERE last > @number AND ${USABLE}
  ORDER BY last LIMIT 1`;
const EXTENT = `
  SELECT coalesce(sum(last - first + 1), 0) AS span, coalesce(sum(units), 0) AS units FROM vector_pack
  WHERE last > @number AND ${USABLE}`;
const BYTES = "SELECT bytes FROM vector_pack_bytes WHERE last = ?";
const ALIVE = "SELECT number FROM unit_number WHERE number BETWEEN ? AND ?";

export function storedPacks(reader: Pick<IndexReader, "statement">, dimensions: number): StoredPacks {
  return {
    next: (number) => (reader.statement(NEXT).get({ dimensions, number }) as StoredPack | undefined) ?? null,
    read(pack) {
      const bytes = reader.statement(BYTES).pluck().get(pack.last) as Uint8Array | undefined;
      const run = bytes instanceof Uint8Array ? decodeRun(pack, pack.checksum, bytes) : null;
      if (run === null || pack.deleted === 0) return run;
      const alive = reader.statement(ALIVE).pluck().all(pack.first, pack.last) as number[];
      return retainRows(dimensions, run, new Set(alive));
    },
    extent: (number) =>
      reader.statement(EXTENT).get({ dimensions, number }) as { span: number; units: number },
  };
}
