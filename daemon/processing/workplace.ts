import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import path from "node:path";
import { processBirth } from "../runtime/process-birth.ts";

/** Where programs work: a folder for each run, taken away after it. */
export interface Workplace {
  /** Runs `fn` with a new empty folder. */
  withFolder<T>(fn: (folder: string) => Promise<T>): Promise<T>;
}

/** Beside a run's folder: which process works in it, so that the next daemon can end it. */
const RECORD = ".process";

/**
 * Opens the folder that belongs to this daemon alone. What a daemon that was killed left there is ended and taken away:
 * nobody waits for it any more.
 */
export function openWorkplace(root: string): Workplace {
  mkdirSync(root, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(root)) {
    if (name.endsWith(RECORD)) endGroupOf(path.join(root, name));
    // What can't be taken away is in nobody's way: no run gets its name again.
    void remove(path.join(root, name)).catch(() => undefined);
  }
  return {
    async withFolder(fn) {
      const folder = await mkdtemp(path.join(root, "run-"));
      try {
        return await fn(folder);
      } finally {
        await remove(folder);
        await remove(folder + RECORD);
      }
    },
  };
}

/** Written down at once: a daemon may be killed at any moment. Where the platform tells no births, nothing is. */
export function recordProcess(folder: string, pid: number): void {
  const birth = processBirth(pid);
  try {
    if (birth !== null) writeFileSync(folder + RECORD, `${pid} ${birth}`);
  } catch {
    // It runs already: without a record it is only left alone after a kill of the daemon.
  }
}

/** Only while it is the very process that was written down: its pid may be another's by now. */
function endGroupOf(record: string): void {
  try {
    const [pid, birth] = readFileSync(record, "utf8").split(" ");
    if (birth !== undefined && processBirth(Number(pid)) === birth) process.kill(-Number(pid), "SIGKILL");
  } catch {
    // It has ended meanwhile, or was never written down whole.
  }
}

async function remove(target: string): Promise<void> {
  await rm(target, { recursive: true, force: true });
}
