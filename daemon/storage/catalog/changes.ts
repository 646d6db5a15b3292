import type { Change } from "../../../rpc/contract/system.ts";
import type { Database, TransactionOptions } from "../sqlite.ts";
import type { ChangeLog } from "./contract.ts";
import { CHANGES_KEPT } from "./schema.ts";

/** Old changes are pruned once in this many, that many at once. */
const PRUNE_EVERY = 256;

type Listener = (changes: readonly Change[]) => void;

interface ChangeLogDeps {
  readonly database: Database;
  readonly now: () => number;
  /** A listener that throws harms neither the writer nor the other listeners; its error goes here. */
  readonly onListenerError: (error: unknown) => void;
}

/** The change log, and the transaction that tells its listeners. */
export interface ObservedTransactions {
  readonly changes: ChangeLog;
  /** As Database.transaction; after the outermost has committed, the listeners hear what it changed. */
  readonly transaction: <T>(fn: () => T, options?: TransactionOptions) => T;
}

export function openChangeLog(deps: ChangeLogDeps): ObservedTransactions {
  const { database, now } = deps;
  const listeners = new Set<Listener>();
  /** Appended in the open transaction; those of a part that is undone are taken out again. */
  const pending: Change[] = [];
  /** Committed, not told yet: a listener may write in its turn. */
  const committed: Change[] = [];
  let telling = false;

  const tellOne = (listener: Listener, batch: readonly Change[]): void => {
    try {
      listener(batch);
    } catch (error) {
      deps.onListenerError(error);
    }
  };
  const tell = (): void => {
    if (telling) return;
    telling = true;
    try {
      while (committed.length > 0) {
        const batch = committed.splice(0);
        for (const listener of listeners) tellOne(listener, batch);
      }
    } finally {
      telling = false;
    }
  };

  return {
    changes: {
      append(change) {
        pending.push(insert(database, { ...change, at: now() }));
      },
      since: (seq, limit) => since(database, seq, limit),
      lastSeq: () => lastSeq(database),
      // Nobody else writes to the catalogue, so that it counts all.
      written: () => database.statement("SELECT total_changes()").pluck().get() as number,
      subscribe(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    transaction(fn, options) {
      const outermost = !database.raw.inTransaction;
      const before = pending.length;
      let value;
      try {
        value = database.transaction(fn, options);
      } catch (error) {
        pending.length = before;
        throw error;
      }
      if (outermost && pending.length > 0) {
        committed.push(...pending.splice(0));
        tell();
      }
      return value;
    },
  };
}

function insert(database: Database, change: Omit<Change, "seq">): Change {
  const { lastInsertRowid } = database
    .statement(
      "INSERT INTO change (at, entity, action, entity_id, base_id, status) VALUES (?, ?, ?, ?, ?, ?)",
    )
    .run(change.at, change.entity, change.action, change.id, change.baseId, change.status);
  const seq = Number(lastInsertRowid);
  if (seq % PRUNE_EVERY === 0)
    database.statement("DELETE FROM change WHERE seq <= ?").run(seq - CHANGES_KEPT);
  return { ...change, seq };
}

/** A sequence number from another life of this catalogue, or from before what is kept, asks the client to start over. */
function since(database: Database, seq: number, limit: number): ReturnType<ChangeLog["since"]> {
  const last = lastSeq(database);
  const oldest =
    (database.statement("SELECT min(seq) FROM change").pluck().get() as number | null) ?? last + 1;
  if (seq > last || seq < oldest - 1) return { changes: [], seq: last, reset: true, more: false };
  const changes = database
    .statement(
      `SELECT seq, at, entity, action, entity_id AS id, base_id AS baseId, status
       FROM change WHERE seq > ? ORDER BY seq LIMIT ?`,
    )
    .all(seq, limit) as Change[];
  const reached = changes.at(-1)?.seq ?? last;
  return { changes, seq: reached, reset: false, more: reached < last };
}

function lastSeq(database: Database): number {
  return (database.statement("SELECT max(seq) FROM change").pluck().get() as number | null) ?? 0;
}
