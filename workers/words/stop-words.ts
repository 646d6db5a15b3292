/** English words that say how something is asked, not what: interrogatives, auxiliaries, pronouns, prepositions. */
const english = `
a about above after again against all also am an and any are as at
be because been before being below between both but by
can cannot could did do does doing done down during
each few for from further give given
had has have having he her here hers him his how
i if in into is it its itself
just ll me might more most must my myself
no nor not of off on once only or other our out over own
please re s same shall she should so some such
t tell than that the their theirs them then there these they this those through to too
under until up us ve very was we were what when where which while who whom whose why will with would
you your yours d m don doesn didn isn aren wasn weren won wouldn couldn shouldn hasn haven hadn
`;

/** Characters of Chinese and Japanese that carry grammar. A pair made of these alone says nothing about the subject. */
const function_ =
  "的了是在有和与與及或也都就还還而但被把对對从從到于於以其之这這那哪个個些什么麼谁誰吗嗎呢吧啊几幾多少怎样樣如何为為请請问問会會能可要" +
  "はがをにでとものへやかなだたてすまるれいうえおあらりんどこそしきくけさせよねですますからまでよりなどではとはには何誰";

export const stopWords: ReadonlySet<string> = new Set(english.trim().split(/\s+/));
const functionCharacters: ReadonlySet<string> = new Set(function_);

/** True for a CJK unit without any character of substance. */
export function isFunctionPair(unit: string): boolean {
  for (const character of unit) if (!functionCharacters.has(character)) return false;
  return true;
}

const sameScript = /^(?:\p{sc=Han}{2}|\p{sc=Hiragana}{2})$/u;

/** True for a pair of Han characters, or of hiragana, of which one carries grammar: it reaches over the edge of a word. */
export function isEdgePair(unit: string): boolean {
  if (!sameScript.test(unit)) return false;
  const [first = "", second = ""] = unit;
  return functionCharacters.has(first) !== functionCharacters.has(second);
}
