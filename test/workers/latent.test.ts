import * as fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { decodeBasis, encodeBasis, foldText, packVector } from "../../workers/latent/basis.ts";
import { gram, orthonormalise, symmetricEigen } from "../../workers/latent/dense.ts";
import { fitBasis, strongestDirections } from "../../workers/latent/fit.ts";
import { weighTexts } from "../../workers/latent/term-matrix.ts";
import { countTerms, type TermCounts } from "../../workers/latent/terms.ts";
import { packTexts, unpackTexts } from "../../workers/latent/packed-texts.ts";
import { createTokenizer } from "../../workers/search/tokenizer.ts";

const tokenizer = createTokenizer();
afterAll(() => tokenizer.close());

const counts = (text: string): TermCounts => countTerms(tokenizer, text);
/** Two subjects: each text says some of its subject's words. */
const subjects = [
  "boat sail mast harbour anchor tide hull keel",
  "dough oven flour yeast crust butter sugar bread",
].map((words) => words.split(" "));
const texts = Array.from({ length: 40 }, (_, at) => {
  const words = subjects[at % 2]!;
  return [0, 1, 3].map((step) => words[(at + step) % words.length]).join(" ");
});

function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const dot = (x: ArrayLike<number>, y: ArrayLike<number>) =>
    Array.from(x, (value, at) => value * y[at]!).reduce((sum, value) => sum + value, 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

describe("terms", () => {
  it("are those of the word index: stems of English, pairs of Chinese, without what only carries grammar", () => {
    expect([...counts("The boats are sailing, the boat sails")]).toEqual([
      ["boat", 2],
      ["sail", 2],
    ]);
    expect([...counts("我们的向量检索").keys()]).toContain("向量");
    expect([...counts("什么的？").keys()]).toEqual([]);
  });

  it("of an endless word, a control character or an empty text are none", () => {
    for (const text of ["x".repeat(100_000), "\u0000\u0007", ""]) expect(counts(text).size).toBe(0);
  });
});

describe("directions", () => {
  const matrix = fc
    .array(fc.array(fc.nat({ max: 5 }), { minLength: 6, maxLength: 6 }), { minLength: 8, maxLength: 20 })
    .map((rows) =>
      rows.map((row) => new Map(row.flatMap((n, at) => (n > 0 ? [[`t${at}`, n] as const] : [])))),
    );

  it("span what a dense decomposition finds", () => {
    fc.assert(
      fc.property(matrix, (rows) => {
        const weighed = weighTexts(rows, 100);
        const { starts, terms, values } = weighed.texts;
        const width = weighed.terms.length;
        const dense = new Float32Array(rows.length * width);
        for (let text = 0; text < rows.length; text++)
          for (let at = starts[text]!; at < starts[text + 1]!; at++)
            dense[text * width + terms[at]!] = values[at]!;
        const exact = symmetricEigen(gram(dense, width), width);
        const { directions, count } = strongestDirections(weighed, 3);
        for (let at = 0; at < count; at++) {
          const column = Float64Array.from({ length: width }, (_, row) => directions[row * count + at]!);
          let energy = 0;
          for (let text = 0; text < rows.length; text++) {
            let product = 0;
            for (let row = 0; row < width; row++) product += dense[text * width + row]! * column[row]!;
            energy += product * product;
          }
          expect(energy).toBeCloseTo(exact.values[at]!, 2);
          expect(cosine(column, column)).toBeCloseTo(1, 5);
        }
      }),
      { numRuns: 40 },
    );
  });

  it("are orthonormal, and a column that others span is zero", () => {
    const matrix = Float32Array.from([1, 2, 2, 0, 1, 0, 3, 1, 6, 4, 0, 8]);
    orthonormalise(matrix, 3);
    const products = gram(matrix, 3);
    const wanted = [1, 0, 0, 0, 1, 0, 0, 0, 0];
    products.forEach((value, at) => expect(value).toBeCloseTo(wanted[at]!, 4));
  });
});

describe("a basis", () => {
  const few = { dimensions: 2, maxTerms: 100 };
  const basis = fitBasis(texts.map(counts), few)!;

  it("is the same for the same texts", () => {
    expect(encodeBasis(fitBasis(texts.map(counts), few)!)).toEqual(encodeBasis(basis));
  });

  it("brings texts of one subject together that share no word", () => {
    const [mast, keel, oven] = ["mast", "keel", "oven"].map((text) => foldText(basis, counts(text)).vector);
    expect(cosine(mast!, keel!)).toBeGreaterThan(0.5);
    expect(cosine(mast!, oven!)).toBeLessThan(0.2);
    expect(cosine(packVector(mast!), mast!)).toBeGreaterThan(0.999);
  });

  it("knows a share of a query, and has no direction for one of which it knows nothing", () => {
    expect(foldText(basis, counts("mast keel")).share).toBe(1);
    expect(foldText(basis, counts("mast telescope")).share).toBeCloseTo(0.5, 1);
    const nothing = foldText(basis, counts("telescope"));
    expect([nothing.share, ...packVector(nothing.vector)].every((value) => value === 0)).toBe(true);
  });

  it("comes back from its bytes; what is cut off or of another format is refused", () => {
    const bytes = encodeBasis(basis);
    expect(decodeBasis(bytes)).toEqual(basis);
    expect(() => decodeBasis(bytes.subarray(0, bytes.length - 1))).toThrow("cut off");
    expect(() => decodeBasis(new Uint8Array(20))).toThrow("format");
    expect(() => decodeBasis(new Uint8Array(3))).toThrow("format");
  });

  it("is not made of texts that have nothing in common, or nothing apart", () => {
    const other = Array.from({ length: 200 }, (_, at) => counts(`only${at} alone${at}`));
    const equal = Array.from({ length: 200 }, () => counts("the same words each time"));
    const empty = Array.from({ length: 200 }, () => counts("… — !"));
    for (const poor of [other, equal, empty, []]) expect(fitBasis(poor)).toBeNull();
  });

  it("of a huge vocabulary keeps to its bound", () => {
    const wide = Array.from({ length: 300 }, (_, at) =>
      counts(Array.from({ length: 60 }, (_, word) => `w${(at * 31 + word * 7) % 4000}`).join(" ")),
    );
    const bounded = fitBasis(wide, { dimensions: 8, maxTerms: 500 })!;
    expect([bounded.terms.size, bounded.dimensions]).toEqual([500, 8]);
  });
});

describe("a page of texts", () => {
  it("gives them back as they were", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme" })), (some) => {
        expect(unpackTexts(packTexts(some))).toEqual(some);
      }),
    );
    expect(() => unpackTexts({ ...packTexts(["ab"]), lengths: Uint32Array.of(3) })).toThrow("length");
  });
});
