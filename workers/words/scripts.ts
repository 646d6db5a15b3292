/** Characters that are written without spaces and indexed as overlapping pairs: Han, kana, Hangul. */
export const PAIRED = "\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}\\u30FC";
/** Scripts without spaces that Intl.Segmenter has a dictionary for. */
export const SEGMENTED = "\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}";
/** Inflected scripts whose words are cut to a stem of fixed length: the Porter stemmer knows English alone. */
export const INFLECTED = "\\p{sc=Cyrillic}\\p{sc=Greek}\\p{sc=Armenian}\\p{sc=Georgian}";

const startsPaired = new RegExp(`^[${PAIRED}]`, "u");

/** Whether a token is of a script that is indexed as pairs. */
export function isPaired(token: string): boolean {
  return startsPaired.test(token);
}

/** Letters a word of an inflected script keeps. Chosen by measurement: 4 and 6 find less. */
const STEM_LETTERS = 5;

/** Intl.Segmenter takes quadratic time in the length of its string. */
const SEGMENT_CHARACTERS = 2000;

const segmenters = new Map<string, Intl.Segmenter>();

/** A run of CJK characters → its overlapping pairs; a run of one stays as it is. */
export function pairs(run: string): string[] {
  const characters = Array.from(run);
  if (characters.length < 2) return characters;
  const out: string[] = [];
  for (let at = 0; at + 1 < characters.length; at++) out.push(`${characters[at]}${characters[at + 1]}`);
  return out;
}

/** The vowel AM, which NFKC takes apart: the dictionaries of Thai and Lao know it in one piece alone. */
const apart = /\u0E4D\u0E32|\u0ECD\u0EB2/g;

/** A run of Thai, Lao, Khmer or Burmese, as NFKC has it → its words. */
export function segment(normal: string): string[] {
  const run = normal.replace(apart, (vowel) => (vowel < "\u0E80" ? "\u0E33" : "\u0EB3"));
  const locale = localeOf(run.charCodeAt(0));
  let segmenter = segmenters.get(locale);
  if (!segmenter) {
    segmenter = new Intl.Segmenter(locale, { granularity: "word" });
    segmenters.set(locale, segmenter);
  }
  const out: string[] = [];
  for (let at = 0; at < run.length; at += SEGMENT_CHARACTERS) {
    for (const piece of segmenter.segment(run.slice(at, at + SEGMENT_CHARACTERS))) {
      if (piece.isWordLike === true) out.push(joinMarks(piece.segment));
    }
  }
  return out;
}

/** A word of an inflected script → its first letters, without accents. */
export function stem(word: string): string {
  const bare = word.normalize("NFD").replace(/\p{M}+/gu, "");
  return bare.length > STEM_LETTERS ? Array.from(bare).slice(0, STEM_LETTERS).join("") : bare;
}

/** An Arabic word → without vowel signs and tatweel, with one form of alef, ya and ta marbuta, without the article. */
export function plainArabic(word: string): string {
  const bare = word
    .replace(/[\u0640\p{M}]+/gu, "")
    .replace(/[أإآٱ]/g, "ا")
    .replace(/ى/g, "ي")
    .replace(/ة/g, "ه");
  const article = /^(?:[وفبك]?ال|لل)(?=.{3})/.exec(bare);
  return article ? bare.slice(article[0].length) : bare;
}

/**
 * unicode61 takes vowel signs of Indic and South-East Asian scripts for separators and would cut each word at them.
 * Letters of a block that never stands inside such words keep them whole: each sign becomes one of its own.
 */
export function joinMarks(text: string): string {
  return text.replace(/[\p{M}\u200C\u200D]/gu, (mark) => {
    const code = mark.charCodeAt(0);
    return code < 0x0900 || code >= 0x2000 ? "" : String.fromCodePoint(0x20000 + code - 0x0900);
  });
}

/** The inverse of joinMarks for words of SEGMENTED scripts. */
export function splitMarks(word: string): string {
  return word.replace(/[\u{20000}-\u{21700}]/gu, (joined) =>
    String.fromCharCode(joined.codePointAt(0)! - 0x20000 + 0x0900),
  );
}

function localeOf(code: number): string {
  if (code >= 0x0e80 && code < 0x0f00) return "lo";
  if (code >= 0x1780 && code < 0x1800) return "km";
  return code >= 0x1000 && code < 0x10a0 ? "my" : "th";
}
