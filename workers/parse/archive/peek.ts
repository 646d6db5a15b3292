import { inflateRawSync } from "node:zlib";

/** Bytes of one entry that are looked at. */
const MAX_ENTRY_BYTES = 256 * 1024;
/** Entries that are looked through. */
const MAX_ENTRIES = 20_000;
/** The record at the end, with the longest comment behind it. */
const END_REACH = 22 + 0xffff;

/** What tells a ZIP of one kind from others, without unpacking it. */
export interface ZipPeek {
  readonly names: readonly string[];
  /** The beginning of a small entry as UTF-8; null when there is none or it cannot be read. */
  text(name: string): string | null;
}

interface Entry {
  readonly method: number;
  readonly packedBytes: number;
  /** Of its local header. */
  readonly offset: number;
}

/** Reads the directory of a ZIP; empty when it has none that can be read. Synchronous and cheap, for telling formats. */
export function peekZip(bytes: Uint8Array): ZipPeek {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const entries = directoryOf(buffer);
  return {
    names: [...entries.keys()],
    text(name) {
      const entry = entries.get(name);
      return entry === undefined ? null : textOfEntry(buffer, entry);
    },
  };
}

function directoryOf(buffer: Buffer): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  const end = buffer.lastIndexOf("PK\x05\x06", undefined, "latin1");
  if (end === -1 || end < buffer.length - END_REACH || end + 22 > buffer.length) return entries;
  let at = buffer.readUInt32LE(end + 16);
  for (let count = 0; count < MAX_ENTRIES && at + 46 <= end; count++) {
    if (buffer.readUInt32LE(at) !== 0x02014b50) break;
    const nameLength = buffer.readUInt16LE(at + 28);
    const name = buffer.toString("utf8", at + 46, at + 46 + nameLength);
    if (!entries.has(name)) {
      entries.set(name, {
        method: buffer.readUInt16LE(at + 10),
        packedBytes: buffer.readUInt32LE(at + 20),
        offset: buffer.readUInt32LE(at + 42),
      });
    }
    at += 46 + nameLength + buffer.readUInt16LE(at + 30) + buffer.readUInt16LE(at + 32);
  }
  return entries;
}

function textOfEntry(buffer: Buffer, { method, packedBytes, offset }: Entry): string | null {
  if (offset + 30 > buffer.length || packedBytes > MAX_ENTRY_BYTES) return null;
  const start = offset + 30 + buffer.readUInt16LE(offset + 26) + buffer.readUInt16LE(offset + 28);
  const packed = buffer.subarray(start, start + packedBytes);
  if (method === 0) return packed.toString("utf8");
  if (method !== 8) return null;
  try {
    return inflateRawSync(packed, { maxOutputLength: MAX_ENTRY_BYTES }).toString("utf8");
  } catch {
    // Damaged or larger than what is looked at: then it tells nothing.
    return null;
  }
}
