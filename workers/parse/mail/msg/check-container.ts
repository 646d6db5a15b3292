import { ReadProblem } from "../../reader.ts";

/** From here on numbers name no sector: free, end of chain, table. */
const NONE = 0xfffffffa;
const NO_ENTRY = 0xffffffff;
const HEADER_BYTES = 512;
const ENTRY_BYTES = 128;
const NAMED_IN_HEADER = 109;
const SMALL_SECTOR_BYTES = 64;
/** Streams below this size lie in small sectors. */
const SMALL_STREAM_BYTES = 4096;
/** Messages inside messages; each is a storage in a storage. */
const MAX_DEPTH = 32;

interface Entry {
  readonly kind: number;
  readonly left: number;
  readonly right: number;
  readonly child: number;
  readonly start: number;
  readonly size: number;
}

/**
 * Proves that a compound file's chains end, that its streams fit into it and that its directory is a tree: what follows them
 * without looking is then safe. Linear in the file.
 * @throws ReadProblem corrupt
 */
export function checkContainer(bytes: Uint8Array): void {
  if (bytes.length < HEADER_BYTES) throw damaged("it is cut off");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const sectorBytes = view.getUint16(0x1e, true) === 12 ? 4096 : 512;
  const sectors = Math.ceil(bytes.length / sectorBytes);
  const table = readTable(view, sectorBytes, sectors);
  const directory = chainOf(table, view.getUint32(0x30, true), sectors);
  const entries = readEntries(view, directory, sectorBytes);
  const root = entries[0];
  if (root === undefined) throw damaged("it has no directory");
  const small = readWords(view, chainOf(table, view.getUint32(0x3c, true), sectors), sectorBytes);
  const smallSectors = Math.ceil(bytes.length / SMALL_SECTOR_BYTES);
  chainOf(table, root.start, sectors);
  // Streams share no sectors, so all of them together are not longer than the file.
  let used = 0;
  let usedSmall = 0;
  for (const { kind, start, size } of entries.slice(1)) {
    if (kind !== 2 || size === 0) continue;
    if (size > bytes.length) throw damaged("a stream is longer than the file");
    const isSmall = size < SMALL_STREAM_BYTES;
    const unit = isSmall ? SMALL_SECTOR_BYTES : sectorBytes;
    const chain = isSmall ? chainOf(small, start, smallSectors) : chainOf(table, start, sectors);
    if (chain.length * unit < size) throw damaged("a stream ends too early");
    if (isSmall) usedSmall += chain.length;
    else used += chain.length;
    if (used > sectors || usedSmall > smallSectors) throw damaged("streams overlap");
  }
  checkTree(entries);
}

/** What follows each sector. */
function readTable(view: DataView, sectorBytes: number, sectors: number): number[] {
  const named: number[] = [];
  const take = (from: number, count: number): void => {
    for (let at = from; at < from + 4 * count && at + 4 <= view.byteLength; at += 4) {
      const sector = view.getUint32(at, true);
      if (sector < NONE) named.push(sector);
    }
  };
  take(0x4c, NAMED_IN_HEADER);
  const perSector = sectorBytes / 4;
  let next = view.getUint32(0x44, true);
  for (let count = 0; next < NONE; count++) {
    const start = (next + 1) * sectorBytes;
    if (count > sectors || start + sectorBytes > view.byteLength) throw damaged("its table is broken");
    take(start, perSector - 1);
    next = view.getUint32(start + sectorBytes - 4, true);
  }
  if (named.length > sectors) throw damaged("its table is broken");
  return readWords(view, named, sectorBytes);
}

function readWords(view: DataView, chain: readonly number[], sectorBytes: number): number[] {
  const words: number[] = [];
  for (const sector of chain) {
    const start = (sector + 1) * sectorBytes;
    for (let at = start; at < start + sectorBytes; at += 4)
      words.push(at + 4 <= view.byteLength ? view.getUint32(at, true) : NO_ENTRY);
  }
  return words;
}

/** The sectors of a chain in their order. */
function chainOf(table: readonly number[], first: number, sectors: number): number[] {
  const chain: number[] = [];
  for (let sector = first; sector < NONE; sector = table[sector] ?? NO_ENTRY) {
    if (chain.length >= sectors || sector >= sectors) throw damaged("a chain of sectors never ends");
    chain.push(sector);
  }
  return chain;
}

function readEntries(view: DataView, directory: readonly number[], sectorBytes: number): Entry[] {
  const entries: Entry[] = [];
  for (const sector of directory) {
    const start = (sector + 1) * sectorBytes;
    for (
      let at = start;
      at + ENTRY_BYTES <= Math.min(start + sectorBytes, view.byteLength);
      at += ENTRY_BYTES
    ) {
      entries.push({
        kind: view.getUint8(at + 0x42),
        left: view.getUint32(at + 0x44, true),
        right: view.getUint32(at + 0x48, true),
        child: view.getUint32(at + 0x4c, true),
        start: view.getUint32(at + 0x74, true),
        size: view.getUint32(at + 0x78, true),
      });
    }
  }
  return entries;
}

/** Each entry hangs at one place. */
function checkTree(entries: readonly Entry[]): void {
  const seen = new Set<number>();
  const open: { index: number; depth: number }[] = [{ index: 0, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { index, depth } = next;
    if (index === NO_ENTRY) continue;
    const entry = entries[index];
    if (entry === undefined || seen.has(index) || depth > MAX_DEPTH)
      throw damaged("its directory is no tree");
    seen.add(index);
    open.push({ index: entry.left, depth }, { index: entry.right, depth });
    if (entry.kind !== 2) open.push({ index: entry.child, depth: depth + 1 });
  }
}

function damaged(reason: string): ReadProblem {
  return new ReadProblem("corrupt", `The message could not be opened: ${reason}.`);
}
