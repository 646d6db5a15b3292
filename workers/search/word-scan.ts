import { PAIRED, SEGMENTED } from "../words/scripts.ts";

const letterOrDigit = /[\p{L}\p{N}]/u;
const unspaced = new RegExp(`[${PAIRED}${SEGMENTED}]`, "u");
const UNKNOWN = 0;
const INSIDE = 1;
const OUTSIDE = 2;

/** Of each character of the basic plane whether it can stand in a word of a spaced script; found out when first met. */
const kinds = new Uint8Array(0x1_0000);

/**
 * Calls `visit` for each word of the text that is written with spaces around it (not CJK, not Thai). `hump` says that it
 * changes from lower to upper case inside.
 */
export function scanWords(text: string, visit: (start: number, end: number, hump: boolean) => void): void {
  let start = -1;
  let hump = false;
  let wasLower = false;
  for (let at = 0; at <= text.length; at++) {
    const code = at < text.length ? text.charCodeAt(at) : 0;
    if (isInside(code)) {
      if (start < 0) {
        start = at;
        hump = false;
      } else if (wasLower && code >= 65 && code <= 90) hump = true;
      wasLower = code >= 97 && code <= 122;
    } else if (start >= 0) {
      visit(start, at, hump);
      start = -1;
      wasLower = false;
    }
  }
}

function isInside(code: number): boolean {
  const known = kinds[code]!;
  if (known !== UNKNOWN) return known === INSIDE;
  const character = String.fromCharCode(code);
  const mark = code >= 0x300 && /\p{M}|\u200C|\u200D/u.test(character);
  const inside = (mark || letterOrDigit.test(character)) && !unspaced.test(character);
  kinds[code] = inside ? INSIDE : OUTSIDE;
  return inside;
}
