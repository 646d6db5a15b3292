import { readFileSync, writeFileSync } from "node:fs";

export interface MemoryWatchDeps {
  readonly pid: number;
  /** Above it the child should be replaced when it has nothing to do. */
  readonly softBytes: number;
  /** Above it the child must end now. */
  readonly hardBytes: number;
  onSoft(rssBytes: number): void;
  onHard(rssBytes: number): void;
}

export interface MemoryWatch {
  rssBytes(): number | null;
  /** A figure that the child itself reported: the only source where there is no /proc. */
  report(rssBytes: number): void;
  close(): void;
}

const POLL_MS = 500;
/** Between the daemon's 0 and the kernel's "this one first" of 1000. */
const OOM_SCORE = "500";

/** Watches a child from outside, so that one that is blocked in native code is bounded as well. */
export function watchMemory(deps: MemoryWatchDeps): MemoryWatch {
  let last: number | null = null;
  const observe = (rssBytes: number) => {
    last = rssBytes;
    if (rssBytes > deps.hardBytes) deps.onHard(rssBytes);
    else if (rssBytes > deps.softBytes) deps.onSoft(rssBytes);
  };
  preferAsOomVictim(deps.pid);
  const timer = setInterval(() => {
    const rssBytes = readRss(deps.pid);
    if (rssBytes !== null) observe(rssBytes);
  }, POLL_MS);
  timer.unref();
  return { rssBytes: () => last, report: observe, close: () => clearInterval(timer) };
}

/** Resident bytes by Linux's /proc; null where there is none, or the process has gone. */
function readRss(pid: number): number | null {
  try {
    const found = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"));
    return found ? Number(found[1]) * 1024 : null;
  } catch {
    // No /proc here, or the process ended a moment ago: its exit is handled elsewhere.
    return null;
  }
}

/** When the machine runs out of memory, the kernel should take the child, which can be started again. */
function preferAsOomVictim(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, OOM_SCORE);
  } catch {
    // Not Linux, or not allowed: the limits above still hold.
  }
}
