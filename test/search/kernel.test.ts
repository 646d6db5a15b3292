import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { KERNEL_CODE } from "../../workers/search/kernel/code.ts";
import { ESCAPE_CODE } from "../../workers/search/kernel/escape-code.ts";
import { createEscapeKernel, plainKernel } from "../../workers/search/kernel/escape-kernel.ts";
import {
  createPlainKernel,
  createVectorKernel,
  type VectorKernel,
} from "../../workers/search/kernel/vector-kernel.ts";
import { PackedVectors } from "../../workers/search/vectors/packed-vectors.ts";

const ROWS = 7;
/** Bits of one row weigh no more than this together. */
const HEAVIEST_ROW = 3 * 8 * 20 * 16;

interface Results {
  readonly distances: number[];
  /** How many rows have each distance. */
  readonly counts: ReadonlyMap<number, number>;
  readonly products: number[];
}

/** Fills a kernel's buffer with the same bytes, the query and what its bits weigh first, and answers all over all rows. */
function results(kernel: VectorKernel, bytes: Uint8Array, rowBytes: number): Results {
  const query = 0;
  const rows = 3 * rowBytes;
  const named = rows + ROWS * rowBytes;
  const out = named + 32;
  const counts = out + 64;
  kernel.grow(counts + 4 * (HEAVIEST_ROW + 1));
  new Uint8Array(kernel.buffer).set(bytes.subarray(0, rows + ROWS * rowBytes));
  kernel.distances(rows, ROWS, rowBytes, query, out, counts);
  const distances = [...new Uint16Array(kernel.buffer, out, ROWS)];
  const counted = [...new Uint32Array(kernel.buffer, counts, HEAVIEST_ROW + 1).entries()];
  const order = Array.from({ length: ROWS }, (_, at) => ROWS - 1 - at);
  new Uint32Array(kernel.buffer, named, ROWS).set(order);
  kernel.products(rows, rowBytes, query, named, ROWS, out);
  return {
    distances,
    counts: new Map(counted.filter(([, count]) => count > 0)),
    products: [...new Int32Array(kernel.buffer, out, ROWS)],
  };
}

/** Bit by bit. */
function distanceOf(bytes: Uint8Array, rowBytes: number, row: number): number {
  const bit = (part: number, at: number): number => (bytes[part * rowBytes + (at >> 3)]! >> (at & 7)) & 1;
  let distance = 0;
  for (let at = 0; at < 8 * rowBytes; at++) {
    if (bit(3 + row, at) !== bit(0, at)) distance += bit(1, at) + 2 * bit(2, at);
  }
  return distance;
}

describe("kernels in WebAssembly", () => {
  it.each([
    ["kernel.wat", KERNEL_CODE],
    ["escape.wat", ESCAPE_CODE],
  ])("what stands in the code is %s, compiled by npm run kernel", async (source, code) => {
    const { href } = new URL("../support/compile-kernel.mjs", import.meta.url);
    const { compileKernel } = (await import(href)) as { compileKernel: (source: string) => Promise<string> };
    expect(await compileKernel(source)).toBe(code);
  });
});

describe("the kernel that escapes texts", () => {
  const escape = createEscapeKernel();
  const parsed = (escaped: string): unknown => JSON.parse(`"${Buffer.from(escaped, "latin1").toString()}"`);

  it("runs as WebAssembly where the processor can", () => {
    expect(escape).not.toBe(plainKernel);
  });

  it("gives the same bytes in WebAssembly and in JavaScript, for texts of any kind and length", () => {
    const letters = fc.constantFrom(...'ab"\\\n\t\r\b\f\0\u001f\u0010\u007f\u2028é語😀'.match(/./gsu)!);
    const text = fc.array(fc.oneof(letters, fc.constant("plain text of sixteen and more")), {
      maxLength: 80,
    });
    fc.assert(
      fc.property(text, (parts) => {
        const given = parts.join("");
        expect(escape(given)).toBe(plainKernel(given));
        expect(parsed(escape(given))).toBe(given);
      }),
      { numRuns: 300 },
    );
  });

  it("escapes every character that JSON must, at every place of sixteen, and long texts after short ones", () => {
    for (let unit = 0; unit < 0x100; unit++) {
      const given = `${"x".repeat(unit % 17)}${String.fromCharCode(unit)}y`;
      expect(escape(given)).toBe(plainKernel(given));
    }
    const long = "\0語\n".repeat(200_000);
    expect(escape(long)).toBe(plainKernel(long));
    expect(escape("")).toBe("");
  });
});

describe("the kernel of the vector lane", () => {
  it("gives the same numbers in WebAssembly and in JavaScript, for any bytes and any length of a row", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.integer(), (steps, seed) => {
        const rowBytes = steps * 16;
        let state = seed >>> 0;
        const bytes = Uint8Array.from({ length: (ROWS + 3) * rowBytes }, () => {
          state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
          return state >>> 24;
        });
        const found = results(createVectorKernel(), bytes, rowBytes);
        expect(found).toEqual(results(createPlainKernel(), bytes, rowBytes));
        const [row, last] = [state >>> 30, ROWS - 1];
        for (const at of [row, last]) expect(found.distances[at]).toBe(distanceOf(bytes, rowBytes, at));
        for (const [distance, count] of found.counts)
          expect(found.distances.filter((one) => one === distance)).toHaveLength(count);
      }),
      { numRuns: 60 },
    );
  });

  it("chooses the rows below a bound in their order, however many there are and whatever stands behind them", () => {
    const kernels = [createVectorKernel(), createPlainKernel()];
    const distance = fc.integer({ min: 0, max: 65_535 });
    fc.assert(
      fc.property(fc.array(distance, { maxLength: 40 }), distance, (distances, bound) => {
        const wanted = distances.flatMap((one, at) => (one < bound ? [at] : []));
        for (const kernel of kernels) {
          new Uint16Array(kernel.buffer, 0, 64).fill(0).set(distances);
          const count = kernel.choose(0, distances.length, bound, 256);
          expect([...new Uint32Array(kernel.buffer, 256, count)]).toEqual(wanted);
        }
      }),
    );
  });

  it("counts no row that is not there, and takes the extremes of int8", () => {
    for (const kernel of [createVectorKernel(), createPlainKernel()]) {
      kernel.grow(256);
      const bytes = new Int8Array(kernel.buffer);
      bytes.fill(-128, 0, 32);
      bytes.fill(99, 64, 128);
      kernel.products(16, 16, 0, 32, 1, 48);
      expect(new Int32Array(kernel.buffer, 48, 1)[0]).toBe(16 * 128 * 128);
      kernel.products(16, 16, 0, 32, 0, 64);
      kernel.distances(16, 0, 16, 0, 64, 96);
      expect(kernel.choose(16, 0, 65_535, 64)).toBe(0);
      expect(bytes.subarray(64, 128).every((value) => value === 99)).toBe(true);
    }
  });

  it.each([31, 32, 33, 100, 128, 130, 384])(
    "finds the same rows of %i dimensions with either, however the pack grew and shrank",
    (dimensions) => {
      let state = dimensions;
      const next = (): number => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
        return state / 2 ** 31 - 1;
      };
      const vectors = Array.from({ length: 9000 }, () => Float32Array.from({ length: dimensions }, next));
      const packs = [new PackedVectors(dimensions), new PackedVectors(dimensions, createPlainKernel())];
      for (const pack of packs) {
        for (const [at, vector] of vectors.entries()) pack.append(at + 1, vector);
      }
      const query = vectors[77]!;
      const [first, second] = packs.map((pack) => pack.top(query, 30, null));
      expect(first).toEqual(second);
      expect(first?.[0]?.cosine).toBeCloseTo(1, 1);
      const alive = vectors.map((_, at) => at + 1).filter((number) => number % 3 !== 0);
      const kept = packs.map((pack) => {
        pack.retain(alive);
        pack.append(9001, query);
        return pack.top(query, 30, null);
      });
      expect(kept[0]).toEqual(kept[1]);
      expect(kept[0]?.map(({ number }) => number)).toContain(9001);
      expect(kept[0]?.every(({ number }) => number === 9001 || number % 3 !== 0)).toBe(true);
    },
  );
});
