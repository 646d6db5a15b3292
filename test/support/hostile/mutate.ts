import { createRandom } from "../random.ts";

/** Numbers that sizes, counts and offsets break at. */
const edges: readonly number[] = [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff];

type Mutation = (bytes: Buffer, random: () => number) => Buffer;

const below = (random: () => number, end: number): number => Math.floor(random() * end);

function cutOut(bytes: Buffer, random: () => number): [from: number, to: number] {
  const from = below(random, bytes.length);
  return [from, from + below(random, Math.min(64, bytes.length - from) + 1)];
}

const flipBit: Mutation = (bytes, random) => {
  const at = below(random, bytes.length);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << below(random, 8));
  return bytes;
};

const setByte: Mutation = (bytes, random) => {
  bytes[below(random, bytes.length)] = below(random, 256);
  return bytes;
};

const setEdge: Mutation = (bytes, random) => {
  const width = [1, 2, 4][below(random, 3)] ?? 1;
  if (bytes.length < width) return bytes;
  const at = below(random, bytes.length - width + 1);
  const value = (edges[below(random, edges.length)] ?? 0) % 256 ** width;
  if (random() < 0.5) bytes.writeUIntLE(value, at, width);
  else bytes.writeUIntBE(value, at, width);
  return bytes;
};

const remove: Mutation = (bytes, random) => {
  const [from, to] = cutOut(bytes, random);
  return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
};

const repeat: Mutation = (bytes, random) => {
  const [from, to] = cutOut(bytes, random);
  const times = 1 + below(random, random() < 0.1 ? 2000 : 4);
  const copies = Array.from({ length: times }, () => bytes.subarray(from, to));
  return Buffer.concat([bytes.subarray(0, to), ...copies, bytes.subarray(to)]);
};

const move: Mutation = (bytes, random) => {
  const [from, to] = cutOut(bytes, random);
  const place = below(random, bytes.length);
  return Buffer.concat([bytes.subarray(0, place), bytes.subarray(from, to), bytes.subarray(place)]);
};

const cutOff: Mutation = (bytes, random) => bytes.subarray(0, below(random, bytes.length + 1));

const insertNoise: Mutation = (bytes, random) => {
  const noise = Buffer.from(Array.from({ length: 1 + below(random, 16) }, () => below(random, 256)));
  const place = below(random, bytes.length);
  return Buffer.concat([bytes.subarray(0, place), noise, bytes.subarray(place)]);
};

/** A number written in digits becomes another one: lengths and counts of text formats. */
const changeNumber: Mutation = (bytes, random) => {
  const numbers = [...bytes.toString("latin1").matchAll(/\d+/g)];
  const found = numbers[below(random, numbers.length)];
  if (found === undefined) return bytes;
  const value = random() < 0.3 ? "99999999999999999999" : String(edges[below(random, edges.length)]);
  return Buffer.concat([
    bytes.subarray(0, found.index),
    Buffer.from(random() < 0.2 ? `-${value}` : value),
    bytes.subarray(found.index + found[0].length),
  ]);
};

const mutations: readonly Mutation[] = [
  flipBit,
  setByte,
  setEdge,
  remove,
  repeat,
  move,
  cutOff,
  insertNoise,
  changeNumber,
];

/** The bytes with one to eight random faults; the same seed gives the same faults. */
export function mutate(bytes: Uint8Array, seed: number): Buffer {
  const random = createRandom(seed);
  let changed: Buffer = Buffer.from(bytes);
  const faults = 1 + Math.floor(random() ** 2 * 8);
  for (let n = 0; n < faults && changed.length > 0; n++) {
    const mutation = mutations[below(random, mutations.length)] ?? flipBit;
    changed = mutation(changed, random);
  }
  return changed;
}
