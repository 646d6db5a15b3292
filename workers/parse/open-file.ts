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
}

export type FileContent =
  | { readonly kind: "read"; readonly bytes: Uint8Array; readonly stamp: FileStamp }
  /** It was written to while it was read. */
  | { readonly kind: "changing" };

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

/**
 * Reads a regular file whole. @throws ReadProblem with gone, permission, io, not_regular, outside_root, too_large.
 */
export function readWholeFile(input: OpenFileInput): FileContent {
  let descriptor: number;
  try {
    descriptor = openSync(toSystemPath(input.path), flags);
  } catch (error) {
    throw systemProblem(error, input.path);
  }
  try {
    return readDescriptor(descriptor, input);
  } catch (error) {
    throw error instanceof ReadProblem ? error : systemProblem(error, input.path);
  } finally {
    closeSync(descriptor);
  }
}

function readDescriptor(descriptor: number, input: OpenFileInput): FileContent {
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
  const size = Number(before.size);
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
