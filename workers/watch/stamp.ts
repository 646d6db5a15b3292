import type { BigIntStats } from "node:fs";
import type { FileStamp } from "../contract.ts";
import type { RootIdentity } from "./contract.ts";

/**
 * One state of a file as a string, `size mtimeNs ctimeNs ino dev`: a tree of 100,000 files keeps one for each, and two
 * states are compared with ===. UNKNOWN_STAMP equals no file's state.
 */
export type StampKey = string;

export const UNKNOWN_STAMP: StampKey = "";

export function keyOfStats(stats: BigIntStats): StampKey {
  return `${stats.size} ${stats.mtimeNs} ${stats.ctimeNs} ${stats.ino} ${stats.dev}`;
}

export function keyOfStamp(stamp: FileStamp): StampKey {
  return `${stamp.size} ${stamp.mtimeNs} ${stamp.ctimeNs} ${stamp.ino} ${stamp.dev}`;
}

export function stampOfStats(stats: BigIntStats): FileStamp {
  return {
    size: Number(stats.size),
    mtimeNs: String(stats.mtimeNs),
    ctimeNs: String(stats.ctimeNs),
    ino: String(stats.ino),
    dev: String(stats.dev),
  };
}

/** Size in bytes; 0 for UNKNOWN_STAMP. */
export function sizeOfKey(key: StampKey): number {
  return Number(key.slice(0, Math.max(0, key.indexOf(" "))));
}

/** The device part; empty for UNKNOWN_STAMP. */
export function deviceOfKey(key: StampKey): string {
  return key.slice(key.lastIndexOf(" ") + 1);
}

/** `ino dev`: the same for all names of one file. */
export function fileIdOfKey(key: StampKey): string {
  return key.slice(key.lastIndexOf(" ", key.lastIndexOf(" ") - 1) + 1);
}

export function fileIdOfStats(stats: BigIntStats): string {
  return `${stats.ino} ${stats.dev}`;
}

/** A directory, told from another one at the same path. Inodes are used again at once, hence the time of birth. */
export function directoryIdentity(stats: BigIntStats): string {
  return `${stats.dev} ${stats.ino} ${stats.birthtimeNs}`;
}

/** False where the file system keeps no time of birth. */
export function hasBirthTime(identity: string): boolean {
  return !identity.endsWith(" 0");
}

export function rootIdentity(stats: BigIntStats): RootIdentity {
  return { dev: String(stats.dev), ino: String(stats.ino) };
}
