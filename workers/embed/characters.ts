const wordCharacter = /[\p{L}\p{N}]/u;
const UNKNOWN = 0;
const WORD = 1;
const OTHER = 2;

/** What each character of the basic plane is, found out when it is first met. */
const kinds = new Uint8Array(0x1_0000);

/** Whether a code point is a letter or a digit in any script. */
export function isWordCharacter(codePoint: number): boolean {
  if (codePoint > 0xffff) return wordCharacter.test(String.fromCodePoint(codePoint));
  const known = kinds[codePoint]!;
  if (known !== UNKNOWN) return known === WORD;
  const found = wordCharacter.test(String.fromCharCode(codePoint));
  kinds[codePoint] = found ? WORD : OTHER;
  return found;
}

/** Visits each run of letters and digits until `visit` answers false. */
export function forEachWord(text: string, visit: (start: number, end: number) => boolean | void): void {
  const { length } = text;
  let at = 0;
  while (at < length) {
    const start = at;
    while (at < length) {
      const codePoint = text.codePointAt(at)!;
      if (!isWordCharacter(codePoint)) break;
      at += codePoint > 0xffff ? 2 : 1;
    }
    if (at > start) {
      if (visit(start, at) === false) return;
    } else at += text.codePointAt(at)! > 0xffff ? 2 : 1;
  }
}

/** Letters and digits up to Latin Extended-B, and Latin Extended Additional: all that the model's word parts were learnt from. */
export function isLatin(codePoint: number): boolean {
  return codePoint < 0x250 || (codePoint >= 0x1e00 && codePoint < 0x1f00);
}
