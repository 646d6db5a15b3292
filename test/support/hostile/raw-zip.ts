import { constants, deflateRawSync } from "node:zlib";

/** An entry as it is written, true or not. */
export interface RawEntry {
  readonly name: string;
  /** As they stand in the archive. */
  readonly packed: Uint8Array;
  /** What the archive says of them. */
  readonly unpackedBytes: number;
  /** The length that the archive says they have; the true one by default. */
  readonly packedBytes?: number;
  readonly stored?: boolean;
  /** Its list entry points here instead of at its own header. */
  readonly offset?: number;
}

const LOCAL_BYTES = 30;
const ENTRY_BYTES = 46;

export function localHeader({ name, packed, unpackedBytes, packedBytes, stored }: RawEntry): Buffer {
  const header = Buffer.alloc(LOCAL_BYTES + name.length);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(20, 4);
  header.writeUInt16LE(stored === true ? 0 : 8, 8);
  header.writeUInt32LE(packedBytes ?? packed.length, 18);
  header.writeUInt32LE(unpackedBytes, 22);
  header.writeUInt16LE(name.length, 26);
  header.write(name, LOCAL_BYTES, "latin1");
  return header;
}

function listEntry(entry: RawEntry, offset: number): Buffer {
  const { name, packed, unpackedBytes, packedBytes, stored } = entry;
  const record = Buffer.alloc(ENTRY_BYTES + name.length);
  record.writeUInt32LE(0x02014b50, 0);
  record.writeUInt16LE(20, 4);
  record.writeUInt16LE(20, 6);
  record.writeUInt16LE(stored === true ? 0 : 8, 10);
  record.writeUInt32LE(packedBytes ?? packed.length, 20);
  record.writeUInt32LE(unpackedBytes, 24);
  record.writeUInt16LE(name.length, 28);
  record.writeUInt32LE(entry.offset ?? offset, 42);
  record.write(name, ENTRY_BYTES, "latin1");
  return record;
}

/** A ZIP archive of these entries, whose list says what it is told to. Checksums are left out, as some writers do. */
export function rawZip(entries: readonly RawEntry[], body?: Buffer): Buffer {
  const chunks: Buffer[] = body === undefined ? [] : [body];
  const list: Buffer[] = [];
  let at = body?.length ?? 0;
  for (const entry of entries) {
    list.push(listEntry(entry, at));
    if (entry.offset !== undefined) continue;
    const header = localHeader(entry);
    chunks.push(header, Buffer.from(entry.packed));
    at += header.length + entry.packed.length;
  }
  const directory = Buffer.concat(list);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length & 0xffff, 8);
  end.writeUInt16LE(entries.length & 0xffff, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...chunks, directory, end]);
}

export function packedEntry(name: string, content: string | Uint8Array): RawEntry {
  const bytes = Buffer.from(content);
  return { name, packed: deflateRawSync(bytes), unpackedBytes: bytes.length };
}

/** Deflated text: a head, a piece any number of times, and a tail; made without ever being unpacked. */
export function packedRun(head: string, piece: string, times: number, tail: string): Buffer {
  const open = { finishFlush: constants.Z_FULL_FLUSH };
  const block = deflateRawSync(piece, open);
  return Buffer.concat([
    deflateRawSync(head, open),
    ...Array.from({ length: times }, () => block),
    deflateRawSync(tail),
  ]);
}
