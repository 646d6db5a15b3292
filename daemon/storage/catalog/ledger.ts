import type { FileStamp } from "../../../workers/contract.ts";
import type { LedgerRow, LedgerStore } from "./ledger-contract.ts";
import type { CatalogCore } from "./core.ts";

/** A ledger row as it reads. */
interface Row extends FileStamp, Omit<LedgerRow, "stamp"> {}

const COLUMNS = `source_id AS sourceId, path, item_id AS itemId, size, mtime_ns AS mtimeNs, ctime_ns AS ctimeNs, ino,
  dev, byte_hash AS byteHash, parser, missing_since AS missingSince`;

export function openLedgerStore(core: CatalogCore): LedgerStore {
  const one = (where: string, ...values: unknown[]): LedgerRow | undefined => {
    const row = core.sql(`SELECT ${COLUMNS} FROM ledger WHERE ${where}`).get(...values) as Row | undefined;
    return row && toLedgerRow(row);
  };
  const many = (rest: string, ...values: unknown[]): LedgerRow[] =>
    (core.sql(`SELECT ${COLUMNS} FROM ledger WHERE ${rest}`).all(...values) as Row[]).map(toLedgerRow);
  const numberOf = (sql: string, value: string): number =>
    (core.sql(sql).pluck().get(value) as number | undefined) ?? 0;

  return {
    get: (sourceId, path) => one("source_id = ? AND path = ?", sourceId, path),
    byItem: (itemId) => one("item_id = ?", itemId),
    // The plus keeps SQLite from reading the whole source by the primary key's first column.
    byInode: (sourceId, dev, ino) => many("ino = ? AND dev = ? AND +source_id = ?", ino, dev, sourceId),
    pageAfter: (sourceId, afterPath, limit) =>
      many("source_id = ? AND path > ? ORDER BY path LIMIT ?", sourceId, afterPath, limit),
    missingBefore: (sourceId, time, limit) =>
      many(
        "missing_since IS NOT NULL AND source_id = ? AND missing_since < ? ORDER BY missing_since LIMIT ?",
        sourceId,
        time,
        limit,
      ),
    missingCount: (sourceId) =>
      numberOf("SELECT count(*) FROM ledger WHERE missing_since IS NOT NULL AND source_id = ?", sourceId),
    count: (sourceId) => numberOf("SELECT files FROM source WHERE id = ?", sourceId),
    put: (rows) => core.transaction(() => rows.forEach((row) => putRow(core, row))),
    setRead: (itemId, read) => core.transaction(() => setRead(core, itemId, read)),
    setMissing: (sourceId, paths, since) =>
      core.transaction(() => {
        const update = core.sql("UPDATE ledger SET missing_since = ? WHERE source_id = ? AND path = ?");
        for (const path of paths) update.run(since, sourceId, path);
      }),
    rename: (sourceId, from, to, stamp) => core.transaction(() => renameRow(core, sourceId, from, to, stamp)),
    removeItems: (itemIds) =>
      core.transaction(() => {
        const remove = core.sql("DELETE FROM ledger WHERE item_id = ?");
        for (const itemId of itemIds) remove.run(itemId);
      }),
  };
}

function toLedgerRow({ size, mtimeNs, ctimeNs, ino, dev, ...row }: Row): LedgerRow {
  return { ...row, stamp: { size, mtimeNs, ctimeNs, ino, dev } };
}

/** A path that was known takes all that is new, and is there again. */
function putRow(core: CatalogCore, { stamp, ...row }: Omit<LedgerRow, "missingSince">): void {
  core
    .sql(
      `INSERT INTO ledger (source_id, path, item_id, size, mtime_ns, ctime_ns, ino, dev, byte_hash, parser)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (source_id, path) DO UPDATE SET item_id = excluded.item_id, size = excluded.size,
         mtime_ns = excluded.mtime_ns, ctime_ns = excluded.ctime_ns, ino = excluded.ino, dev = excluded.dev,
         byte_hash = excluded.byte_hash, parser = excluded.parser, missing_since = NULL`,
    )
    .run(
      row.sourceId,
      row.path,
      row.itemId,
      stamp.size,
      stamp.mtimeNs,
      stamp.ctimeNs,
      stamp.ino,
      stamp.dev,
      row.byteHash,
      row.parser,
    );
}

type Read = Parameters<LedgerStore["setRead"]>[1];

/** Nearly always the file is the one it was, and the index by inode stays untouched. */
function setRead(core: CatalogCore, itemId: string, { stamp, byteHash, parser }: Read): void {
  const { size, mtimeNs, ctimeNs, ino, dev } = stamp;
  const { changes } = core
    .sql(
      `UPDATE ledger SET size = ?, mtime_ns = ?, ctime_ns = ?, byte_hash = ?, parser = ?
       WHERE item_id = ? AND ino = ? AND dev = ?`,
    )
    .run(size, mtimeNs, ctimeNs, byteHash, parser, itemId, ino, dev);
  if (changes > 0) return;
  core
    .sql(
      `UPDATE ledger SET size = ?, mtime_ns = ?, ctime_ns = ?, byte_hash = ?, parser = ?, ino = ?, dev = ?
       WHERE item_id = ?`,
    )
    .run(size, mtimeNs, ctimeNs, byteHash, parser, ino, dev, itemId);
}

/** The row moves with its item and its hash; one that stood at the new path was of a file that is no more. */
function renameRow(core: CatalogCore, sourceId: string, from: string, to: string, stamp: FileStamp): void {
  if (from !== to) core.sql("DELETE FROM ledger WHERE source_id = ? AND path = ?").run(sourceId, to);
  core
    .sql(
      `UPDATE ledger SET path = ?, size = ?, mtime_ns = ?, ctime_ns = ?, ino = ?, dev = ?, missing_since = NULL
       WHERE source_id = ? AND path = ?`,
    )
    .run(to, stamp.size, stamp.mtimeNs, stamp.ctimeNs, stamp.ino, stamp.dev, sourceId, from);
}
