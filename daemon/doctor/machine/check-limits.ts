import { readFileSync } from "node:fs";
import type { Check } from "../../../rpc/contract/doctor.ts";
import { inotifyLimit, wantedWatches } from "../../../workers/watch/watch-limits.ts";
import { note, ok, problem } from "./findings.ts";

/** Directories of the watched folders; null when no daemon says it. */
export interface WatchNeeds {
  readonly watched: number;
  /** Those that the system, or a setting, gave no watch for. */
  readonly refused: number;
}

/** Programs such as editors use some instances too; the usual limit is 128. */
const FEW_INSTANCES = 16;
/** Of the watches that the system allows: from this share on more folders, or another program, may meet the limit. */
const NEARLY_ALL = 0.8;

/** The system's limits of folder watches against what the sources need. Empty where there is no inotify. */
export function checkWatches(needs: WatchNeeds | null): Check[] {
  const [watches, instances] = [inotifyLimit("max_user_watches"), inotifyLimit("max_user_instances")];
  if (watches === null || instances === null) return [];
  const raise = (name: string, to: number): string =>
    `echo fs.inotify.${name}=${to} | sudo tee /etc/sysctl.d/60-knowd-${name}.conf && sudo sysctl -p /etc/sysctl.d/60-knowd-${name}.conf`;
  const few =
    instances < FEW_INSTANCES
      ? note(
          "inotify-instances",
          `${instances} inotify instances are allowed`,
          raise("max_user_instances", 128),
        )
      : ok("inotify-instances", `${instances} inotify instances are allowed`);
  return [checkNeed(watches, needs, raise), few];
}

function checkNeed(
  limit: number,
  needs: WatchNeeds | null,
  raise: (name: string, to: number) => string,
): Check {
  const id = "inotify-watches";
  if (needs === null) return ok(id, `${limit} folder watches are allowed`);
  const all = needs.watched + needs.refused;
  const fix = raise("max_user_watches", wantedWatches(all, limit));
  const found = `${needs.watched} of ${all} folders are watched, the system allows ${limit} watches`;
  if (needs.refused > 0) {
    const setting = "; where the setting watch.maxWatches is what holds them back, raise that";
    return problem(id, `${found}; the others are scanned from time to time${setting}`, fix);
  }
  return all > limit * NEARLY_ALL ? note(id, `${found}: nearly all`, fix) : ok(id, found);
}

/** 64 clients, three files of each open base in two processes, and one a file that is read. */
const ENOUGH_FILES = 1024;
/** With fewer some dozen bases can't be open at a time. */
const TOO_FEW_FILES = 256;

/** How many files this process may have open. Empty where the system does not say. */
export function checkOpenFiles(): Check[] {
  const limit = openFileLimit();
  if (limit === null) return [];
  const found = `${Number.isFinite(limit) ? limit : "any number of"} files may be open at a time`;
  const fix = `ulimit -n ${ENOUGH_FILES * 4} && knowd stop && knowd up`;
  if (limit < TOO_FEW_FILES) return [problem("open-files", found, fix)];
  return [limit < ENOUGH_FILES ? note("open-files", found, fix) : ok("open-files", found)];
}

function openFileLimit(): number | null {
  try {
    const [, soft] = /^Max open files\s+(\S+)/m.exec(readFileSync("/proc/self/limits", "latin1")) ?? [];
    return soft === undefined ? null : soft === "unlimited" ? Infinity : Number(soft);
  } catch {
    // Not Linux: the system does not say.
    return null;
  }
}
