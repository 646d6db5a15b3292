import { readFileSync } from "node:fs";

/** Whether a process still does anything. One that is dead but not yet fetched by its parent does not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    // No such process.
    return false;
  }
  if (process.platform !== "linux") return true;
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    // It went in between.
    return false;
  }
}

export async function processEnd(pid: number): Promise<void> {
  while (isRunning(pid)) await new Promise((resolve) => setTimeout(resolve, 5));
}
