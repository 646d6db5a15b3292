import type { UnitSet } from "./hidden-units.ts";
import { createVectorKernel, type VectorKernel } from "./kernel/vector-kernel.ts";
import { createTopHeap } from "./top-heap.ts";

/**
 * Below this many rows all are scored; above it those that are nearest by their signs, this many or this share. Half as
 * many changed one hybrid answer of 278, twice as many none (128 dimensions, 130,000 passages).
 */
const SCORED_ROWS = 5000;
const SCORED_SHARE = 0.04;
/** Rows that tell how all lie. */
const SPREAD_ROWS = 1000;
const FIRST_CAPACITY = 1024;
/** Room for so many times the rows, and from LARGE on, where it is worth 70 MB at a million rows, for fewer. */
const GROWTH = 1.5;
const LARGE = 100_000;
const LARGE_GROWTH = 1.1;
const STEP_BYTES = 16;

/** Where in the kernel's buffer what lies. */
interface Layout {
  readonly capacity: number;
  /** The query as values and as bits. */
  readonly query: number;
  readonly queryBits: number;
  readonly values: number;
  readonly bits: number;
  /** Scratch: of each row its distance, the rows that are worth scoring, and their products. */
  readonly distances: number;
  readonly chosen: number;
  readonly products: number;
  readonly end: number;
}

/** Rows of int8 with their unit numbers: a quarter of the memory of float32, and quick to scan. */
export class PackedVectors {
  readonly dimensions: number;
  readonly #kernel: VectorKernel;
  readonly #rowBytes: number;
  readonly #bitBytes: number;
  #layout: Layout;
  #scales: Float32Array;
  #numbers: Float64Array;
  #size = 0;

  constructor(dimensions: number, kernel: VectorKernel = createVectorKernel()) {
    this.dimensions = dimensions;
    this.#kernel = kernel;
    this.#rowBytes = whole(dimensions);
    this.#bitBytes = whole(dimensions / 8);
    this.#layout = this.#layoutFor(FIRST_CAPACITY);
    this.#scales = new Float32Array(FIRST_CAPACITY);
    this.#numbers = new Float64Array(FIRST_CAPACITY);
    kernel.grow(this.#layout.end);
  }

  get size(): number {
    return this.#size;
  }

  /** Memory taken. */
  get bytes(): number {
    return this.#kernel.buffer.byteLength + this.#scales.byteLength + this.#numbers.byteLength;
  }

  /** Adds a row; a vector of length zero is left out, for it is near nothing (K9.5). */
  append(number: number, vector: Float32Array): void {
    if (this.#size === this.#layout.capacity) this.#grow();
    const row = this.#size;
    const scale = this.#write(vector, this.#layout.values + row * this.#rowBytes);
    if (scale === 0) return;
    this.#writeSigns(this.#layout.values + row * this.#rowBytes, this.#layout.bits + row * this.#bitBytes);
    this.#scales[row] = scale;
    this.#numbers[row] = number;
    this.#size++;
  }

  /** The k rows of the largest approximate cosine, best first. `accept` null takes any. */
  top(query: Float32Array, k: number, accept: UnitSet | null): { number: number; cosine: number }[] {
    const { query: place, queryBits, values, chosen, products } = this.#layout;
    const queryScale = this.#write(query, place);
    if (queryScale === 0 || k < 1) return [];
    this.#writeSigns(place, queryBits);
    const count = this.#choose(accept);
    this.#kernel.products(values, this.#rowBytes, place, chosen, count, products);
    const rows = new Uint32Array(this.#kernel.buffer, chosen, count);
    const found = new Int32Array(this.#kernel.buffer, products, count);
    const [scales, numbers] = [this.#scales, this.#numbers];
    const heap = createTopHeap(k);
    let least = heap.least();
    for (let at = 0; at < count; at++) {
      const row = rows[at]!;
      const cosine = found[at]! * scales[row]! * queryScale;
      if (cosine <= least || accept?.has(numbers[row]!) === false) continue;
      heap.push(row, cosine);
      least = heap.least();
    }
    return heap.sorted().map(({ row, score }) => ({ number: numbers[row]!, cosine: score }));
  }

  /** Mean and standard deviation of the approximate cosines with the query, of a sample of rows spread over all. */
  spread(query: Float32Array): { mean: number; deviation: number } {
    const { query: place, values, chosen, products } = this.#layout;
    const queryScale = this.#write(query, place);
    const count = Math.min(this.#size, SPREAD_ROWS);
    if (queryScale === 0 || count === 0) return { mean: 0, deviation: 0 };
    const rows = new Uint32Array(this.#kernel.buffer, chosen, count);
    for (let at = 0; at < count; at++) rows[at] = Math.floor((at * this.#size) / count);
    this.#kernel.products(values, this.#rowBytes, place, chosen, count, products);
    const found = new Int32Array(this.#kernel.buffer, products, count);
    let sum = 0;
    let squares = 0;
    for (let at = 0; at < count; at++) {
      const cosine = found[at]! * this.#scales[rows[at]!]! * queryScale;
      sum += cosine;
      squares += cosine * cosine;
    }
    const mean = sum / count;
    return { mean, deviation: Math.sqrt(Math.max(0, squares / count - mean * mean)) };
  }

  /** Keeps only the rows whose numbers are in `alive`. */
  retain(alive: ReadonlySet<number>): void {
    let kept = 0;
    for (let row = 0; row < this.#size; row++) {
      if (alive.has(this.#numbers[row]!)) this.#move(row, kept++);
    }
    this.#size = kept;
  }

  /** Names the rows that are worth scoring; answers how many. */
  #choose(accept: UnitSet | null): number {
    const wanted = Math.max(SCORED_ROWS, Math.ceil(this.#size * SCORED_SHARE));
    // Of few accepted rows the nearest by signs may hold none.
    const few = accept !== null && accept.size < this.#size / 2;
    if (this.#size > wanted && !few) return this.#chooseBySigns(wanted);
    const rows = new Uint32Array(this.#kernel.buffer, this.#layout.chosen, this.#size);
    let count = 0;
    for (let row = 0; row < this.#size; row++) {
      if (accept === null || accept.has(this.#numbers[row]!)) rows[count++] = row;
    }
    return count;
  }

  /** Those whose signs differ least from the query's, in their order. */
  #chooseBySigns(wanted: number): number {
    const { bits, queryBits, distances, chosen } = this.#layout;
    this.#kernel.distances(bits, this.#size, this.#bitBytes, queryBits, distances);
    const found = new Uint16Array(this.#kernel.buffer, distances, this.#size);
    const counts = new Uint32Array(8 * this.#bitBytes + 1);
    for (let row = 0; row < found.length; row++) counts[found[row]!]!++;
    let bound = 0;
    let within = 0;
    while (bound < counts.length && within < wanted) within += counts[bound++]!;
    const rows = new Uint32Array(this.#kernel.buffer, chosen, within);
    for (let row = 0, at = 0; row < found.length; row++) if (found[row]! < bound) rows[at++] = row;
    return within;
  }

  /** As int8; answers what one step is worth once it is normalised, 0 for a vector without direction. */
  #write(vector: Float32Array, place: number): number {
    let norm = 0;
    let largest = 0;
    for (const value of vector) {
      norm += value * value;
      largest = Math.max(largest, Math.abs(value));
    }
    if (!Number.isFinite(norm) || norm === 0) return 0;
    const factor = 127 / largest;
    const into = new Int8Array(this.#kernel.buffer, place, vector.length);
    for (let at = 0; at < vector.length; at++) into[at] = Math.round(vector[at]! * factor);
    return largest / 127 / Math.sqrt(norm);
  }

  /** Which values are above zero, one bit each. */
  #writeSigns(from: number, to: number): void {
    const values = new Int8Array(this.#kernel.buffer, from, this.dimensions);
    const bits = new Int32Array(this.#kernel.buffer, to, this.#bitBytes / 4).fill(0);
    for (let at = 0; at < values.length; at++) if (values[at]! > 0) bits[at >> 5]! |= 1 << (at & 31);
  }

  #layoutFor(capacity: number): Layout {
    let end = 0;
    const take = (bytes: number): number => {
      const place = end;
      end += whole(bytes);
      return place;
    };
    return {
      capacity,
      query: take(this.#rowBytes),
      queryBits: take(this.#bitBytes),
      values: take(capacity * this.#rowBytes),
      bits: take(capacity * this.#bitBytes),
      distances: take(capacity * 2),
      chosen: take(capacity * 4),
      products: take(capacity * 4),
      end,
    };
  }

  #grow(): void {
    const old = this.#layout;
    const layout = this.#layoutFor(Math.ceil(old.capacity * (old.capacity < LARGE ? GROWTH : LARGE_GROWTH)));
    this.#kernel.grow(layout.end);
    const bytes = new Uint8Array(this.#kernel.buffer);
    bytes.copyWithin(layout.bits, old.bits, old.bits + this.#size * this.#bitBytes);
    // Where the bits stood, rows must begin with zeros behind their values.
    bytes.fill(0, old.values + this.#size * this.#rowBytes, layout.bits);
    this.#layout = layout;
    this.#scales = wider(this.#scales, new Float32Array(layout.capacity));
    this.#numbers = wider(this.#numbers, new Float64Array(layout.capacity));
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

/** What so many bytes take in steps of the kernel. */
function whole(bytes: number): number {
  return Math.ceil(bytes / STEP_BYTES) * STEP_BYTES;
}

function wider<T extends Float32Array | Float64Array>(old: T, into: T): T {
  into.set(old);
  return into;
}
