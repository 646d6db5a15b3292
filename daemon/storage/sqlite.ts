import Sqlite from "better-sqlite3";

/** One step of a schema's history. Steps are only ever appended; a step that has shipped is never edited. */
export interface Migration {
  readonly version: number;
  readonly sql: string;
  /** What SQL alone can't bring over, in the same transaction. */
  readonly fill?: (database: Database) => void;
}

/** What the WAL file may keep on disk after one large transaction made it grow (promise P25). */
const WAL_KEPT_BYTES = 64 * 1024 * 1024;

export interface OpenOptions {
  readonly path: string;
  /** PRAGMA application_id: tells the kinds of our databases apart, and from anyone else's. */
  readonly applicationId: number;
  readonly migrations: readonly Migration[];
  /** NORMAL for what can be derived again, FULL for what can't (promise P3). */
  readonly synchronous: "NORMAL" | "FULL";
  /** Page cache in KiB. */
  readonly cacheKiB?: number;
  /** WAL pages after which a commit checkpoints; 0 leaves checkpoints to the caller. */
  readonly walAutocheckpoint?: number;
}

export type Statement = Sqlite.Statement;

export interface TransactionOptions {
  /**
   * Commits without waiting for the disk. It survives a crash of the process as any other, a power loss only once a
   * later commit has waited: for what a restart puts right anyway. Nothing to a part of another transaction.
   */
  readonly lazy?: boolean;
}

export interface Database {
  readonly path: string;
  readonly raw: Sqlite.Database;
  /** The prepared statement for this text, made once and kept. */
  statement(sql: string): Statement;
  /**
   * Runs `fn` in one IMMEDIATE transaction. Inside another it is a part of that one: an error undoes the part, and the
   * rest goes on if the caller catches it. A promise from `fn` throws and rolls back.
   */
  transaction<T>(fn: () => T, options?: TransactionOptions): T;
  close(): void;
}

/** Thrown when a file is not the database it should be. `kind` says in which way. */
export class DatabaseMismatch extends Error {
  override readonly name = "DatabaseMismatch";
  readonly kind: "foreign" | "newer" | "corrupt";
  constructor(kind: "foreign" | "newer" | "corrupt", message: string) {
    super(message);
    this.kind = kind;
  }
}

/**
 * Opens or creates a database, refuses a foreign or newer one, and brings an older one up to date, one transaction a step.
 * Throws DatabaseMismatch for a file that is not ours, and SqliteError for I/O.
 */
export function openDatabase(options: OpenOptions): Database {
  const raw = new Sqlite(options.path);
  try {
    const database = wrap(options, raw);
    raw.pragma("busy_timeout = 5000");
    raw.pragma("foreign_keys = ON");
    identify(raw, options);
    raw.pragma("journal_mode = WAL");
    raw.pragma(`synchronous = ${options.synchronous}`);
    raw.pragma(`cache_size = -${options.cacheKiB ?? 8192}`);
    raw.pragma(`wal_autocheckpoint = ${options.walAutocheckpoint ?? 1000}`);
    raw.pragma(`journal_size_limit = ${WAL_KEPT_BYTES}`);
    raw.pragma("temp_store = MEMORY");
    migrate(database, options);
    return database;
  } catch (error) {
    raw.close();
    if (isCorruption(error))
      throw new DatabaseMismatch("corrupt", `${options.path}: ${(error as Error).message}`);
    throw error;
  }
}

/** SQLite's own words for a damaged file. */
export function isCorruption(error: unknown): boolean {
  const code = error instanceof Sqlite.SqliteError ? error.code : "";
  return code.startsWith("SQLITE_CORRUPT") || code === "SQLITE_NOTADB";
}

function identify(raw: Sqlite.Database, options: OpenOptions): void {
  const found = Number(raw.pragma("application_id", { simple: true }));
  const version = Number(raw.pragma("user_version", { simple: true }));
  const newest = options.migrations.at(-1)?.version ?? 0;
  const tables = raw.prepare("SELECT count(*) FROM sqlite_schema").pluck().get() as number;
  if (found === 0 && tables === 0) return;
  if (found !== options.applicationId) {
    throw new DatabaseMismatch(
      "foreign",
      `${options.path} has application_id ${found}: not a database of this kind`,
    );
  }
  if (version > newest) {
    throw new DatabaseMismatch(
      "newer",
      `${options.path} has schema ${version}; this knowd knows up to ${newest}`,
    );
  }
}

function migrate(database: Database, options: OpenOptions): void {
  const { raw } = database;
  const current = Number(raw.pragma("user_version", { simple: true }));
  for (const step of options.migrations) {
    if (step.version <= current) continue;
    database.transaction(() => {
      raw.exec(step.sql);
      step.fill?.(database);
      raw.pragma(`application_id = ${options.applicationId}`);
      raw.pragma(`user_version = ${step.version}`);
    });
  }
}

function wrap({ path, synchronous }: OpenOptions, raw: Sqlite.Database): Database {
  const statements = new Map<string, Statement>();
  const run = <T>(fn: () => T): T => {
    const part = raw.inTransaction;
    database.statement(part ? "SAVEPOINT part" : "BEGIN IMMEDIATE").run();
    try {
      const value = refusePromise(fn());
      database.statement(part ? "RELEASE part" : "COMMIT").run();
      return value;
    } catch (error) {
      // A full disk and some other faults end the whole transaction inside SQLite; then there is nothing to undo.
      if (raw.inTransaction) raw.exec(part ? "ROLLBACK TO part; RELEASE part" : "ROLLBACK");
      throw error;
    }
  };
  const database: Database = {
    path,
    raw,
    statement(sql) {
      let statement = statements.get(sql);
      if (!statement) {
        statement = raw.prepare(sql);
        statements.set(sql, statement);
      }
      return statement;
    },
    transaction(fn, options) {
      if (options?.lazy !== true || raw.inTransaction) return run(fn);
      raw.pragma("synchronous = NORMAL");
      try {
        return run(fn);
      } finally {
        raw.pragma(`synchronous = ${synchronous}`);
      }
    },
    close() {
      statements.clear();
      raw.close();
    },
  };
  return database;
}

function refusePromise<T>(value: T): T {
  if (value instanceof Promise) {
    value.catch(() => undefined);
    throw new TypeError("a transaction is synchronous: its callback returned a promise");
  }
  return value;
}
