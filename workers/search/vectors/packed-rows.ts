import { createVectorKernel, type VectorKernel } from "../kernel/vector-kernel.ts";
import { quantise, writeSigns, writeWeights } from "./quantise.ts";
import { BATCH_ROWS, bitBytesOf, distancesOf, layoutFor, rowBytesOf, type Layout } from "./row-layout.ts";
import type { VectorRun } from "./vector-run.ts";

const FIRST_CAPACITY = 1024;
/** Room for so many times the rows, and from LARGE on, where it is worth 70 MB at a million rows, for fewer. */
const GROWTH = 1.5;
const LARGE = 100_000;
const LARGE_GROWTH = 1.1;

/** How far the rows reach in a kernel's memory. */
export interface Extent {
  readonly capacity: number;
  readonly count: number;
}

/** Vectors as rows of int8 and their signs, in the order of their units' numbers; and one query that is held against them. */
export class PackedRows {
  readonly #dimensions: number;
  readonly #kernel: VectorKernel;
  readonly #rowBytes: number;
  readonly #bitBytes: number;
  #layout: Layout;
  #scales: Float32Array = new Float32Array();
  #numbers: Uint32Array = new Uint32Array();
  #count = 0;
  #vectors = 0;

  /** Of rows that stand in the kernel already where `extent` is told: to be read alone. */
  constructor(dimensions: number, kernel: VectorKernel = createVectorKernel(), extent?: Extent) {
    this.#dimensions = dimensions;
    this.#kernel = kernel;
    this.#rowBytes = rowBytesOf(dimensions);
    this.#bitBytes = bitBytesOf(dimensions);
    this.#layout = layoutFor(this.#dimensions, extent?.capacity ?? FIRST_CAPACITY);
    this.#count = extent?.count ?? 0;
    kernel.grow(this.#layout.end);
    this.#view();
  }

  /** What another thread needs to read the rows. Null where none can. */
  get shared(): (Extent & { readonly memory: WebAssembly.Memory; readonly dimensions: number }) | null {
    const { memory } = this.#kernel;
    const { capacity } = this.#layout;
    return memory && { memory, dimensions: this.#dimensions, capacity, count: this.#count };
  }

  /** Rows, those that have no vector yet included. */
  get count(): number {
    return this.#count;
  }

  /** Rows that have a vector. */
  get vectors(): number {
    return this.#vectors;
  }

  /** Of each row the number of its unit. */
  get numbers(): Uint32Array {
    return this.#numbers;
  }

  /** Of each row one by its length; 0 where it has no vector yet. */
  get scales(): Float32Array {
    return this.#scales;
  }

  get bytes(): number {
    return this.#kernel.buffer.byteLength;
  }

  /** Of a higher number than all before. Null keeps a place for a vector that comes later; one of length zero is left out. */
  append(number: number, vector: Float32Array | null): void {
    if (this.#count === this.#layout.capacity) this.#grow();
    const row = this.#count;
    this.#numbers[row] = number;
    if (vector === null) this.#clear(row);
    else if (!this.#put(row, vector)) return;
    this.#count++;
  }

  /** All rows of a run, as `append` would make them one by one. */
  appendRun({ numbers, scales, values, bits }: VectorRun): void {
    const row = this.#count;
    while (row + numbers.length > this.#layout.capacity) this.#grow();
    const bytes = new Uint8Array(this.#kernel.buffer);
    bytes.set(values, this.#layout.values + row * this.#rowBytes);
    bytes.set(bits, this.#layout.bits + row * this.#bitBytes);
    this.#numbers.set(numbers, row);
    this.#scales.set(scales, row);
    for (const scale of scales) if (scale !== 0) this.#vectors++;
    this.#count += numbers.length;
  }

  /** The vector of a unit that had none. */
  fill(number: number, vector: Float32Array): void {
    const row = this.rowOf(number);
    if (row >= 0 && this.#scales[row] === 0) this.#put(row, vector);
  }

  /** Keeps only the units whose numbers are in `alive`, which ascend. */
  retain(alive: Iterable<number>): void {
    let [kept, vectors, row] = [0, 0, 0];
    for (const number of alive) {
      while (row < this.#count && this.#numbers[row]! < number) row++;
      if (row === this.#count) break;
      if (this.#numbers[row] !== number) continue;
      if (this.#scales[row] !== 0) vectors++;
      this.#move(row++, kept++);
    }
    this.#count = kept;
    this.#vectors = vectors;
  }

  /** -1 for a unit that is none of the rows. */
  rowOf(number: number): number {
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#numbers[middle]! < number) low = middle + 1;
      else high = middle;
    }
    return low < this.#count && this.#numbers[low] === number ? low : -1;
  }

  /** Takes this for the query; answers one by its length, 0 when it has no direction. */
  ask(query: Float32Array): number {
    const { query: place, queryBits } = this.#layout;
    const scale = this.#write(query, place);
    if (scale === 0) return 0;
    const values = this.#valuesAt(place);
    const [one, two] = [queryBits + this.#bitBytes, queryBits + 2 * this.#bitBytes];
    writeSigns(values, this.#bitsAt(queryBits));
    writeWeights(values, this.#bitsAt(one), this.#bitsAt(two));
    return scale;
  }

  /** How far each row is from the query by its signs is known from here on. Answers below what distance `wanted` rows are. */
  measure(wanted: number): number {
    const { bits, queryBits, distances, counts } = this.#layout;
    const rowsAt = new Uint32Array(this.#kernel.buffer, counts, distancesOf(this.#dimensions)).fill(0);
    // In batches, which stay in the processor's cache where a row has several columns.
    for (let from = 0; from < this.#count; from += BATCH_ROWS) {
      const rows = Math.min(BATCH_ROWS, this.#count - from);
      const place = bits + from * this.#bitBytes;
      this.#kernel.distances(place, rows, this.#bitBytes, queryBits, distances + 2 * from, counts);
    }
    let bound = 0;
    for (let within = 0; bound < rowsAt.length && within < wanted; bound++) within += rowsAt[bound]!;
    return bound;
  }

  /** Names those of a batch that were measured below the bound; answers how many. */
  nameNear(from: number, bound: number): number {
    const { distances, named } = this.#layout;
    const rows = Math.min(BATCH_ROWS, this.#count - from);
    return this.#kernel.choose(distances + 2 * from, rows, bound, named);
  }

  /** Names these rows, at most BATCH_ROWS, counted from where the batch begins; answers how many. */
  name(rows: ArrayLike<number>): number {
    new Uint32Array(this.#kernel.buffer, this.#layout.named, rows.length).set(rows);
    return rows.length;
  }

  /** The rows that are named, counted from where their batch begins, and their products with the query. */
  products(from: number, count: number): { rows: Uint32Array; products: Int32Array } {
    return this.#multiply(this.#layout.values + from * this.#rowBytes, count);
  }

  /** The product of another vector with the query, and one by its length, as a row would have it; 0 without a direction. */
  productOf(vector: Float32Array): { product: number; scale: number } {
    const { other } = this.#layout;
    const scale = Math.fround(this.#write(vector, other));
    if (scale === 0) return { product: 0, scale };
    return { product: this.#multiply(other, this.name([0])).products[0]!, scale };
  }

  #multiply(values: number, count: number): { rows: Uint32Array; products: Int32Array } {
    const { query, named, products } = this.#layout;
    this.#kernel.products(values, this.#rowBytes, query, named, count, products);
    const { buffer } = this.#kernel;
    return { rows: new Uint32Array(buffer, named, count), products: new Int32Array(buffer, products, count) };
  }

  /** False for a vector without a direction. */
  #put(row: number, vector: Float32Array): boolean {
    const place = this.#layout.values + row * this.#rowBytes;
    const scale = this.#write(vector, place);
    if (scale === 0) return false;
    writeSigns(this.#valuesAt(place), this.#bitsAt(this.#layout.bits + row * this.#bitBytes));
    this.#scales[row] = scale;
    this.#vectors++;
    return true;
  }

  #clear(row: number): void {
    this.#valuesAt(this.#layout.values + row * this.#rowBytes).fill(0);
    this.#bitsAt(this.#layout.bits + row * this.#bitBytes).fill(0);
    this.#scales[row] = 0;
  }

  #write(vector: Float32Array, place: number): number {
    return quantise(vector, this.#valuesAt(place));
  }

  #valuesAt(place: number): Int8Array {
    return new Int8Array(this.#kernel.buffer, place, this.#dimensions);
  }

  #bitsAt(place: number): Int32Array {
    return new Int32Array(this.#kernel.buffer, place, this.#bitBytes / 4);
  }

  #grow(): void {
    const old = this.#layout;
    const layout = layoutFor(
      this.#dimensions,
      Math.ceil(old.capacity * (old.capacity < LARGE ? GROWTH : LARGE_GROWTH)),
    );
    this.#kernel.grow(layout.end);
    const bytes = new Uint8Array(this.#kernel.buffer);
    // From the last to the first: each moves to where the one behind it stood.
    bytes.copyWithin(layout.numbers, old.numbers, old.numbers + 4 * this.#count);
    bytes.copyWithin(layout.scales, old.scales, old.scales + 4 * this.#count);
    bytes.copyWithin(layout.bits, old.bits, old.bits + this.#count * this.#bitBytes);
    // Where the bits stood, rows must begin with zeros behind their values.
    bytes.fill(0, old.values + this.#count * this.#rowBytes, layout.bits);
    this.#layout = layout;
    this.#view();
  }

  #view(): void {
    const { capacity, scales, numbers } = this.#layout;
    this.#scales = new Float32Array(this.#kernel.buffer, scales, capacity);
    this.#numbers = new Uint32Array(this.#kernel.buffer, numbers, capacity);
  }

  #move(from: number, to: number): void {
    if (from === to) return;
    const { values, bits } = this.#layout;
    const bytes = new Uint8Array(this.#kernel.buffer);
    const row = values + from * this.#rowBytes;
    bytes.copyWithin(values + to * this.#rowBytes, row, row + this.#rowBytes);
    const signs = bits + from * this.#bitBytes;
    bytes.copyWithin(bits + to * this.#bitBytes, signs, signs + this.#bitBytes);
    this.#scales[to] = this.#scales[from]!;
    this.#numbers[to] = this.#numbers[from]!;
  }
}
