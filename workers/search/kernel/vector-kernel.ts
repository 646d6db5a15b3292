import { KERNEL_CODE } from "./code.ts";

/**
 * Arithmetic over rows that lie in one buffer of bytes. Places are offsets in it, multiples of 16; each row takes a
 * multiple of 16 bytes. WebAssembly and plain JavaScript give the same numbers.
 */
export interface VectorKernel {
  /** Another one after `grow`. */
  readonly buffer: ArrayBufferLike;
  /** By which another thread works on the same bytes; null where none can. */
  readonly memory: WebAssembly.Memory | null;
  /** Makes the buffer at least so large; what is in it stays. */
  grow(bytes: number): void;
  /**
   * At `out`, for each of `size` rows of bits, what those weigh that differ from the query's (16 bits each); and at
   * `counts`, for each such weight, one more for each row that has it (32 bits each). At `query` stand its bits, then which
   * of them weigh one more than nothing, then which weigh two more; `rowBytes` each.
   */
  distances(bits: number, size: number, rowBytes: number, query: number, out: number, counts: number): void;
  /** At `out`, which of `size` distances are below the bound, in their order (32 bits each); answers how many. */
  choose(distances: number, size: number, bound: number, out: number): number;
  /** At `out`, for each of the `count` rows named at `rows` (32 bits each), its product with the query (32 bits each). */
  products(values: number, rowBytes: number, query: number, rows: number, count: number, out: number): void;
}

type Distances = VectorKernel["distances"];
type Choose = VectorKernel["choose"];
type Products = VectorKernel["products"];

const PAGE_BYTES = 65_536;
/** As the module says: 4 GB, of which nothing is taken before it is used. */
const MOST_PAGES = 65_536;
/** Values of a byte. */
const BYTES = 256;

let compiled: WebAssembly.Module | null | undefined;

/** Null where the processor, or this Node, has no 128-bit instructions for WebAssembly. */
function kernelModule(): WebAssembly.Module | null {
  if (compiled !== undefined) return compiled;
  try {
    compiled = new WebAssembly.Module(Buffer.from(KERNEL_CODE, "base64"));
  } catch {
    // The plain one gives the same answers.
    compiled = null;
  }
  return compiled;
}

export function createVectorKernel(): VectorKernel {
  const memory = kernelModule() && sharedMemory();
  return memory ? kernelOver(memory) : createPlainKernel();
}

/** Null where there are no addresses left for it. */
function sharedMemory(): WebAssembly.Memory | null {
  try {
    return new WebAssembly.Memory({ initial: 1, maximum: MOST_PAGES, shared: true });
  } catch {
    // The plain one gives the same answers.
    return null;
  }
}

/** A kernel over the memory of another one, for another thread. Throws where `createVectorKernel` would give a plain one. */
export function kernelOver(memory: WebAssembly.Memory): VectorKernel {
  const module = kernelModule();
  if (!module) throw new Error("there are no 128-bit instructions");
  const { exports } = new WebAssembly.Instance(module, { host: { memory } });
  return {
    memory,
    get buffer() {
      return memory.buffer;
    },
    grow(bytes) {
      const missing = bytes - memory.buffer.byteLength;
      if (missing > 0) memory.grow(Math.ceil(missing / PAGE_BYTES));
    },
    distances: exports["distances"] as Distances,
    choose: exports["choose"] as Choose,
    products: exports["products"] as Products,
  };
}

export function createPlainKernel(): VectorKernel {
  let buffer = new ArrayBuffer(PAGE_BYTES);
  return {
    memory: null,
    get buffer() {
      return buffer;
    },
    grow(bytes) {
      if (bytes <= buffer.byteLength) return;
      const wider = new ArrayBuffer(bytes);
      new Uint8Array(wider).set(new Uint8Array(buffer));
      buffer = wider;
    },
    distances(bits, size, rowBytes, query, out, counts) {
      const rows = new Uint8Array(buffer, bits, size * rowBytes);
      const weights = weightsOfBytes(new Uint8Array(buffer, query, 3 * rowBytes), rowBytes);
      const distances = new Uint16Array(buffer, out, size);
      const counted = new Uint32Array(buffer, counts);
      for (let row = 0, at = 0; row < size; row++) {
        let distance = 0;
        for (let byte = 0; byte < weights.length; byte += BYTES) distance += weights[byte + rows[at++]!]!;
        distances[row] = distance;
        counted[distance]!++;
      }
    },
    choose(distances, size, bound, out) {
      const found = new Uint16Array(buffer, distances, size);
      const chosen = new Uint32Array(buffer, out);
      let count = 0;
      for (let row = 0; row < size; row++) if (found[row]! < bound) chosen[count++] = row;
      return count;
    },
    products(values, rowBytes, query, rows, count, out) {
      const all = new Int8Array(buffer);
      const named = new Uint32Array(buffer, rows, count);
      const products = new Int32Array(buffer, out, count);
      for (let at = 0; at < count; at++)
        products[at] = product(all, values + named[at]! * rowBytes, query, rowBytes);
    },
  };
}

/** For each byte of a row and each of its 256 values: what its bits weigh that differ from the query's. */
function weightsOfBytes(query: Uint8Array, rowBytes: number): Uint16Array {
  const weights = new Uint16Array(rowBytes * BYTES);
  for (let byte = 0; byte < rowBytes; byte++) {
    const [wanted, one, two] = [query[byte]!, query[rowBytes + byte]!, query[2 * rowBytes + byte]!];
    for (let value = 0; value < BYTES; value++) {
      const differ = value ^ wanted;
      weights[byte * BYTES + value] = ones(differ & one) + 2 * ones(differ & two);
    }
  }
  return weights;
}

/** How many bits of a byte are set. */
function ones(byte: number): number {
  const pairs = byte - ((byte >>> 1) & 0x55);
  const nibbles = (pairs & 0x33) + ((pairs >>> 2) & 0x33);
  return (nibbles + (nibbles >>> 4)) & 0x0f;
}

/** Four sums at once keep the processor's pipelines full: a third faster than one. */
function product(values: Int8Array, row: number, query: number, length: number): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  for (let at = 0; at < length; at += 4) {
    a = (a + Math.imul(values[row + at]!, values[query + at]!)) | 0;
    b = (b + Math.imul(values[row + at + 1]!, values[query + at + 1]!)) | 0;
    c = (c + Math.imul(values[row + at + 2]!, values[query + at + 2]!)) | 0;
    d = (d + Math.imul(values[row + at + 3]!, values[query + at + 3]!)) | 0;
  }
  return (a + b + c + d) | 0;
}
