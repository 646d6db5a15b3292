import { rounded } from "./exact-cosine.ts";
import type { UnitSet } from "../hidden-units.ts";
import type { VectorKernel } from "../kernel/vector-kernel.ts";
import { PackedRows, type Extent } from "./packed-rows.ts";
import { BATCH_ROWS } from "./row-layout.ts";
import type { Neighbour, Scan, ScanThread } from "./scan-thread.ts";
import { createTopHeap } from "../ranking/top-heap.ts";
import type { VectorRow, VectorRun } from "./vector-run.ts";

/**
 * Below this many rows all are scored; above it those that are nearest by their signs, this many or this share: 2 % hold 48
 * of the 50 nearest of 65,000 passages, 3 % 49, 1 % 46 (vectors of the model and latent ones alike). Of signs that all weigh
 * the same it took 4 % for 46.
 */
const SCORED_ROWS = 2000;
const SCORED_SHARE = 0.02;
/** Units that tell how all lie. */
const SPREAD_UNITS = 1000;

/** Called with a row and its cosine with the query. */
type Scored = (row: number, cosine: number) => void;

/**
 * Vectors of int8 by their units' numbers: a quarter of the memory of float32, and quick to scan. Cosines are those of the
 * packed vectors: .0008 off the exact ones (root mean square, 128 dimensions), equal for equal vectors, 1 for the query's own.
 */
export class PackedVectors {
  readonly #packed: PackedRows;
  /** What a thread is looking for; until it is done, the memory is its. */
  #ahead: { readonly query: Float32Array; readonly k: number; readonly scan: Scan } | null = null;
  #isShared = false;
  #isLost = false;

  /** Of vectors that are packed in the kernel's memory already, to be read alone, where `extent` is told. */
  constructor(dimensions: number, kernel?: VectorKernel, extent?: Extent) {
    this.#packed = new PackedRows(dimensions, kernel, extent);
  }

  /** A thread has been given the memory. */
  get isShared(): boolean {
    return this.#isShared;
  }

  /** A thread did not give the memory back: nothing here can be relied on. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** Vectors. */
  get size(): number {
    return this.#packed.vectors;
  }

  /** Units, those that have no vector yet included. */
  get units(): number {
    return this.#packed.count;
  }

  /** Memory taken. */
  get bytes(): number {
    return this.#packed.bytes;
  }

  /**
   * Adds a unit, of a higher number than all before. Null keeps a place for a vector that comes later; one of length zero is
   * left out, for it is near nothing (K9.5).
   */
  append(number: number, vector: Float32Array | null): void {
    this.#settle();
    this.#packed.append(number, vector);
  }

  /** Adds a run of units, of higher numbers than all before. */
  appendRun(run: VectorRun): void {
    this.#packed.appendRun(run);
  }

  /** The vector of a unit that had none. */
  fill(number: number, vector: Float32Array): void {
    this.#settle();
    this.#packed.fill(number, vector);
  }

  /** Keeps only the units whose numbers are in `alive`, which ascend. */
  retain(alive: Iterable<number>): void {
    this.#settle();
    this.#packed.retain(alive);
  }

  /**
   * Has the k nearest of all units looked for on the thread, where they are many: `top` of the same query then takes what was
   * found. The query must stay as it is until then.
   */
  begin(query: Float32Array, k: number, thread: ScanThread): void {
    this.#settle();
    const rows = this.#packed.shared;
    if (!rows || k < 1) return;
    const scale = this.#packed.ask(query);
    const scan = scale === 0 ? null : thread.begin({ ...rows, scale, k });
    if (!scan) return;
    this.#isShared = true;
    this.#ahead = { query, k, scan };
  }

  /** The k units of the largest cosine above zero, best first, equal ones by number. `accept` null takes any. */
  top(query: Float32Array, k: number, accept: UnitSet | null): Neighbour[] {
    const ahead = this.#ahead;
    const found = this.#settle();
    if (found && accept === null && ahead?.query === query && ahead.k === k) return found;
    return this.nearestOf(this.#packed.ask(query), k, accept);
  }

  /** The same for the query that the rows were asked of last; `scale` is one by its length. */
  nearestOf(scale: number, k: number, accept: UnitSet | null): Neighbour[] {
    if (scale === 0 || k < 1) return [];
    const { numbers, count } = this.#packed;
    const heap = createTopHeap(k);
    let least = heap.least();
    const take: Scored = (row, cosine) => {
      if (cosine <= least || accept?.has(numbers[row]!) === false) return;
      heap.push(row, cosine);
      least = heap.least();
    };
    const bound = this.#boundFor(accept);
    for (let from = 0; from < count; from += BATCH_ROWS) {
      const named = bound === null ? this.#nameAccepted(from, accept) : this.#packed.nameNear(from, bound);
      this.#score(from, named, scale, take);
    }
    const nearest = heap
      .sorted()
      .map(({ row, score }) => ({ number: numbers[row]!, cosine: rounded(score) }));
    return nearest.filter(({ cosine }) => cosine > 0);
  }

  /** Of those of the units that have a vector here. */
  cosines(query: Float32Array, numbers: Iterable<number>): Map<number, number> {
    this.#settle();
    const cosines = new Map<number, number>();
    const scale = this.#packed.ask(query);
    if (scale === 0) return cosines;
    const rows = Uint32Array.from(
      [...numbers].map((number) => this.#packed.rowOf(number)).filter((row) => row >= 0),
    );
    this.#scoreRows(rows, scale, (row, cosine) => cosines.set(this.#packed.numbers[row]!, rounded(cosine)));
    return cosines;
  }

  /** What `cosines` would tell of vectors that are not here, of those that have a direction. */
  cosinesOf(query: Float32Array, vectors: readonly VectorRow[]): Map<number, number> {
    this.#settle();
    const cosines = new Map<number, number>();
    const scale = this.#packed.ask(query);
    if (scale === 0) return cosines;
    for (const [number, vector] of vectors) {
      const other = vector && this.#packed.productOf(vector);
      if (other && other.scale !== 0) cosines.set(number, rounded(other.product * other.scale * scale));
    }
    return cosines;
  }

  /** Mean and standard deviation of the cosines with the query, of a sample of units spread over all. */
  spread(query: Float32Array): { mean: number; deviation: number } {
    this.#settle();
    const scale = this.#packed.ask(query);
    const units = this.units;
    const sample = scale === 0 ? 0 : Math.min(units, SPREAD_UNITS);
    const rows = new Uint32Array(sample);
    for (let at = 0; at < sample; at++) rows[at] = Math.floor((at * units) / sample);
    let count = 0;
    let sum = 0;
    let squares = 0;
    this.#scoreRows(rows, scale, (_, cosine) => {
      count++;
      sum += cosine;
      squares += cosine * cosine;
    });
    if (count === 0) return { mean: 0, deviation: 0 };
    const mean = sum / count;
    return { mean, deviation: Math.sqrt(Math.max(0, squares / count - mean * mean)) };
  }

  /** Waits for the thread, if it has the memory. Throws when it does not answer. */
  #settle(): Neighbour[] | null {
    const ahead = this.#ahead;
    this.#ahead = null;
    if (!ahead) return null;
    // Until it has answered it may still write.
    this.#isLost = true;
    const found = ahead.scan.wait();
    this.#isLost = false;
    return found;
  }

  /** What is nearer than this by its signs is worth scoring; null when all that is accepted is. */
  #boundFor(accept: UnitSet | null): number | null {
    const wanted = Math.max(SCORED_ROWS, Math.ceil(this.units * SCORED_SHARE));
    // Of few accepted units the nearest by signs may hold none.
    const few = accept !== null && accept.size < this.units / 2;
    return this.units <= wanted || few ? null : this.#packed.measure(wanted);
  }

  #nameAccepted(from: number, accept: UnitSet | null): number {
    const numbers = this.#packed.numbers.subarray(from, Math.min(from + BATCH_ROWS, this.units));
    const rows: number[] = [];
    for (let row = 0; row < numbers.length; row++) {
      if (accept === null || accept.has(numbers[row]!)) rows.push(row);
    }
    return this.#packed.name(rows);
  }

  #scoreRows(rows: Uint32Array, scale: number, scored: Scored): void {
    for (let from = 0; from < rows.length; from += BATCH_ROWS) {
      this.#score(0, this.#packed.name(rows.subarray(from, from + BATCH_ROWS)), scale, scored);
    }
  }

  /** Rows that are named, counted from `from`, as far as they have a vector. */
  #score(from: number, named: number, scale: number, scored: Scored): void {
    const { rows, products } = this.#packed.products(from, named);
    const { scales } = this.#packed;
    for (let at = 0; at < named; at++) {
      const row = from + rows[at]!;
      if (scales[row] !== 0) scored(row, products[at]! * scales[row]! * scale);
    }
  }
}
