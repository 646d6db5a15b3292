/** Longest argument that is read as one; longer ones are read as what stands around them. */
const MAX_ARGUMENT = 20_000;
/** In a text that leaves many brackets open, arguments are no longer looked for that far. */
const MAX_MISSED = 50;
const SHORT_ARGUMENT = 200;

/** A place in a LaTeX text, with the line it is in. Nothing here recurses; each look ahead is bounded. */
export class LatexSource {
  readonly text: string;
  at = 0;
  /** 1-based, of the file. */
  line: number;

  /** Brackets that were looked for in vain. */
  #missed = 0;

  constructor(text: string, firstLine: number) {
    this.text = text;
    this.line = firstLine;
  }

  get ended(): boolean {
    return this.at >= this.text.length;
  }

  /** Steps to `end`, counting lines. */
  moveTo(end: number): void {
    this.line += countBreaks(this.text, this.at, end);
    this.at = end;
  }

  /** The name of the command whose backslash is at the cursor: letters, or the one sign behind it. */
  commandName(): string {
    const { text, at } = this;
    let end = at + 1;
    while (end < text.length && end - at < 100 && isLetter(text.charCodeAt(end))) end++;
    return end > at + 1 ? text.slice(at + 1, end) : text.slice(at + 1, at + 2);
  }

  /** Steps over white space, one line break at most. */
  skipSpace(): void {
    let broken = false;
    let end = this.at;
    for (; end < this.text.length; end++) {
      const code = this.text.charCodeAt(end);
      if (code === 10) {
        if (broken) break;
        broken = true;
      } else if (code !== 32 && code !== 9) break;
    }
    this.moveTo(end);
  }

  /** `{…}` from the cursor on, stepped over; null, and nothing stepped over, where none stands. */
  group(): string | null {
    return this.#enclosed("{", "}");
  }

  /** `[…]` from the cursor on. */
  option(): string | null {
    return this.#enclosed("[", "]");
  }

  /** Steps over options and groups: the arguments of a command that sets nothing. */
  skipArguments(groups: number): void {
    if (this.text[this.at] === "*") this.at++;
    let left = groups;
    for (;;) {
      const { at, line } = this;
      this.skipSpace();
      const taken = this.option() ?? (left > 0 ? this.group() : null);
      if (taken === null) {
        this.at = at;
        this.line = line;
        return;
      }
      if (this.text[this.at - 1] === "}") left--;
    }
  }

  #enclosed(open: string, close: string): string | null {
    const { text, at } = this;
    if (text[at] !== open) return null;
    const reach = this.#missed < MAX_MISSED ? MAX_ARGUMENT : SHORT_ARGUMENT;
    const end = closingOf(text, at, close, reach);
    if (end === -1) {
      this.#missed++;
      return null;
    }
    this.moveTo(end + 1);
    return text.slice(at + 1, end);
  }
}

/** Where the bracket closes that opens at `start`; -1 where it is too far away. Braces inside must match. */
function closingOf(text: string, start: number, close: string, reach: number): number {
  const open = text[start];
  const limit = Math.min(text.length, start + reach);
  let depth = 0;
  for (let at = start; at < limit; at++) {
    const sign = text[at];
    if (sign === "\\") at++;
    else if (sign === "%") {
      const end = text.indexOf("\n", at);
      if (end === -1) return -1;
      at = end;
    } else if (sign === open || sign === "{") depth++;
    else if (sign === close || sign === "}") {
      depth--;
      if (depth === 0) return at;
    }
  }
  return -1;
}

function isLetter(code: number): boolean {
  return (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}

/** Line breaks in [from, to). */
export function countBreaks(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) if (text.charCodeAt(at) === 10) count++;
  return count;
}
