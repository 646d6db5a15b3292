import { statfsSync } from "node:fs";
import type { Log } from "./log.ts";

/** Knows whether the disk of a folder has room for more than the bookkeeping. */
export interface DiskSpace {
  /** Null while there is room, else a sentence for people. Cheap: the disk is asked once a second at most. */
  shortage(): string | null;
  /** Something was refused for lack of space, whatever the numbers say (a quota, for one). */
  refused(): void;
}

export interface DiskSpaceDeps {
  readonly folder: string;
  readonly log: Pick<Log, "warn" | "info">;
  /** Monotonic milliseconds. */
  readonly clock?: () => number;
  /** Bytes that this process may still write, and bytes of the whole disk. */
  readonly measure?: (folder: string) => { readonly free: number; readonly total: number };
}

const LOOK_MS = 1_000;
/** How long a refusal counts, though there seems to be room. */
const REFUSED_MS = 5_000;
/** Kept free: 1 % of the disk, and 256 MB where that is no more than a tenth of it. */
const KEPT_SHARE = 0.01;
const KEPT_BYTES = 256 * 2 ** 20;
const KEPT_SHARE_OF_SMALL = 0.1;

export function openDiskSpace(deps: DiskSpaceDeps): DiskSpace {
  const { folder, log, clock = () => performance.now(), measure = measureDisk } = deps;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let refusedAt = Number.NEGATIVE_INFINITY;
  let known: string | null = null;

  const look = (): string | null => {
    const { free, total } = measure(folder);
    const kept = keptBytes(total);
    if (free >= kept && clock() - refusedAt >= REFUSED_MS) return null;
    return `the disk of ${folder} is full (${megabytes(free)} MB free): indexing waits until ${megabytes(kept)} MB are`;
  };

  return {
    shortage() {
      if (clock() - lookedAt < LOOK_MS) return known;
      lookedAt = clock();
      const now = look();
      if (now !== null && known === null) log.warn({ folder }, now);
      if (now === null && known !== null) log.info({ folder }, "there is room on the disk again");
      known = now;
      return now;
    },
    refused() {
      refusedAt = clock();
      lookedAt = Number.NEGATIVE_INFINITY;
    },
  };
}

/** Bytes of a disk of this size that indexing leaves free. */
export function keptBytes(total: number): number {
  return Math.max(total * KEPT_SHARE, Math.min(KEPT_BYTES, total * KEPT_SHARE_OF_SMALL));
}

/** Bytes that this process may still write to the folder's disk, and bytes of the whole disk. */
export function measureDisk(folder: string): { free: number; total: number } {
  const { bavail, blocks, bsize } = statfsSync(folder);
  return { free: bavail * bsize, total: blocks * bsize };
}

function megabytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(1);
}
