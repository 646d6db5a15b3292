/** Ways that people write one and the same thing: versions, numbers of telephones and books, sizes, compounds, addresses. */

const version = /^v?\d+(?:\.\d+)+/i;
const hexadecimal = /^0x([\da-f]{4,16})$/i;
const bareHexadecimal = /^(?=\D*\d)[\da-f]{6,16}$/i;
const hash = /^(?=\d*[a-f])(?=[a-f]*\d)[\da-f]{7,64}$/i;
const compound = /^[\p{L}\p{N}]+(?:[-_][\p{L}\p{N}]+)+$/u;
const number = /^\d+(?:[.,]\d+)?$/;
/** Longer ones are words in their own right more often than units of measure. */
const measure = /^(?:\p{L}{1,3}|[KMGT]iB|dpi|fps|[KMG]bps|mAh)$/u;
const MAX_JOINED = 64;

/**
 * Beside the words of one piece of a query: a version with and without its v, a compound written as one word, a number with
 * and without 0x. Each is a row of tokens that stand side by side.
 */
export function variantsOf(piece: string, tokens: readonly string[]): string[][] {
  const [first = "", ...others] = tokens;
  if (others.length === 0) {
    const bare = hexadecimal.exec(first)?.[1];
    if (bare !== undefined) return [[bare]];
    return bareHexadecimal.test(first) ? [[`0x${first}`]] : [];
  }
  if (version.test(piece)) return [[first.startsWith("v") ? first.slice(1) : `v${first}`, ...others]];
  const joined = tokens.join("");
  return compound.test(piece) && joined.length <= MAX_JOINED ? [[joined]] : [];
}

/** A number and a measure apart, as they are written together: 5 GB is 5GB too. Null for other pieces. */
export function joinedMeasure(piece: string, next: string): string | null {
  return number.test(piece) && measure.test(next) ? `${piece}${next}` : null;
}

/** The name of a commit, say, of which people write the beginning alone. */
export function isHash(token: string): boolean {
  return hash.test(token);
}

const mayHoldNumbers = /\d[- ]\d|\d\/\d/;
/** From + or 0 on 8 to 15 digits in groups; an ISBN of 10 or 13. Each group and its mark are bounded, so it is linear. */
const grouped =
  /(?<![\p{L}\p{N}+.-])(?:\+\d{1,3}|\(?0\d{1,5}\)?)(?:[-/ ]{1,2}\(?\d{1,8}\)?){1,6}(?![\p{L}\p{N}])|(?<![\p{L}\p{N}.-])(?:97[89][- ])?\d{1,5}([- ])\d{1,7}\1\d{1,7}\1[\dXx](?![\p{L}\p{N}-])/gu;

/** The numbers of telephones and books in a text that are written in groups, as one. */
export function joinedNumbers(text: string): string[] {
  if (!mayHoldNumbers.test(text)) return [];
  return Array.from(text.matchAll(grouped), ([found]) => found.replace(/[^\dXx]/g, "")).filter(
    ({ length }) => length >= 8 && length <= 15,
  );
}
