import { KERNEL_CODE } from "./code.ts";

/**
 * Arithmetic over rows that lie in one buffer of bytes. Places are offsets in it, multiples of 16; each row takes a
 * multiple of 16 bytes. WebAssembly and plain JavaScript give the same numbers.
 */
export interface VectorKernel {
  /** Another one after `grow`. */
  readonly buffer: ArrayBuffer;
  /** Makes the buffer at least so large; what is in it stays. */
  grow(bytes: number): void;
  /** At `out`, for each of `size` rows of bits, in how many it differs from the query's (16 bits each). */
  distances(bits: number, size: number, rowBytes: number, query: number, out: number): void;
  /** At `out`, for each of the `count` rows named at `rows` (32 bits each), its product with the query (32 bits each). */
  products(values: number, rowBytes: number, query: number, rows: number, count: number, out: number): void;
}

type Distances = VectorKernel["distances"];
type Products = VectorKernel["products"];

const PAGE_BYTES = 65_536;

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
  const module = kernelModule();
  return module ? wasmKernel(module) : createPlainKernel();
}

function wasmKernel(module: WebAssembly.Module): VectorKernel {
  const memory = new WebAssembly.Memory({ initial: 1 });
  const { exports } = new WebAssembly.Instance(module, { host: { memory } });
  return {
    get buffer() {
      return memory.buffer;
    },
    grow(bytes) {
      const missing = bytes - memory.buffer.byteLength;
      if (missing > 0) memory.grow(Math.ceil(missing / PAGE_BYTES));
    },
    distances: exports["distances"] as Distances,
    products: exports["products"] as Products,
  };
}

export function createPlainKernel(): VectorKernel {
  let buffer = new ArrayBuffer(PAGE_BYTES);
  return {
    get buffer() {
      return buffer;
    },
    grow(bytes) {
      if (bytes <= buffer.byteLength) return;
      const wider = new ArrayBuffer(bytes);
      new Uint8Array(wider).set(new Uint8Array(buffer));
      buffer = wider;
    },
    distances(bits, size, rowBytes, query, out) {
      const rows = new Int32Array(buffer, bits, (size * rowBytes) / 4);
      const wanted = new Int32Array(buffer, query, rowBytes / 4);
      const distances = new Uint16Array(buffer, out, size);
      for (let row = 0, at = 0; row < size; row++) {
        let distance = 0;
        for (let word = 0; word < wanted.length; word++) distance += ones(rows[at++]! ^ wanted[word]!);
        distances[row] = distance;
      }
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

/** How many bits are set. */
function ones(word: number): number {
  const pairs = word - ((word >>> 1) & 0x5555_5555);
  const nibbles = (pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333);
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
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
