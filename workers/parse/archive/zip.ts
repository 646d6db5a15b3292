import { isUtf8 } from "node:buffer";
import { crc32 } from "node:zlib";
import { cleanText } from "../clean-text.ts";
import { decodeText } from "../decode.ts";
import { ReadProblem } from "../reader.ts";
import { readEntries, ZipDamage, type ZipEntry } from "./central-directory.ts";
import { unpackBytes } from "./unpack.ts";

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
  /** Names are compared as they are, and where none is equal without regard to case. */
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
  const entries = listEntries(bytes, limits);
  const byLowerName = new Map<string, ZipEntry>();
  for (const [name, entry] of entries) {
    const lower = name.toLowerCase();
    if (!byLowerName.has(lower)) byLowerName.set(lower, entry);
  }
  const find = (name: string): ZipEntry | undefined =>
    entries.get(name) ?? byLowerName.get(name.toLowerCase());
  let unpacked = 0;
  const unpack = (name: string): Uint8Array | null => {
    const entry = find(name);
    if (entry === undefined) return null;
    refuseLarge(entry, limits);
    unpacked += entry.unpackedBytes;
    if (unpacked > limits.totalBytes)
      throw tooLarge(`its entries unpack to over ${mebibytes(limits.totalBytes)}`);
    return unpackEntry(bytes, entry);
  };
  return {
    names: [...entries.keys()],
    has: (name) => find(name) !== undefined,
    bytes: unpack,
    async text(name) {
      const found = unpack(name);
      if (found === null) return null;
      if (found.length === 0) return "";
      const decoded = await decodeText(found);
      if (decoded !== null) return decoded.text;
      if (!isUtf8(found)) throw damaged(`${name} is no text`);
      // Text with control characters, as careless programs write it.
      return cleanText(Buffer.from(found).toString("utf8"));
    },
  };
}

function listEntries(bytes: Uint8Array, limits: ArchiveLimits): Map<string, ZipEntry> {
  const entries = new Map<string, ZipEntry>();
  let count = 0;
  try {
    readEntries(bytes, (entry) => {
      if (++count > limits.entries) throw tooLarge(`it has over ${limits.entries} entries`);
      // Of two entries of one name the first is read, as it is by most programs.
      if (!entry.name.endsWith("/") && !entries.has(entry.name)) entries.set(entry.name, entry);
      return true;
    });
  } catch (error) {
    throw error instanceof ZipDamage ? damaged(error.message) : error;
  }
  return entries;
}

/** Never more bytes than the entry declares, whatever its data would unpack to. */
function unpackEntry(bytes: Uint8Array, entry: ZipEntry): Uint8Array {
  const { name } = entry;
  if (entry.encrypted) throw new ReadProblem("needs_password", `${name} in it opens only with a password.`);
  const found = unpackData(bytes, entry);
  if (found.length !== entry.unpackedBytes) throw damaged(`${name} is not as long as the archive says`);
  if (entry.crc !== 0 && crc32(found) !== entry.crc) throw damaged(`${name} is not what was packed`);
  return found;
}

function unpackData(bytes: Uint8Array, entry: ZipEntry): Uint8Array {
  try {
    return unpackBytes(bytes, entry, entry.unpackedBytes);
  } catch (error) {
    throw error instanceof ZipDamage ? damaged(error.message) : error;
  }
}

function refuseLarge({ name, packedBytes: packed, unpackedBytes }: ZipEntry, limits: ArchiveLimits): void {
  if (unpackedBytes > limits.entryBytes)
    throw tooLarge(`${name} unpacks to over ${mebibytes(limits.entryBytes)}`);
  if (unpackedBytes > MIB && unpackedBytes > packed * limits.ratio) {
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
