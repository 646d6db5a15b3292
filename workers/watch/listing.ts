import {
  type BigIntStats,
  accessSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  opendirSync,
  openSync,
  readdirSync,
  readSync,
} from "node:fs";
import { escapePath, toSystemPath } from "../path-bytes.ts";

/*
 * File-system calls are synchronous here: the thread has nothing else to do, a call costs a quarter of its asynchronous
 * twin, and a mount that hangs stops this thread only, not the four threads that serve the whole process's file calls.
 * Callers give the event loop a turn every few milliseconds.
 */

export type Look =
  | { readonly kind: "stats"; readonly stats: BigIntStats }
  | { readonly kind: "absent" }
  | { readonly kind: "unreadable"; readonly reason: string };

export type Names =
  | { readonly kind: "names"; readonly names: readonly string[] }
  | { readonly kind: "absent" }
  | { readonly kind: "unreadable"; readonly reason: string };

/** Joins escaped paths; either may be empty. */
export function joinPath(folder: string, name: string): string {
  if (folder === "" || name === "") return folder + name;
  return folder.endsWith("/") ? folder + name : `${folder}/${name}`;
}

/** lstat; "absent" only where the system says that there is nothing. */
export function lookAt(path: string): Look {
  try {
    const stats = lstatSync(toSystemPath(path), { bigint: true, throwIfNoEntry: false });
    return stats === undefined ? { kind: "absent" } : { kind: "stats", stats };
  } catch (error) {
    return failedLook(error);
  }
}

/** The names in a folder, in escaped form. */
export function namesIn(path: string): Names {
  try {
    const names = readdirSync(toSystemPath(path), { encoding: "buffer" });
    return { kind: "names", names: names.map(escapePath) };
  } catch (error) {
    return failedLook(error);
  }
}

/** Whether a folder holds anything, without reading all of it. Throws what the system says. */
export function isEmptyFolder(path: string): boolean {
  const folder = opendirSync(toSystemPath(path), { bufferSize: 1 });
  try {
    return folder.readSync() === null;
  } finally {
    folder.closeSync();
  }
}

/** Null when this process may read the file, else a sentence. */
export function readRefusal(path: string): string | null {
  try {
    accessSync(toSystemPath(path), constants.R_OK);
    return null;
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    return code === "EACCES" || code === "EPERM"
      ? "There is no permission to read the file."
      : `The file can't be read: ${reasonOf(error)}.`;
  }
}

/** A small regular file's bytes; null when there is none, it is a symlink or no regular file. Throws what the system says. */
export function readSmallFile(path: string, maxBytes: number): Buffer | null {
  let descriptor: number;
  try {
    // Without O_NONBLOCK a named pipe of this name would hold the thread for ever.
    descriptor = openSync(toSystemPath(path), constants.O_RDONLY | NOFOLLOW | NONBLOCK);
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP" || code === "ENXIO") return null;
    throw error;
  }
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return null;
    const bytes = Buffer.alloc(Math.min(stats.size, maxBytes));
    let length = 0;
    for (let read = 1; read > 0 && length < bytes.length; length += read) {
      read = readSync(descriptor, bytes, length, bytes.length - length, null);
    }
    return bytes.subarray(0, length);
  } finally {
    closeSync(descriptor);
  }
}

export function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** What a system error means, for people. */
export function reasonOf(error: unknown): string {
  switch (errorCode(error)) {
    case "EACCES":
    case "EPERM":
      return "no permission";
    case "ENAMETOOLONG":
      return "the path is longer than the system allows";
    case "EIO":
      return "the disk reports an error";
    case "ESTALE":
      return "the network mount is stale";
    default:
      return error instanceof Error ? error.message : String(error);
  }
}

// Windows has neither flag.
const NOFOLLOW = constants.O_NOFOLLOW ?? 0;
const NONBLOCK = constants.O_NONBLOCK ?? 0;

function failedLook(error: unknown): { kind: "absent" } | { kind: "unreadable"; reason: string } {
  const code = errorCode(error);
  if (code === "ENOENT" || code === "ENOTDIR") return { kind: "absent" };
  return { kind: "unreadable", reason: reasonOf(error) };
}
