import { readFileSync } from "node:fs";

/** Of the fields behind the name in /proc/<pid>/stat: when the process began, in ticks since the system did. */
const START_FIELD = 19;

/**
 * What no other process of that pid has: which run of the system it began in, and when. Null when there is no such process,
 * and where the platform does not say.
 */
export function processBirth(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name stands in parentheses, and may hold spaces and parentheses itself.
    const ticks = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[START_FIELD];
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
    return ticks === undefined ? null : `${boot}/${ticks}`;
  } catch {
    return null;
  }
}
