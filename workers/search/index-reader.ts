import Sqlite from "better-sqlite3";
import { statSync } from "node:fs";
import * as sqliteVec from "sqlite-vec";

export type Statement = Sqlite.Statement;

/** A base's index, open for reading alone. */
export interface IndexReader {
  readonly baseId: string;
  readonly path: string;
  /** sqlite-vec is loaded into this connection. */
  readonly hasVec: boolean;
  /** The prepared statement for this text, made once and kept. */
  statement(sql: string): Statement;
  /** Runs `fn` in one read transaction: all it asks is answered from the same state of the index. */
  snapshot<T>(fn: () => T): T;
  /** How many snapshots there were, with the one that is under way. */
  snapshots(): number;
  /** True while the file at the path is the one that was opened, as of the last quarter of a second. */
  isCurrent(): boolean;
  close(): void;
}

const CACHE_KIB = 16_384;
const LOOK_AGAIN_MS = 250;

/** Throws SqliteError when there is no index at the path, or it can't be read. */
export function openIndexReader(baseId: string, path: string): IndexReader {
  const database = new Sqlite(path, { readonly: true, fileMustExist: true });
  try {
    return wrap(baseId, path, database);
  } catch (error) {
    database.close();
    throw error;
  }
}

function wrap(baseId: string, path: string, database: Sqlite.Database): IndexReader {
  database.pragma("busy_timeout = 1000");
  database.pragma(`cache_size = -${CACHE_KIB}`);
  const hasVec = loadVec(database);
  // Temporary tables count as writing too, so this one is made before writing is forbidden.
  database.exec(`
    CREATE VIRTUAL TABLE temp.word_frequency USING fts5vocab(main, unit_words, row);
    CREATE VIRTUAL TABLE temp.word_instance USING fts5vocab(main, unit_words, instance);`);
  const missing = standInForTables(database);
  database.pragma("query_only = ON");
  const opened = identity(path);
  let current = opened !== null;
  let lookedAt = performance.now();
  let snapshots = 0;
  const statements = new Map<string, Statement>();
  return {
    baseId,
    path,
    hasVec,
    statement(sql) {
      let statement = statements.get(sql);
      if (!statement) {
        statement = database.prepare(sql);
        statements.set(sql, statement);
      }
      return statement;
    },
    snapshot(fn) {
      if (database.inTransaction) return fn();
      snapshots++;
      database.exec("BEGIN");
      try {
        return fn();
      } finally {
        // After some faults of the disk SQLite has ended the transaction itself; then the fault alone is to be told.
        if (database.inTransaction) database.exec("COMMIT");
      }
    },
    snapshots: () => snapshots,
    isCurrent() {
      if (current && performance.now() - lookedAt >= LOOK_AGAIN_MS) {
        lookedAt = performance.now();
        current = identity(path) === opened && !(missing !== undefined && hasTable(database, missing));
      }
      return current;
    },
    close() {
      statements.clear();
      database.close();
    },
  };
}

/** What an index has since some version of its schema, and what stands in for it before. */
const ADDED_TABLES: Readonly<Record<string, string>> = {
  segmented_material: "material_id, document_hash, chars",
  content_segment: "material_id, seq, content_hash, char_start, chars, line_start, unit_start",
  hidden_units: "first INTEGER PRIMARY KEY, last, material_id",
  latent_basis: "version, state, fingerprint, terms_version, dimensions, fitted_units, folded_to",
  latent_basis_part: "version, seq, bytes",
  latent_vector: "number, version, vector",
  vector_pack: "last, first, units, deleted, stale, format, dimensions, checksum",
  vector_pack_bytes: "last, bytes",
};

/**
 * An index that the daemon has not brought up to date yet lacks tables: empty ones stand in for them until it has. Answers
 * the name of one that it lacks.
 */
function standInForTables(database: Sqlite.Database): string | undefined {
  const missing = Object.keys(ADDED_TABLES).filter((name) => !hasTable(database, name));
  for (const name of missing) database.exec(`CREATE TEMP TABLE ${name} (${ADDED_TABLES[name]})`);
  return missing.at(-1);
}

function hasTable(database: Sqlite.Database, name: string): boolean {
  return database.prepare("SELECT 1 FROM main.sqlite_schema WHERE name = ?").get(name) !== undefined;
}

function loadVec(database: Sqlite.Database): boolean {
  try {
    sqliteVec.load(database);
    return true;
  } catch {
    // Not built for this platform: the same scores are then worked out here (exact-cosine.ts).
    return false;
  }
}

/** stat alone: opening and closing the file by other means would drop SQLite's locks on it. */
function identity(path: string): string | null {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found ? `${found.dev}:${found.ino}` : null;
}
