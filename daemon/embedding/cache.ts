import { rmSync } from "node:fs";
import { createSlicer } from "../runtime/yielding.ts";
import type { Log } from "../runtime/log.ts";
import { DatabaseMismatch, openDatabase, type Database, type Migration } from "../storage/sqlite.ts";

/** Vectors that an endpoint was asked for, so that no text is paid for twice: after a crash (K4.6), a rename, a new chunking. */
export interface VectorCache {
  /** The vectors that are known, by hash (lower-case hex sha256). Those found are kept for another while. */
  get(fingerprint: string, hashes: readonly string[]): Map<string, Float32Array>;
  /** Stores in short transactions; a failure is logged, since only time is lost by it. */
  put(fingerprint: string, vectors: ReadonlyMap<string, Float32Array>): Promise<void>;
  /** What the model's vectors were found to have; null when it was never asked. */
  dimensions(fingerprint: string): number | null;
  rememberDimensions(fingerprint: string, dimensions: number): void;
  /** Deletes what was not used for longer than it is kept. Resolves with the number of vectors. */
  sweep(signal?: AbortSignal): Promise<number>;
  close(): void;
}

export interface VectorCacheDeps {
  readonly path: string;
  readonly keepDays: number;
  readonly now: () => number;
  readonly log: Pick<Log, "warn">;
}

/** "kvec" in ASCII. */
const APPLICATION_ID = 0x6b_76_65_63;
const DAY_MS = 24 * 60 * 60 * 1000;
const ROWS_PER_TRANSACTION = 32;
const SLICE_MS = 10;

/** used_day: whole days since 1970, so that a row is touched once a day at most. */
const migrations: readonly Migration[] = [
  {
    version: 1,
    sql: `
CREATE TABLE model (
  model_id INTEGER PRIMARY KEY,
  fingerprint TEXT NOT NULL UNIQUE,
  dimensions INTEGER CHECK (dimensions > 0)
);
CREATE TABLE vector (
  vector_id INTEGER PRIMARY KEY,
  model_id INTEGER NOT NULL REFERENCES model (model_id),
  text_hash BLOB NOT NULL CHECK (length(text_hash) = 32),
  used_day INTEGER NOT NULL,
  vector_blob BLOB NOT NULL CHECK (length(vector_blob) > 0 AND length(vector_blob) % 4 = 0),
  UNIQUE (model_id, text_hash)
);
CREATE INDEX vector_used_day ON vector (used_day);`,
  },
];

const SELECT_MODEL = "SELECT model_id AS modelId, dimensions FROM model WHERE fingerprint = ?";
const INSERT_MODEL = "INSERT INTO model (fingerprint) VALUES (?) ON CONFLICT DO NOTHING";
const UPDATE_DIMENSIONS = "UPDATE model SET dimensions = ? WHERE fingerprint = ?";
const SELECT_VECTOR =
  "SELECT vector_id AS vectorId, used_day AS usedDay, vector_blob AS blob FROM vector WHERE model_id = ? AND text_hash = ?";
const TOUCH_VECTOR = "UPDATE vector SET used_day = ? WHERE vector_id = ?";
const INSERT_VECTOR = `INSERT INTO vector (model_id, text_hash, used_day, vector_blob) VALUES (?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET used_day = excluded.used_day, vector_blob = excluded.vector_blob`;
const DELETE_UNUSED = `DELETE FROM vector WHERE vector_id IN
  (SELECT vector_id FROM vector WHERE used_day < ? LIMIT ${ROWS_PER_TRANSACTION})`;

/** Opens the cache; a damaged one is thrown away. Throws DatabaseMismatch for a file that is something else. */
export function openVectorCache(deps: VectorCacheDeps): VectorCache {
  const database = openOrRecreate(deps);
  const today = (): number => Math.floor(deps.now() / DAY_MS);
  /** A cache that fails is an empty one: the endpoint is asked again. */
  const orElse = <T>(fallback: T, fn: () => T): T => {
    try {
      return fn();
    } catch (error) {
      deps.log.warn({ err: error, path: deps.path }, "the vector cache failed");
      return fallback;
    }
  };
  return {
    get: (fingerprint, hashes) =>
      orElse(new Map(), () => readVectors(database, fingerprint, hashes, today())),
    async put(fingerprint, vectors) {
      const slicer = createSlicer(SLICE_MS);
      const entries = [...vectors];
      for (let at = 0; at < entries.length; at += ROWS_PER_TRANSACTION) {
        const rows = entries.slice(at, at + ROWS_PER_TRANSACTION);
        const stored = orElse(false, () => writeVectors(database, fingerprint, rows, today()));
        if (!stored) return;
        await slicer.pause();
      }
    },
    dimensions: (fingerprint) => orElse(null, () => modelOf(database, fingerprint)?.dimensions ?? null),
    rememberDimensions(fingerprint, dimensions) {
      orElse(undefined, () =>
        database.transaction(() => {
          database.statement(INSERT_MODEL).run(fingerprint);
          database.statement(UPDATE_DIMENSIONS).run(dimensions, fingerprint);
        }),
      );
    },
    async sweep(signal) {
      const slicer = createSlicer(SLICE_MS);
      const before = today() - deps.keepDays;
      for (let deleted = 0; ; await slicer.pause()) {
        if (signal?.aborted) return deleted;
        const changes = orElse(0, () => database.statement(DELETE_UNUSED).run(before).changes);
        deleted += changes;
        if (changes < ROWS_PER_TRANSACTION) return deleted;
      }
    },
    close: () => database.close(),
  };
}

function openOrRecreate({ path, log }: VectorCacheDeps): Database {
  const open = (): Database =>
    openDatabase({ path, applicationId: APPLICATION_ID, migrations, synchronous: "NORMAL", cacheKiB: 2048 });
  try {
    return open();
  } catch (error) {
    if (!(error instanceof DatabaseMismatch) || error.kind !== "corrupt") throw error;
    log.warn({ err: error, path }, "the vector cache is damaged: it starts anew");
    for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
    return open();
  }
}

function modelOf(
  database: Database,
  fingerprint: string,
): { modelId: number; dimensions: number | null } | undefined {
  return database.statement(SELECT_MODEL).get(fingerprint) as ReturnType<typeof modelOf>;
}

function readVectors(
  database: Database,
  fingerprint: string,
  hashes: readonly string[],
  today: number,
): Map<string, Float32Array> {
  const vectors = new Map<string, Float32Array>();
  const model = modelOf(database, fingerprint);
  if (!model) return vectors;
  database.transaction(() => {
    for (const hash of hashes) {
      const row = database.statement(SELECT_VECTOR).get(model.modelId, Buffer.from(hash, "hex")) as
        | { vectorId: number; usedDay: number; blob: Buffer }
        | undefined;
      if (!row) continue;
      if (row.usedDay !== today) database.statement(TOUCH_VECTOR).run(today, row.vectorId);
      vectors.set(hash, new Float32Array(new Uint8Array(row.blob).buffer));
    }
  });
  return vectors;
}

function writeVectors(
  database: Database,
  fingerprint: string,
  rows: readonly (readonly [string, Float32Array])[],
  today: number,
): boolean {
  return database.transaction(() => {
    database.statement(INSERT_MODEL).run(fingerprint);
    const { modelId } = modelOf(database, fingerprint)!;
    for (const [hash, vector] of rows) {
      const blob = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
      database.statement(INSERT_VECTOR).run(modelId, Buffer.from(hash, "hex"), today, blob);
    }
    return true;
  });
}
