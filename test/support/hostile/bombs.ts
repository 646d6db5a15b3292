import { zipSync } from "fflate";
import { createRandom } from "../random.ts";
import { type Garment, garments } from "./garments.ts";
import { localHeader, packedEntry, packedRun, type RawEntry, rawZip } from "./raw-zip.ts";
import type { Zoo } from "./zoo.ts";

const MIB = 2 ** 20;

function storedEntries({ others }: Garment): RawEntry[] {
  return Object.entries(others).map(([name, bytes]) => ({
    name,
    packed: bytes,
    unpackedBytes: bytes.length,
    stored: true,
  }));
}

/** A megabyte of pieces with words in them. */
function megabyte(garment: Garment, random: () => number): string {
  let text = "";
  // A few letters of chance each, so that it packs no better than a real text.
  while (text.length < MIB)
    text += garment.piece(`zqbomb ${Math.floor(random() * 2 ** 40).toString(36)} and words`);
  return text;
}

/** The growing entry of that many megabytes, with what the archive says of its length. */
function grown(garment: Garment, megabytes: number, claimed?: number): RawEntry {
  const piece = garment.piece(" ".repeat(MIB));
  const packed = packedRun(garment.head, piece, megabytes, garment.tail);
  const unpackedBytes = garment.head.length + piece.length * megabytes + garment.tail.length;
  return { name: garment.entry, packed, unpackedBytes: claimed ?? unpackedBytes };
}

/** As large as an entry may be and packed no better than it may be: all of it is read. */
function withinBounds(garment: Garment, megabytes: number): Buffer {
  const random = createRandom(1);
  const text = Array.from({ length: megabytes }, () => megabyte(garment, random)).join("");
  return rawZip([...storedEntries(garment), packedEntry(garment.entry, garment.head + text + garment.tail)]);
}

/** Entries that hold one another: each is the header of the next one and all that follows. */
function overlapping(garment: Garment): Buffer {
  const kernel = packedRun("", " ".repeat(MIB), 60, "");
  let body = kernel;
  let unpackedBytes = 60 * MIB;
  const sizes: { readonly at: number; readonly packedBytes: number; readonly unpackedBytes: number }[] = [];
  for (let n = 0; n < 100; n++) {
    const header = localHeader({ name: `${n}.xml`, packed: body, unpackedBytes });
    sizes.push({ at: body.length + header.length, packedBytes: body.length, unpackedBytes });
    // A stored block that quotes the header, and behind it the packed data of the entry before.
    const block = Buffer.alloc(5);
    block.writeUInt16LE(header.length, 1);
    block.writeUInt16LE(~header.length & 0xffff, 3);
    unpackedBytes += header.length;
    body = Buffer.concat([block, header, body]);
  }
  const entries = sizes.map((size, n): RawEntry => {
    const name = n === sizes.length - 1 ? garment.entry : `${n}.xml`;
    return { name, packed: new Uint8Array(), ...size, offset: body.length - size.at };
  });
  // The archive begins with a header: nothing quotes the last one.
  return rawZip([...storedEntries(garment), ...entries], body.subarray(5));
}

/** The same bytes under many names: each is read, all together are much. */
function shared(garment: Garment): Buffer {
  const piece = megabyte(garment, createRandom(2)).repeat(40);
  const first = packedEntry(garment.entry, garment.head + piece + garment.tail);
  const others = storedEntries(garment);
  const at = others.reduce((sum, entry) => sum + localHeader(entry).length + entry.packed.length, 0);
  const copies = Array.from({ length: 500 }, (_, n): RawEntry => {
    const name = garment.entry.replace(/\d?\.(\w+)$/, `${n + 2}.$1`);
    return { ...first, name, packedBytes: first.packed.length, offset: at };
  });
  return rawZip([...others, first, ...copies]);
}

function manyEntries(garment: Garment): Buffer {
  const empty: RawEntry[] = Array.from({ length: 100_000 }, (_, n) => ({
    name: `media/${n}.png`,
    packed: new Uint8Array(),
    unpackedBytes: 0,
    stored: true,
  }));
  return rawZip([
    ...storedEntries(garment),
    packedEntry(garment.entry, garment.head + garment.tail),
    ...empty,
  ]);
}

/** An archive in an archive in an archive … */
function nested(garment: Garment): Uint8Array {
  let inner: Uint8Array = rawZip([grown(garment, 1024)]);
  for (let n = 0; n < 30; n++)
    inner = zipSync(
      { ...garment.others, [n % 2 === 0 ? garment.entry : `embedded ${n}.docx`]: inner },
      { level: 0 },
    );
  return inner;
}

/** One million files of no bytes, in a list that ends in the middle; and one that has no end. */
function lyingList(garment: Garment): Buffer {
  const zip = manyEntries(garment);
  return zip.subarray(0, Math.floor(zip.length * 0.9));
}

function zipsOf(extension: string, garment: Garment): Zoo {
  const plain = (megabytes: number, claimed?: number) => (): Buffer =>
    rawZip([...storedEntries(garment), grown(garment, megabytes, claimed)]);
  return {
    [`bomb 4 GB.${extension}`]: plain(4000),
    [`bomb that says 1 MB.${extension}`]: plain(4000, MIB),
    [`bomb that says nothing.${extension}`]: plain(1000, 0),
    [`bomb of 60 MB.${extension}`]: plain(60),
    [`as much as fits.${extension}`]: () => withinBounds(garment, 60),
    [`overlapping entries.${extension}`]: () => overlapping(garment),
    [`one entry under 500 names.${extension}`]: () => shared(garment),
    [`100000 entries.${extension}`]: () => manyEntries(garment),
    [`100000 entries cut off.${extension}`]: () => lyingList(garment),
    [`nested archives.${extension}`]: () => nested(garment),
  };
}

/** Archives in the clothes of documents. */
export const bombs: Zoo = Object.assign(
  {},
  ...Object.entries(garments).map(([extension, garment]) => zipsOf(extension, garment)),
) as Zoo;
