import { ReadProblem } from "../reader.ts";

/** Below this share of pages with text a document is a scan. */
const MIN_TEXT_PAGES = 0.1;
/** Letters and digits that make a page one with text. */
const MIN_LETTERS = 2;
/** Above this share of signs that mean nothing the text layer is garbage. */
const MAX_GARBAGE = 0.3;
const meaningless = /[\uFFFD\p{Co}\p{Cn}]|(?![\t\n\f\r])\p{Cc}/gu;
const letters = /[\p{L}\p{N}\p{So}\p{Sm}]/gu;
const SAMPLE = 200_000;

/** @throws ReadProblem no_text_layer or bad_text_layer when the pages hold nothing a person could search. */
export function checkTextLayer(pages: readonly string[]): void {
  const withText = pages.filter((page) => count(page.slice(0, 5000), letters) >= MIN_LETTERS).length;
  const sample = pages.join("").slice(0, SAMPLE).replaceAll(/\s+/g, "");
  const garbage = count(sample, meaningless);
  if (sample.length >= MIN_LETTERS && garbage > sample.length * MAX_GARBAGE) {
    const share = Math.round((garbage / sample.length) * 100);
    throw new ReadProblem(
      "bad_text_layer",
      `${share} % of the signs in its text layer mean nothing. Run it through OCR again, or export it anew.`,
    );
  }
  if (withText === 0 || withText < pages.length * MIN_TEXT_PAGES) {
    throw new ReadProblem(
      "no_text_layer",
      `No extractable text: ${pages.length} page(s) of images, ${withText} with text. Run OCR over it first.`,
    );
  }
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
