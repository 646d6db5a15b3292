import { openDatabase, type Database } from "../sqlite.ts";
import { openBaseModelStore } from "./base-models.ts";
import { openBaseStore } from "./bases.ts";
import { openChangeLog } from "./changes.ts";
import type { Catalog } from "./contract.ts";
import type { CatalogCore } from "./core.ts";
import { openItemStore } from "./items.ts";
import { openJobStore } from "./jobs.ts";
import { openLedgerStore } from "./ledger.ts";
import { CATALOG_APPLICATION_ID, catalogMigrations } from "./schema.ts";
import { openProcessedStore } from "./processed.ts";
import { openSnapshotStore } from "./snapshots.ts";
import { openSourceStore } from "./sources.ts";
import { openTokenStore } from "./tokens.ts";
import { createUuidV7 } from "./uuid-v7.ts";

export interface CatalogOptions {
  readonly path: string;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Ids of items and sources: UUIDs of version 7, each greater than the one before. */
  readonly newId?: () => string;
  /** Where the error of a change log's listener goes; by default it is a warning of the process. */
  readonly onListenerError?: (error: unknown) => void;
}

/**
 * Opens or creates the catalogue. What it acknowledged survives a crash and a power loss.
 * Throws DatabaseMismatch for a file that is no catalogue, a newer or a damaged one.
 */
export function openCatalog(options: CatalogOptions): Catalog {
  const now = options.now ?? Date.now;
  const database = openCatalogDatabase(options.path);
  const onListenerError = options.onListenerError ?? warn;
  const { changes, transaction } = openChangeLog({ database, now, onListenerError });
  const core: CatalogCore = {
    database,
    changes,
    transaction,
    sql: (text) => database.statement(text),
    now,
    newId: options.newId ?? createUuidV7(now),
  };
  const mark = core.sql("UPDATE catalog_state SET closed_cleanly = ?");
  const closedCleanly = core.sql("SELECT closed_cleanly FROM catalog_state").pluck().get() === 1;
  mark.run(0);
  return {
    bases: openBaseStore(core),
    baseModels: openBaseModelStore(core),
    items: openItemStore(core),
    processed: openProcessedStore(core),
    snapshots: openSnapshotStore(core),
    sources: openSourceStore(core),
    ledger: openLedgerStore(core),
    jobs: openJobStore(core),
    tokens: openTokenStore(core),
    changes,
    transaction: (fn) => transaction(fn),
    closedCleanly,
    readers() {
      const list = core.sql("SELECT readers FROM catalog_state").pluck().get() as string | null;
      return list === null ? null : list.split(" ");
    },
    setReaders: (names) => void core.sql("UPDATE catalog_state SET readers = ?").run(names.join(" ")),
    close() {
      if (!database.raw.open) return;
      try {
        mark.run(1);
      } finally {
        // Not marked on a full disk, say: then the next start takes this stop for a crash, which costs time alone.
        database.close();
      }
    },
  };
}

/** What is in it can't be derived again: each commit reaches the disk before it is acknowledged (promise P3). */
export function openCatalogDatabase(path: string): Database {
  return openDatabase({
    path,
    applicationId: CATALOG_APPLICATION_ID,
    migrations: catalogMigrations,
    synchronous: "FULL",
  });
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}
