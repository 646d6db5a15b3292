import type { FitLatentInput, FitLatentOutput, FoldLatentInput, FoldLatentOutput } from "../contract.ts";
import { createTokenizer, type Tokenizer } from "../search/tokenizer.ts";
import { decodeBasis, encodeBasis, foldText, packVector, type LatentBasis } from "./basis.ts";
import { fitBasis } from "./fit.ts";
import { countTerms } from "./terms.ts";
import { unpackTexts } from "./packed-texts.ts";

/** One a thread, for the threads' whole life. */
let tokenizer: Tokenizer | undefined;
/** The basis that was folded with last. */
let loaded: { readonly key: string; readonly basis: LatentBasis } | undefined;

export function fitLatent({ pages }: FitLatentInput): FitLatentOutput {
  const words = (tokenizer ??= createTokenizer());
  const counts = pages.flatMap((page) => unpackTexts(page).map((text) => countTerms(words, text)));
  const basis = fitBasis(counts);
  return { basis: basis && { dimensions: basis.dimensions, bytes: encodeBasis(basis) } };
}

export function foldLatent({ key, basis, page }: FoldLatentInput): FoldLatentOutput {
  if (basis) loaded = { key, basis: decodeBasis(basis) };
  if (loaded?.key !== key) return { vectors: null };
  const words = (tokenizer ??= createTokenizer());
  const texts = unpackTexts(page);
  const { dimensions } = loaded.basis;
  const vectors = new Int8Array(texts.length * dimensions);
  for (const [at, text] of texts.entries()) {
    const { vector } = foldText(loaded.basis, countTerms(words, text));
    vectors.set(packVector(vector), at * dimensions);
  }
  return { vectors };
}
