import { readEntries, ZipDamage, type ZipEntry } from "./central-directory.ts";
import { unpackBytes } from "./unpack.ts";

/** Bytes of one entry that are looked at, packed and unpacked. */
const MAX_ENTRY_BYTES = 256 * 1024;
/** Entries that are looked through. */
const MAX_ENTRIES = 20_000;

/** What tells a ZIP of one kind from others. */
export interface ZipPeek {
  readonly names: readonly string[];
  /** A small entry as UTF-8; null when there is none, or none that can be read. */
  text(name: string): string | null;
}

/** Looks into a ZIP without unpacking it; sees nothing in one that is damaged. Synchronous and cheap, for telling formats. */
export function peekZip(bytes: Uint8Array): ZipPeek {
  const entries = new Map<string, ZipEntry>();
  try {
    readEntries(bytes, (entry) => {
      if (!entries.has(entry.name)) entries.set(entry.name, entry);
      return entries.size < MAX_ENTRIES;
    });
  } catch (error) {
    if (!(error instanceof ZipDamage)) throw error;
    // What was seen before the damage tells enough.
  }
  return {
    names: [...entries.keys()],
    text(name) {
      const entry = entries.get(name);
      return entry === undefined || entry.encrypted ? null : textOf(bytes, entry);
    },
  };
}

function textOf(bytes: Uint8Array, entry: ZipEntry): string | null {
  if (entry.packedBytes > MAX_ENTRY_BYTES) return null;
  try {
    return Buffer.from(unpackBytes(bytes, entry, MAX_ENTRY_BYTES)).toString("utf8");
  } catch (error) {
    if (!(error instanceof ZipDamage)) throw error;
    // Damaged, or larger than what is looked at: then it tells nothing.
    return null;
  }
}
