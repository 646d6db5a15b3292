import type { EmbeddedFile } from "../reader.ts";
import { titleFrom } from "../title.ts";
import { decompressRtf } from "./msg/compressed-rtf.ts";

const SIGNATURE = 0x223e9f78;
/** Level, name, length in front of an attribute's value, and the sum behind it. */
const HEAD_BYTES = 9;
const SUM_BYTES = 2;
const BEGIN_FILE = 0x9002;
const FILE_NAME = 0x8010;
const FILE_BYTES = 0x800f;
const FILE_PROPERTIES = 0x9005;
const MESSAGE_PROPERTIES = 0x9003;
/** Type and name of a property, as they stand in the file. */
const WIDE_NAME = Buffer.from([0x1f, 0, 0x07, 0x37]);
const COMPRESSED_RTF = Buffer.from([0x02, 0x01, 0x09, 0x10]);
const MAX_FILES = 1000;

export interface Tnef {
  readonly files: readonly EmbeddedFile[];
  /** The message's text, where it is in it. */
  readonly rtf: Uint8Array | null;
}

interface OpenFile {
  name: string | null;
  bytes: Uint8Array;
}

/** What Outlook packs into a winmail.dat (MS-OXTNEF); null for what is none. A broken one gives what stands before the break. */
export function readTnef(bytes: Buffer): Tnef | null {
  if (bytes.length < 6 || bytes.readUInt32LE(0) !== SIGNATURE) return null;
  const files: OpenFile[] = [];
  let rtf: Uint8Array | null = null;
  for (let at = 6; at + HEAD_BYTES <= bytes.length;) {
    const attribute = bytes.readUInt16LE(at + 1);
    const end = at + HEAD_BYTES + bytes.readUInt32LE(at + 5);
    const value = bytes.subarray(at + HEAD_BYTES, end);
    at = end + SUM_BYTES;
    if (end > bytes.length) break;
    const file = files.at(-1);
    if (attribute === MESSAGE_PROPERTIES) {
      const packed = propertyValue(value, COMPRESSED_RTF);
      rtf ??= packed === null ? null : decompressRtf(packed);
    } else if (attribute === BEGIN_FILE && files.length < MAX_FILES)
      files.push({ name: null, bytes: value.subarray(0, 0) });
    else if (file === undefined) continue;
    else if (attribute === FILE_BYTES) file.bytes = value;
    else if (attribute === FILE_NAME) file.name ??= nameFrom(value.toString("latin1"));
    else if (attribute === FILE_PROPERTIES)
      file.name = nameFrom(propertyValue(value, WIDE_NAME)?.toString("utf16le") ?? "") ?? file.name;
  }
  const named = files.map(({ name, bytes: content }, index) => ({
    name: name ?? `Attachment ${index + 1}`,
    bytes: content,
  }));
  return { files: named.filter((file) => file.bytes.length > 0), rtf };
}

/** The value of a property that has one: how many there are, its length, then itself. */
function propertyValue(properties: Buffer, tag: Buffer): Buffer | null {
  const at = properties.indexOf(tag);
  if (at === -1 || at + 12 > properties.length || properties.readUInt32LE(at + 4) !== 1) return null;
  const end = at + 12 + properties.readUInt32LE(at + 8);
  return end > properties.length ? null : properties.subarray(at + 12, end);
}

/** Without what would make it a path. */
function nameFrom(text: string): string | null {
  return titleFrom(text.replace(/\0.*$/s, "").replaceAll(/[/\\]/g, "_"));
}
