import { readdirSync, readFileSync, writeFileSync } from "node:fs";

/** The most resident memory that processes held at one moment, in bytes. */
export interface Peaks {
  /** The daemon itself. */
  daemon: number;
  /** Whichever of its children was the largest: worker, lonely and search host. */
  host: number;
}

export interface MemoryMeter {
  /** Since the last time it was asked. */
  take(): Peaks;
  stop(): void;
}

/** A child that is killed for its size grows on until the daemon's next look; this often we look ourselves. */
const POLL_MS = 200;

/** Watches a process and its children from outside. Linux keeps the peak itself, so that none is missed between two looks. */
export function meterMemory(pid: number): MemoryMeter {
  let peaks: Peaks = { daemon: 0, host: 0 };
  const look = (): void => {
    peaks.daemon = Math.max(peaks.daemon, peakOf(pid));
    for (const child of childrenOf(pid)) peaks.host = Math.max(peaks.host, peakOf(child));
  };
  const timer = setInterval(look, POLL_MS);
  return {
    take() {
      look();
      const taken = peaks;
      peaks = { daemon: 0, host: 0 };
      for (const each of [pid, ...childrenOf(pid)]) forgetPeak(each);
      return taken;
    },
    stop: () => clearInterval(timer),
  };
}

function childrenOf(parent: number): number[] {
  const processes = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return processes.filter((pid) => parentOf(pid) === parent).map(Number);
}

function parentOf(pid: string): number | null {
  try {
    // Behind the name, which may hold anything, stand the state and the parent.
    return Number(/\) \S (\d+)[^)]*$/.exec(readFileSync(`/proc/${pid}/stat`, "latin1"))?.[1]);
  } catch {
    // It ended a moment ago.
    return null;
  }
}

function peakOf(pid: number): number {
  try {
    const found = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"));
    return Number(found?.[1] ?? 0) * 1024;
  } catch {
    // It ended a moment ago.
    return 0;
  }
}

function forgetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, "5");
  } catch {
    // Where that is not allowed, the peak is that of its whole life.
  }
}
