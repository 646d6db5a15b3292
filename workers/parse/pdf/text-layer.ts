import { ReadProblem } from "../reader.ts";
import { pageList } from "./page-list.ts";

/** Below this share of pages with text a document is a scan. */
const MIN_TEXT_PAGES = 0.1;
/** Letters and digits that make a page one with text. */
const MIN_LETTERS = 2;
/** Above this share of signs that mean nothing the text layer is garbage. */
const MAX_GARBAGE = 0.3;
const meaningless = /[\uFFFD\p{Co}\p{Cn}]|(?![\t\n\f\r])\p{Cc}/gu;
const letters = /[\p{L}\p{N}\p{So}\p{Sm}]/gu;
const SAMPLE = 20_000;

/**
 * Tells which pages have text that a person could search. The others' texts become empty, and a warning names them.
 * @throws ReadProblem no_text_layer or bad_text_layer when hardly a page is left.
 */
export function checkTextLayer(pages: readonly string[], warnings: string[]): string[] {
  const samples = pages.map((page) => page.slice(0, SAMPLE).replaceAll(/\s+/g, ""));
  const garbage = samples.map((sample) => count(sample, meaningless));
  const bad = samples.map(
    (sample, page) => sample.length >= MIN_LETTERS && (garbage[page] ?? 0) > sample.length * MAX_GARBAGE,
  );
  const filled = samples.map(
    (sample, page) => bad[page] === false && count(sample.slice(0, 5000), letters) >= MIN_LETTERS,
  );
  const good = filled.filter(Boolean).length;
  const badCount = bad.filter(Boolean).length;
  if (badCount > 0 && good < pages.length * MIN_TEXT_PAGES) throw badLayer(samples, garbage, bad);
  if (good === 0 || good < pages.length * MIN_TEXT_PAGES) {
    throw new ReadProblem(
      "no_text_layer",
      `No extractable text: ${pages.length} page(s) of images, ${good} with text. Run OCR over it first.`,
    );
  }
  const named = (which: readonly boolean[]): string =>
    pageList(which.flatMap((is, page) => (is ? [page + 1] : [])));
  if (badCount > 0)
    warnings.push(`The text layer of ${named(bad)} is garbage and was left out: run OCR over it again.`);
  const empty = filled.map((is, page) => !is && bad[page] === false);
  if (empty.includes(true))
    warnings.push(`No text on ${named(empty)} of ${pages.length}: blank, or images that need OCR.`);
  return pages.map((page, index) => (filled[index] === true ? page : ""));
}

function badLayer(
  samples: readonly string[],
  garbage: readonly number[],
  bad: readonly boolean[],
): ReadProblem {
  let signs = 0;
  let lost = 0;
  for (const [page, sample] of samples.entries()) {
    if (bad[page] !== true) continue;
    signs += sample.length;
    lost += garbage[page] ?? 0;
  }
  return new ReadProblem(
    "bad_text_layer",
    `${Math.round((lost / signs) * 100)} % of the signs in its text layer mean nothing. Run it through OCR again, or export it anew.`,
  );
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
