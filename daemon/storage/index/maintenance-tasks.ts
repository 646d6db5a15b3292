import Sqlite from "better-sqlite3";
import { isCorruption } from "../sqlite.ts";

/** What takes longer than a slice inside SQLite and can't be cut: done on a connection of its own, off the main thread. */
export type MaintenanceTask =
  | { readonly kind: "checkpoint"; readonly path: string; readonly mode: "PASSIVE" | "TRUNCATE" }
  | { readonly kind: "integrity"; readonly path: string; readonly table: string };

/** What is wrong, in SQLite's words; a checkpoint has nothing to say. */
export function runMaintenanceTask(task: MaintenanceTask): string[] {
  try {
    const raw = new Sqlite(task.path, { fileMustExist: true });
    try {
      raw.pragma("busy_timeout = 5000");
      if (task.kind === "integrity") return integrityOf(raw, task.table);
      raw.pragma(`wal_checkpoint(${task.mode})`);
      return [];
    } finally {
      raw.close();
    }
  } catch (error) {
    if (task.kind === "integrity" && isCorruption(error)) return [(error as Error).message];
    throw error;
  }
}

function integrityOf(raw: Sqlite.Database, table: string): string[] {
  const rows = raw.pragma(`integrity_check('${table.replaceAll("'", "''")}')`) as {
    integrity_check: string;
  }[];
  return rows.map((row) => row.integrity_check).filter((text) => text !== "ok");
}
