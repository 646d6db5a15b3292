/** What an archive says of one of its files. */
export interface ZipEntry {
  readonly name: string;
  /** 0 is stored, 8 deflated. */
  readonly method: number;
  readonly encrypted: boolean;
  /** Of the unpacked bytes; 0 where the writer left it out. */
  readonly crc: number;
  readonly packedBytes: number;
  readonly unpackedBytes: number;
  /** Offset of its own header in the archive. */
  readonly offset: number;
}

const END_SIGNATURE = 0x06054b50;
const END_BYTES = 22;
/** The end may be followed by a comment of this many bytes. */
const MAX_COMMENT = 0xffff;
const END64_LOCATOR_SIGNATURE = 0x07064b50;
const END64_SIGNATURE = 0x06064b50;
const ENTRY_SIGNATURE = 0x02014b50;
const ENTRY_BYTES = 46;
const LOCAL_SIGNATURE = 0x04034b50;
const LOCAL_BYTES = 30;
/** Stands where the figure is in the extra field, as it does not fit. */
const ELSEWHERE = 0xffffffff;
const EXTRA_ZIP64 = 0x0001;

/** The archive is no archive, or not whole. */
export class ZipDamage extends Error {
  override readonly name = "ZipDamage";
}

/** Reads the list of files, at its end; nothing is unpacked. @throws ZipDamage; stops by itself at `visit` → false. */
export function readEntries(bytes: Uint8Array, visit: (entry: ZipEntry) => boolean): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = findEnd(view);
  const { size, offset } = directoryPlace(view, end);
  // Offsets count from where the archive begins, which need not be where the file does.
  const shift = view.getUint32(end + 16, true) === ELSEWHERE ? 0 : Math.max(0, end - size - offset);
  let at = offset + shift;
  while (at + ENTRY_BYTES <= end && view.getUint32(at, true) === ENTRY_SIGNATURE) {
    const nameBytes = view.getUint16(at + 28, true);
    const extraBytes = view.getUint16(at + 30, true);
    const next = at + ENTRY_BYTES + nameBytes + extraBytes + view.getUint16(at + 32, true);
    if (next > bytes.length) throw new ZipDamage("its list of files is cut off");
    if (!visit(entryAt(bytes, view, at, nameBytes, extraBytes, shift))) return;
    at = next;
  }
}

/** The packed bytes of an entry. @throws ZipDamage when they are not where the list says. */
export function packedBytes(bytes: Uint8Array, entry: ZipEntry): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { offset } = entry;
  if (offset + LOCAL_BYTES > bytes.length || view.getUint32(offset, true) !== LOCAL_SIGNATURE)
    throw new ZipDamage(`${entry.name} is not where the archive says`);
  const start = offset + LOCAL_BYTES + view.getUint16(offset + 26, true) + view.getUint16(offset + 28, true);
  if (start + entry.packedBytes > bytes.length) throw new ZipDamage(`${entry.name} is cut off`);
  return bytes.subarray(start, start + entry.packedBytes);
}

function findEnd(view: DataView): number {
  const last = view.byteLength - END_BYTES;
  for (let at = last; at >= Math.max(0, last - MAX_COMMENT); at--)
    if (view.getUint32(at, true) === END_SIGNATURE) return at;
  throw new ZipDamage("its end is missing");
}

function directoryPlace(view: DataView, end: number): { size: number; offset: number } {
  const size = view.getUint32(end + 12, true);
  const offset = view.getUint32(end + 16, true);
  if (size !== ELSEWHERE && offset !== ELSEWHERE) return { size, offset };
  const locator = end - 20;
  if (locator < 0 || view.getUint32(locator, true) !== END64_LOCATOR_SIGNATURE) return { size, offset };
  const end64 = Number(view.getBigUint64(locator + 8, true));
  if (end64 + 56 > view.byteLength || view.getUint32(end64, true) !== END64_SIGNATURE)
    throw new ZipDamage("its end is missing");
  return {
    size: Number(view.getBigUint64(end64 + 40, true)),
    offset: Number(view.getBigUint64(end64 + 48, true)),
  };
}

function entryAt(
  bytes: Uint8Array,
  view: DataView,
  at: number,
  nameBytes: number,
  extraBytes: number,
  shift: number,
): ZipEntry {
  const flags = view.getUint16(at + 8, true);
  const extraAt = at + ENTRY_BYTES + nameBytes;
  const figures = {
    unpackedBytes: view.getUint32(at + 24, true),
    packedBytes: view.getUint32(at + 20, true),
    offset: view.getUint32(at + 42, true),
  };
  const name = decodeName(bytes.subarray(at + ENTRY_BYTES, extraAt));
  for (const [id, start, length] of extraFields(view, extraAt, extraBytes)) {
    if (id === EXTRA_ZIP64) takeLargeFigures(view, figures, start, length);
  }
  return {
    name: name.replaceAll("\\", "/"),
    method: view.getUint16(at + 10, true),
    encrypted: (flags & 1) !== 0,
    crc: view.getUint32(at + 16, true),
    ...figures,
    offset: figures.offset + shift,
  };
}

function* extraFields(
  view: DataView,
  from: number,
  bytes: number,
): Generator<[id: number, start: number, length: number]> {
  for (let at = from; at + 4 <= from + bytes;) {
    const length = view.getUint16(at + 2, true);
    if (at + 4 + length > from + bytes) return;
    yield [view.getUint16(at, true), at + 4, length];
    at += 4 + length;
  }
}

interface Figures {
  unpackedBytes: number;
  packedBytes: number;
  offset: number;
}

/** The figures that did not fit follow one another in this order. */
function takeLargeFigures(view: DataView, figures: Figures, start: number, length: number): void {
  let at = start;
  for (const figure of ["unpackedBytes", "packedBytes", "offset"] as const) {
    if (figures[figure] !== ELSEWHERE || at + 8 > start + length) continue;
    figures[figure] = Number(view.getBigUint64(at, true));
    at += 8;
  }
}

/** UTF-8, whatever its flag says, or else of one byte a character. */
function decodeName(name: Uint8Array): string {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(name);
  return text.includes("\uFFFD") ? Buffer.from(name).toString("latin1") : text;
}
