import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
} from "node:fs";
import { sep } from "node:path";
import { tooLargeReason } from "../byte-amount.ts";
import type { FileStamp } from "../contract.ts";
import { displayPath, escapePath, toSystemPath } from "../path-bytes.ts";
import { systemProblem } from "./file-problems.ts";
import { ReadProblem } from "./reader.ts";

export interface OpenFileInput {
  /** Absolute, in the escaped form of path-bytes.ts. */
  readonly path: string;
  /** The real folder that the file's real path must lie in; null when any will do. */
  readonly root: string | null;
  readonly maxBytes: number;
  /** A larger file is not read, but said to be large. */
  readonly largeBytes?: number;
}

export type FileContent =
  | { readonly kind: "read"; readonly bytes: Uint8Array; readonly stamp: FileStamp }
  /** It was written to while it was read. */
  | { readonly kind: "changing" }
  | { readonly kind: "large" };

/** Also says what the file looked like when it was refused. */
export class FileRefused extends ReadProblem {
  readonly stamp: FileStamp;

  constructor(problem: ReadProblem, stamp: FileStamp) {
    super(problem.failure, problem.message, problem.permanent);
    this.stamp = stamp;
  }
}

/**
 * A FIFO must not block and a link must not be followed, hence the flags; synchronous, since this thread has nothing
 * else to do. Windows has neither flag.
 */
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** A regular file that may be read, open. */
export interface OpenedFile {
  /** What it was like when it was opened. */
  readonly stamp: FileStamp;
  /** Fills the buffer from a place; answers how much there was. */
  readAt(into: Buffer, position: number): number;
  /** What it is like now. */
  stampNow(): FileStamp;
}

/**
 * Opens a regular file for `fn`, which may not keep it. @throws ReadProblem with gone, permission, io, not_regular,
 * outside_root, too_large, and what `fn` throws.
 */
export async function withOpenFile<T>(
  input: OpenFileInput,
  fn: (file: OpenedFile) => T | Promise<T>,
): Promise<T> {
  const descriptor = openDescriptor(input.path);
  try {
    const stamp = stampOf(checkedStats(descriptor, input));
    return await fn({
      stamp,
      readAt: (into, position) => readFully(descriptor, into, position),
      stampNow: () => stampOf(fstatSync(descriptor, { bigint: true })),
    });
  } catch (error) {
    // A failed read of a disk; what else may come is told apart by having no code.
    throw isSystemError(error) ? systemProblem(error, input.path) : error;
  } finally {
    closeSync(descriptor);
  }
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error && "code" in error;
}

function readFully(descriptor: number, into: Buffer, position: number): number {
  let length = 0;
  while (length < into.length) {
    const count = readSync(descriptor, into, length, into.length - length, position + length);
    if (count === 0) break;
    length += count;
  }
  return length;
}

/** Whether it is the same file in the same state. */
export function sameStamp(a: FileStamp, b: FileStamp): boolean {
  return isSameFile(a, b) && a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs;
}

export function isSameFile(a: FileStamp, b: FileStamp): boolean {
  return a.ino === b.ino && a.dev === b.dev;
}

/**
 * Reads a regular file whole. @throws ReadProblem with gone, permission, io, not_regular, outside_root, too_large.
 */
export function readWholeFile(input: OpenFileInput): FileContent {
  const descriptor = openDescriptor(input.path);
  try {
    return readDescriptor(descriptor, input);
  } catch (error) {
    throw error instanceof ReadProblem ? error : systemProblem(error, input.path);
  } finally {
    closeSync(descriptor);
  }
}

function openDescriptor(path: string): number {
  try {
    return openSync(toSystemPath(path), flags);
  } catch (error) {
    throw systemProblem(error, path);
  }
}

/** @throws FileRefused */
function checkedStats(descriptor: number, input: OpenFileInput): BigIntStats {
  const before = fstatSync(descriptor, { bigint: true });
  const refuse = (problem: ReadProblem): never => {
    throw new FileRefused(problem, stampOf(before));
  };
  if (!before.isFile())
    refuse(new ReadProblem("not_regular", `It is ${kindOf(before)}, not a regular file.`));
  if (before.size > BigInt(input.maxBytes))
    refuse(new ReadProblem("too_large", tooLargeReason(Number(before.size), input.maxBytes)));
  if (input.root !== null && !isInside(realPath(descriptor, input.path), input.root)) {
    const message = `Its real path lies outside the watched folder ${displayPath(input.root)}.`;
    refuse(new ReadProblem("outside_root", message));
  }
  return before;
}

function readDescriptor(descriptor: number, input: OpenFileInput): FileContent {
  const before = checkedStats(descriptor, input);
  const size = Number(before.size);
  if (input.largeBytes !== undefined && size > input.largeBytes) return { kind: "large" };
  // One byte more than it should have shows a file that grows.
  const buffer = Buffer.allocUnsafeSlow(size + 1);
  let length = 0;
  while (length <= size) {
    const count = readSync(descriptor, buffer, length, buffer.length - length, null);
    if (count === 0) break;
    length += count;
  }
  const after = fstatSync(descriptor, { bigint: true });
  if (length !== size || !sameState(before, after)) return { kind: "changing" };
  return { kind: "read", bytes: buffer.subarray(0, size), stamp: stampOf(after) };
}

/** On Linux the descriptor itself is asked, so that nobody can swap a folder in between. */
function realPath(descriptor: number, path: string): string {
  if (process.platform === "linux") {
    return escapePath(readlinkSync(`/proc/self/fd/${descriptor}`, { encoding: "buffer" }));
  }
  return escapePath(realpathSync.native(toSystemPath(path), { encoding: "buffer" }));
}

function isInside(path: string, root: string): boolean {
  return path.startsWith(root.endsWith(sep) ? root : root + sep);
}

function sameState(a: BigIntStats, b: BigIntStats): boolean {
  return a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs && a.ino === b.ino;
}

function stampOf(stats: BigIntStats): FileStamp {
  return {
    size: Number(stats.size),
    mtimeNs: stats.mtimeNs.toString(),
    ctimeNs: stats.ctimeNs.toString(),
    ino: stats.ino.toString(),
    dev: stats.dev.toString(),
  };
}

function kindOf(stats: BigIntStats): string {
  if (stats.isDirectory()) return "a folder";
  if (stats.isFIFO()) return "a named pipe";
  if (stats.isSocket()) return "a socket";
  return "a device";
}
