/** Quotation marks that open, and those that close what they opened. */
const closers: Readonly<Record<string, string>> = {
  '"': '"',
  "\u201C": "\u201D",
  "\u201D": "\u201D",
  "\u201E": "\u201C\u201D",
  "\u00AB": "\u00BB",
  "\u00BB": "\u00AB",
  "\u300C": "\u300D",
  "\u300E": "\u300F",
};

const mayStandBehind = /^[\s\p{P}\p{S}]/u;

export interface Quoted {
  readonly content: string;
  /** Behind the closing mark. */
  readonly end: number;
}

/** Finds what is quoted in a text, in time that is linear in it however often it is asked. */
export interface QuoteReader {
  /** Null when no quotation opens at `at`, or it is never closed, or what it closes goes on as a word. */
  at(at: number): Quoted | null;
}

export function isQuote(character: string): boolean {
  return Object.hasOwn(closers, character);
}

export function createQuoteReader(text: string): QuoteReader {
  // Where each mark stands next: a text of opening marks alone is not gone through for each of them.
  const next = new Map<string, number>();

  function nextOf(mark: string, from: number): number {
    const known = next.get(mark);
    if (known !== undefined && known >= from) return known;
    let found = text.indexOf(mark, from);
    while (found > 0 && text[found - 1] === "\\") found = text.indexOf(mark, found + 1);
    const at = found < 0 ? Infinity : found;
    next.set(mark, at);
    return at;
  }

  return {
    at(at) {
      const marks = closers[text.charAt(at)];
      if (marks === undefined) return null;
      const end = Math.min(...Array.from(marks, (mark) => nextOf(mark, at + 1)));
      if (end === Infinity) return null;
      const behind = text.slice(end + 1, end + 3);
      if (behind !== "" && !mayStandBehind.test(behind)) return null;
      return {
        content: text.slice(at + 1, end).replace(/\\(?=["\u201C\u201D\u00AB\u00BB])/g, ""),
        end: end + 1,
      };
    },
  };
}
