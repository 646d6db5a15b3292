import type { UnzipFileInfo } from "fflate";
import { decodeText } from "../decode.ts";
import { ReadProblem } from "../reader.ts";

/** What one archive may hold; beyond that it is refused before anything is unpacked. */
export interface ArchiveLimits {
  readonly entries: number;
  /** Unpacked bytes of one entry, and of all that are read. */
  readonly entryBytes: number;
  readonly totalBytes: number;
  /** An entry of more than a megabyte that unpacks to more than this many times its size is a bomb. */
  readonly ratio: number;
}

const MIB = 1024 * 1024;
const defaultLimits: ArchiveLimits = {
  entries: 20_000,
  entryBytes: 64 * MIB,
  totalBytes: 256 * MIB,
  ratio: 200,
};

/** A ZIP archive in memory. Entries are unpacked when they are asked for. */
export interface Archive {
  /** Names of all files in it, in their order; folders are left out. */
  readonly names: readonly string[];
  has(name: string): boolean;
  /** Null when there is no such entry. @throws ReadProblem for one that is damaged, encrypted or too large. */
  bytes(name: string): Uint8Array | null;
  /** The same as text, whatever its encoding. */
  text(name: string): Promise<string | null>;
}

/** @throws ReadProblem corrupt when it is no archive, too_complex when its own figures say that it is too large. */
export async function openArchive(
  bytes: Uint8Array,
  limits: ArchiveLimits = defaultLimits,
): Promise<Archive> {
  const { unzipSync } = await import("fflate");
  const entries = new Map<string, UnzipFileInfo>();
  list(unzipSync, bytes, entries, limits);
  let unpacked = 0;
  const unpack = (name: string): Uint8Array | null => {
    const entry = entries.get(name);
    if (entry === undefined) return null;
    refuseLarge(entry, limits);
    unpacked += entry.originalSize;
    if (unpacked > limits.totalBytes)
      throw tooLarge(`its entries unpack to over ${mebibytes(limits.totalBytes)}`);
    let seen = false;
    const only = (info: UnzipFileInfo): boolean => !seen && (seen = info.name === name);
    try {
      const found = unzipSync(bytes, { filter: only })[name];
      if (found?.length === entry.originalSize) return found;
    } catch (error) {
      throw damaged(`${name}: ${reasonOf(error)}`);
    }
    throw damaged(`${name} is not as long as the archive says`);
  };
  return {
    names: [...entries.keys()],
    has: (name) => entries.has(name),
    bytes: unpack,
    async text(name) {
      const found = unpack(name);
      if (found === null) return null;
      if (found.length === 0) return "";
      const decoded = await decodeText(found);
      if (decoded === null) throw damaged(`${name} is no text`);
      return decoded.text;
    },
  };
}

function list(
  unzipSync: typeof import("fflate").unzipSync,
  bytes: Uint8Array,
  entries: Map<string, UnzipFileInfo>,
  limits: ArchiveLimits,
): void {
  let count = 0;
  try {
    unzipSync(bytes, {
      filter(info) {
        if (++count > limits.entries) throw tooLarge(`it has over ${limits.entries} entries`);
        // Of two entries of one name the first is read, as it is by most programs.
        if (!info.name.endsWith("/") && !entries.has(info.name)) entries.set(info.name, info);
        return false;
      },
    });
  } catch (error) {
    throw error instanceof ReadProblem ? error : damaged(reasonOf(error));
  }
}

function refuseLarge({ name, size, originalSize }: UnzipFileInfo, limits: ArchiveLimits): void {
  if (originalSize > limits.entryBytes)
    throw tooLarge(`${name} unpacks to over ${mebibytes(limits.entryBytes)}`);
  if (originalSize > MIB && originalSize > size * limits.ratio) {
    throw tooLarge(`${name} unpacks to more than ${limits.ratio} times its size`);
  }
}

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / MIB)} MiB`;
}

function tooLarge(reason: string): ReadProblem {
  return new ReadProblem("too_complex", `The archive in it was not unpacked: ${reason}.`);
}

function damaged(reason: string): ReadProblem {
  return new ReadProblem("corrupt", `The archive in it is damaged (${reason}).`);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
