import { readFileSync } from "node:fs";
import path from "node:path";

const FILE = "daemon.json";

/** Who serves a data folder. It is read from a file beside the lock, since a locked database can't be read. */
export interface InstanceInfo {
  readonly pid: number;
  /** Tells the process from a later one with the same pid; null where the platform does not say. */
  readonly birth: string | null;
  readonly socketPath: string;
  readonly startedAt: number;
}

export function instanceInfoPath(dataDir: string): string {
  return path.join(dataDir, FILE);
}

/** What the last daemon of a data folder wrote about itself, whether it still lives or not; null when there is none. */
export function readInstanceInfo(dataDir: string): InstanceInfo | null {
  try {
    const text = readFileSync(instanceInfoPath(dataDir), "utf8");
    const found = JSON.parse(text) as Partial<InstanceInfo> | null;
    if (typeof found?.pid !== "number" || typeof found.socketPath !== "string") return null;
    const { pid, socketPath, birth, startedAt } = found;
    return {
      pid,
      birth: typeof birth === "string" ? birth : null,
      socketPath,
      startedAt: Number(startedAt ?? 0),
    };
  } catch {
    // Missing, or written by something else: nothing is known then.
    return null;
  }
}
