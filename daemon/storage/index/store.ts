import Sqlite from "better-sqlite3";
import { WORDS_VERSION } from "../../../workers/words/shape.ts";
import { DatabaseMismatch, isCorruption, openDatabase, type Database } from "../sqlite.ts";
import { fileIdentity, setAside, type FileIdentity } from "./index-files.ts";
import { readSegments } from "./merge.ts";
import { INDEX_APPLICATION_ID, INDEX_SCHEMA_VERSION, indexMigrations } from "./schema.ts";
import { useTrigrams } from "./trigram.ts";

export interface OpenIndex {
  readonly baseId: string;
  readonly db: Database;
  readonly identity: FileIdentity;
}

export interface IndexFile {
  readonly path: string;
  readonly baseId: string;
  /** Page cache in KiB. */
  readonly cacheKiB: number;
}

/** The file can't serve as this base's index; `message` says why. It is to be made again. */
export class IndexUnusable extends Error {
  override readonly name = "IndexUnusable";
}

/** Makes an empty index; what stands at the path is put aside. */
export function createIndex(file: IndexFile, options: { substring: boolean }): OpenIndex {
  setAside(file.path);
  prepareEmptyFile(file.path);
  const db = open(file);
  try {
    db.transaction(() => writeHead(db, file.baseId, options));
    return opened(file, db);
  } catch (error) {
    // A full disk, say: whoever tries again opens it anew.
    db.close();
    throw error;
  }
}

function writeHead(db: Database, baseId: string, options: { substring: boolean }): void {
  const now = Date.now();
  db.statement(
    "INSERT INTO meta (id, schema_version, base_id, created_at, updated_at) VALUES (1, ?, ?, ?, ?)",
  ).run(INDEX_SCHEMA_VERSION, baseId, now, now);
  db.statement(
    "INSERT INTO stats (id, materials, units, generation, words_version, substring) VALUES (1, 0, 0, 0, ?, 0)",
  ).run(WORDS_VERSION);
  if (options.substring) useTrigrams(db);
}

/** Opens what is there. Throws IndexUnusable for what is not this base's index, SqliteError for I/O. */
export function openIndex(file: IndexFile): OpenIndex {
  if (!fileIdentity(file.path)) throw new IndexUnusable("its file is missing or empty");
  let db: Database;
  try {
    db = open(file);
  } catch (error) {
    if (error instanceof DatabaseMismatch)
      throw new IndexUnusable(`its file is ${error.kind}: ${error.message}`);
    throw error;
  }
  try {
    refuseForeign(db, file.baseId);
    return opened(file, db);
  } catch (error) {
    db.close();
    if (!showsDamage(error)) throw error;
    throw new IndexUnusable(`its file is damaged: ${error.message}`);
  }
}

/** SQLITE_ERROR is a table or column that is not there. A failing disk or a locked file says nothing of what is in it. */
function showsDamage(error: unknown): error is Error {
  return isCorruption(error) || (error instanceof Sqlite.SqliteError && error.code === "SQLITE_ERROR");
}

function open(file: IndexFile): Database {
  return openDatabase({
    path: file.path,
    applicationId: INDEX_APPLICATION_ID,
    migrations: indexMigrations,
    synchronous: "NORMAL",
    cacheKiB: file.cacheKiB,
    walAutocheckpoint: 0,
  });
}

function opened(file: IndexFile, db: Database): OpenIndex {
  // What is deleted is zeroed inside its page; whole pages that fall free are given back by reclaim.
  db.raw.pragma("secure_delete = FAST");
  // A log that one large transaction has blown up is cut back to this, in bytes, when it starts anew.
  db.raw.pragma("journal_size_limit = 33554432");
  const identity = fileIdentity(file.path);
  if (!identity) throw new IndexUnusable("its file vanished while it was opened");
  return { baseId: file.baseId, db, identity };
}

/** Free pages can be given back a few at a time only in a file that was made for it, before its first table. */
function prepareEmptyFile(path: string): void {
  const raw = new Sqlite(path);
  try {
    raw.pragma("auto_vacuum = INCREMENTAL");
    raw.exec("VACUUM");
  } finally {
    raw.close();
  }
}

/** A truncated file opens as a sound empty database, so what it says of itself must be there too. */
function refuseForeign(db: Database, baseId: string): void {
  const meta = db.statement("SELECT schema_version, base_id FROM meta WHERE id = 1").get() as
    | { schema_version: number; base_id: string }
    | undefined;
  if (!meta) throw new IndexUnusable("it does not say whose it is");
  if (meta.base_id !== baseId) throw new IndexUnusable(`it belongs to another base, ${meta.base_id}`);
  if (meta.schema_version !== INDEX_SCHEMA_VERSION) {
    throw new IndexUnusable(`it has schema version ${meta.schema_version}, not ${INDEX_SCHEMA_VERSION}`);
  }
  if (!db.statement("SELECT 1 FROM stats WHERE id = 1").get())
    throw new IndexUnusable("its counters are missing");
  readSegments(db);
}
