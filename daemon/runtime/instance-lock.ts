import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import Sqlite from "better-sqlite3";
import { type InstanceInfo, instanceInfoPath, readInstanceInfo } from "../../config/instance-info.ts";
import { KnowdError } from "./errors.ts";
import { isAlive } from "./is-alive.ts";
import { processBirth } from "./process-birth.ts";

export interface InstanceLock {
  readonly info: InstanceInfo;
  release(): void;
}

export interface InstanceLockOptions {
  readonly dataDir: string;
  readonly socketPath: string;
  /** How long to wait for the holder to say who it is, before it is reported without a name. */
  readonly patienceMs?: number;
}

const LOCK_FILE = "daemon.lock.sqlite";
/** Starters that arrive together get in each other's way for some milliseconds: without waiting, all of them may lose. */
const BUSY_TIMEOUT_MS = 250;
const RETRY_MS = 50;

/**
 * One daemon per data folder (P12). The lock is an exclusive transaction on a SQLite file: the kernel frees it when the
 * holder dies, however it dies. Throws ALREADY_RUNNING with the holder's pid and socket. The lock file must never be
 * opened by other means: closing any descriptor of it would drop the lock.
 */
export async function acquireInstanceLock(options: InstanceLockOptions): Promise<InstanceLock> {
  const { dataDir, socketPath, patienceMs = 3_000 } = options;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const giveUpAt = performance.now() + patienceMs;
  for (;;) {
    const database = tryLock(join(dataDir, LOCK_FILE));
    if (database) return hold(database, dataDir, socketPath);
    const holder = readInstanceInfo(dataDir);
    const known = holder !== null && isAlive(holder);
    if (known || performance.now() >= giveUpAt) throw alreadyRunning(dataDir, known ? holder : null);
    // The holder has locked but not yet written who it is, or is just leaving.
    await delay(RETRY_MS);
  }
}

function tryLock(path: string): Sqlite.Database | null {
  const database = new Sqlite(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    database.exec("BEGIN EXCLUSIVE");
    return database;
  } catch (error) {
    database.close();
    if (error instanceof Sqlite.SqliteError && error.code.startsWith("SQLITE_BUSY")) return null;
    throw error;
  }
}

function hold(database: Sqlite.Database, dataDir: string, socketPath: string): InstanceLock {
  const { pid } = process;
  const info: InstanceInfo = { pid, birth: processBirth(pid), socketPath, startedAt: Date.now() };
  const path = instanceInfoPath(dataDir);
  try {
    writeFileSync(`${path}.new`, `${JSON.stringify(info)}\n`, { mode: 0o600 });
    renameSync(`${path}.new`, path);
  } catch (error) {
    database.close();
    throw error;
  }
  return {
    info,
    release() {
      if (!database.open) return;
      // Before the lock goes: afterwards the file may be the next holder's.
      rmSync(path, { force: true });
      database.close();
    },
  };
}

function alreadyRunning(dataDir: string, holder: InstanceInfo | null): KnowdError {
  const who = holder ? ` (pid ${holder.pid}, socket ${holder.socketPath})` : "";
  return new KnowdError(
    "ALREADY_RUNNING",
    { dataDir, pid: holder?.pid ?? null, socketPath: holder?.socketPath ?? null },
    `Another daemon${who} serves ${dataDir}.`,
  );
}
