import type { TextTokenizer } from "./packages.ts";

/** The texts of one run of the model, by their place in what was asked. */
export interface TokenBatch {
  readonly places: readonly number[];
  readonly ids: readonly (readonly number[])[];
}

/** Tokens of one run, padding included: some 50 to 300 ms for usual models on two cores, which is what a query may wait. */
const TOKENS_PER_RUN = 1024;
/** A text has no more characters for a token than this, nearly always; what lies behind is not looked at. */
const CHARACTERS_PER_TOKEN = 16;

/** Token ids of a text with the model's own marks around it, `maxTokens` at most. */
export function createEncoder(
  tokenizer: TextTokenizer,
  maxTokens: number,
): (text: string) => readonly number[] {
  const marked = tokenizer.encode("a").ids;
  const [bare] = tokenizer.encode("a", { add_special_tokens: false }).ids;
  const before = Math.max(0, bare === undefined ? 0 : marked.indexOf(bare));
  const after = bare === undefined ? 0 : Math.max(0, marked.length - before - 1);
  return (text) => {
    const { ids } = tokenizer.encode(text.slice(0, maxTokens * CHARACTERS_PER_TOKEN));
    if (ids.length <= maxTokens) return ids;
    return [...ids.slice(0, maxTokens - after), ...(after > 0 ? ids.slice(-after) : [])];
  };
}

/** Texts of like length together, so that little of a run is padding. */
export function planRuns(encoded: readonly (readonly number[])[]): TokenBatch[] {
  const order = encoded.map((_, place) => place).sort((a, b) => encoded[a]!.length - encoded[b]!.length);
  const batches: { places: number[]; ids: (readonly number[])[] }[] = [];
  for (const place of order) {
    const ids = encoded[place]!;
    const last = batches.at(-1);
    // The longest comes last, and the others are filled up to it.
    if (last && (last.ids.length + 1) * ids.length <= TOKENS_PER_RUN) {
      last.places.push(place);
      last.ids.push(ids);
    } else batches.push({ places: [place], ids: [ids] });
  }
  return batches;
}
