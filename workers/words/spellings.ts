/** Other spellings that a word has by a rule of its language, for the query alone: what stands in no text costs nothing. */

type Rule = readonly [pattern: RegExp, others: readonly string[]];

/** British and American, Latin plurals. Each takes a word of the query to what it may be in the text. */
const english: readonly Rule[] = [
  [/(col|behavi|fav|flav|hon|hum|lab|neighb|harb|rum|vap|arm|endeav|sav|vig|parl|od)our/, ["$1or"]],
  [/(col|behavi|fav|flav|hon|hum|lab|neighb|harb|rum|vap|arm|endeav|sav|vig|parl|od)or/, ["$1our"]],
  [/([a-z]{3})is(e|ed|es|er|ers|ing|ation|ations)$/, ["$1iz$2"]],
  [/([a-z]{3})iz(e|ed|es|er|ers|ing|ation|ations)$/, ["$1is$2"]],
  [/([a-z]{3})ys(e|ed|es|er|ers|ing)$/, ["$1yz$2"]],
  [/([a-z]{3})yz(e|ed|es|er|ers|ing)$/, ["$1ys$2"]],
  [/^(cent|met|theat|fib|lit|calib|kilomet|millimet|centimet)re(s?)$/, ["$1er$2"]],
  [/^(cent|met|theat|fib|lit|calib|kilomet|millimet|centimet)er(s?)$/, ["$1re$2"]],
  [/^(catal|anal|dial|monol|prol)og(?:ue)?(s?)$/, ["$1og$2", "$1ogue$2"]],
  [/^(defen|licen|offen|preten)([cs])e(s?)$/, ["$1ce$3", "$1se$3"]],
  [
    /^(cancel|label|model|travel|signal|level|fuel|channel|tunnel|total)l?(ed|ing|er|ers)$/,
    ["$1$2", "$1l$2"],
  ],
  [/^gr[ae]y(s?|ish|scale)$/, ["gray$1", "grey$1"]],
  [/^([a-z]{2,})(?:i|e)x$/, ["$1ices"]],
  [/^([a-z]{2,})ices$/, ["$1ix", "$1ex"]],
];

/** German umlauts are written as two letters too; the index has them without their dots. */
const twoLetters = /[aou]e/g;
const dotted = /[äöü]/g;
const dotless: Readonly<Record<string, string>> = { ä: "a", ö: "o", ü: "u" };

/** Hebrew words begin with the small words before them: and, the, in, to, from, as, that. */
const hebrewBefore = ["ה", "ב", "ל", "ו", "מ", "כ", "ש", "וה", "וב", "ול", "שה"];
const hebrew = /^\p{sc=Hebrew}{3,}$/u;
const hebrewPrefixed = /^(?:[ושמ]?[הבלכמש]|ו)(?=\p{sc=Hebrew}{3})/u;
const ascii = /^[a-z]{4,32}$/;
const germanic = /^[a-zäöüß]{4,32}$/;

/** A word of a query, as it was written → what else it may be in a text, each in small letters. */
export function spellingsOf(word: string): string[] {
  if (hebrew.test(word)) return hebrewSpellings(word);
  const small = word.toLowerCase();
  const found = new Set<string>();
  if (ascii.test(small)) {
    for (const [pattern, others] of english) {
      if (pattern.test(small)) for (const other of others) found.add(small.replace(pattern, other));
    }
  }
  if (germanic.test(small)) {
    found.add(small.replace(twoLetters, (pair) => pair.charAt(0)));
    found.add(small.replace(dotted, (letter) => `${dotless[letter]}e`));
  }
  found.delete(small);
  return [...found];
}

function hebrewSpellings(word: string): string[] {
  const root = word.replace(hebrewPrefixed, "");
  const prefixed = hebrewBefore.map((before) => before + word);
  return root === word ? prefixed : [...prefixed, root];
}
