const SIGNATURE = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
const HEADER_BYTES = 512;
const ENTRY_BYTES = 128;
/** Table sectors that the header itself names. */
const NAMED_IN_HEADER = 109;
/** Sectors of the directory, of the table's list, and entries of the root that are looked at. */
const MAX_DIRECTORY_SECTORS = 65_536;
const MAX_LIST_SECTORS = 4096;
const MAX_ENTRIES = 4096;
/** From here on numbers name no sector or entry. */
const NONE = 0xfffffffa;

/** A compound file: sectors of one size, chained by a table, with a directory in one of the chains. */
interface Container {
  readonly view: DataView;
  readonly sectorBytes: number;
  /** Where the sectors are that hold the table of what follows what. */
  readonly tableSectors: readonly number[];
}

export function isOle(bytes: Uint8Array): boolean {
  return bytes.length >= HEADER_BYTES && SIGNATURE.every((byte, at) => bytes[at] === byte);
}

/**
 * The names of the streams and storages that stand at the top of an OLE compound file; what is embedded deeper does not
 * say what the file is. Null when the bytes are none; of a damaged one what can be reached.
 */
export function oleNames(bytes: Uint8Array): ReadonlySet<string> | null {
  if (!isOle(bytes)) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const sectorBytes = view.getUint16(0x1e, true) === 12 ? 4096 : 512;
  const container = { view, sectorBytes, tableSectors: tableSectors(view, sectorBytes) };
  const directory = chain(container, view.getUint32(0x30, true));
  const names = new Set<string>();
  const entry = (index: number): number | null => entryAt(container, directory, index);
  const root = entry(0);
  if (root === null) return names;
  const seen = new Set<number>();
  const open = [view.getUint32(root + 0x4c, true)];
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    const at = index < NONE && !seen.has(index) && seen.size < MAX_ENTRIES ? entry(index) : null;
    if (at === null) continue;
    seen.add(index);
    names.add(nameAt(view, at));
    open.push(view.getUint32(at + 0x44, true), view.getUint32(at + 0x48, true));
  }
  return names;
}

function tableSectors(view: DataView, sectorBytes: number): number[] {
  const sectors: number[] = [];
  const take = (from: number, count: number): void => {
    for (let at = 0; at < count; at++) {
      const sector = numberAt(view, from + 4 * at);
      if (sector !== null && sector < NONE) sectors.push(sector);
    }
  };
  take(0x4c, NAMED_IN_HEADER);
  let next = view.getUint32(0x44, true);
  for (let count = 0; next < NONE && count < MAX_LIST_SECTORS; count++) {
    const start = (next + 1) * sectorBytes;
    const following = numberAt(view, start + sectorBytes - 4);
    if (following === null) break;
    take(start, sectorBytes / 4 - 1);
    next = following;
  }
  return sectors;
}

/** Offsets in the file of the sectors of a chain; a loop ends at the bound. */
function chain({ view, sectorBytes, tableSectors }: Container, first: number): number[] {
  const perSector = sectorBytes / 4;
  const offsets: number[] = [];
  const seen = new Set<number>();
  for (let sector = first; sector < NONE && !seen.has(sector);) {
    const start = (sector + 1) * sectorBytes;
    if (start >= view.byteLength || offsets.length >= MAX_DIRECTORY_SECTORS) break;
    seen.add(sector);
    offsets.push(start);
    const table = tableSectors[Math.floor(sector / perSector)];
    const next =
      table === undefined ? null : numberAt(view, (table + 1) * sectorBytes + (sector % perSector) * 4);
    if (next === null) break;
    sector = next;
  }
  return offsets;
}

function entryAt(
  { view, sectorBytes }: Container,
  directory: readonly number[],
  index: number,
): number | null {
  const perSector = sectorBytes / ENTRY_BYTES;
  const start = directory[Math.floor(index / perSector)];
  if (start === undefined) return null;
  const at = start + (index % perSector) * ENTRY_BYTES;
  return at + ENTRY_BYTES <= view.byteLength ? at : null;
}

function nameAt(view: DataView, at: number): string {
  // Bytes, with the zero at the end.
  const length = Math.min(64, view.getUint16(at + 0x40, true));
  let name = "";
  for (let offset = 0; offset + 2 < length; offset += 2)
    name += String.fromCharCode(view.getUint16(at + offset, true));
  return name;
}

function numberAt(view: DataView, at: number): number | null {
  return at + 4 <= view.byteLength ? view.getUint32(at, true) : null;
}
