import { mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";

/** Which file a path leads to. The index is only ever looked at with stat: opening it would drop SQLite's locks. */
export interface FileIdentity {
  readonly dev: bigint;
  readonly ino: bigint;
}

/** Null when there is no file, or an empty one: a created index never is. */
export function fileIdentity(file: string): FileIdentity | null {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found && found.size > 0n ? { dev: found.dev, ino: found.ino } : null;
}

/** What has happened to an open file behind our back, in words; null when it is still there. */
export async function fileLoss(file: string, identity: FileIdentity): Promise<string | null> {
  try {
    const found = await stat(file, { bigint: true });
    if (found.dev !== identity.dev || found.ino !== identity.ino) return "its file was replaced";
    return found.size === 0n ? "its file was emptied" : null;
  } catch (error) {
    if (isMissing(error)) return "its file was deleted";
    throw error;
  }
}

/** Moves a closed index away as `<name>.bad`, in place of an earlier one, with nothing left beside the path. */
export function setAside(file: string): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  try {
    rmSync(`${file}.bad`, { recursive: true, force: true });
    renameSync(file, `${file}.bad`);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  for (const suffix of ["", "-wal", "-shm", "-journal"])
    rmSync(file + suffix, { recursive: true, force: true });
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}
