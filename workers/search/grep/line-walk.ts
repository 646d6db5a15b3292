/**
 * Goes through a text line by line: where each stands, without its end, and its number, counted from 1. It begins before
 * the first one.
 */
export class LineWalk {
  start = 0;
  end = -1;
  number = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** To the line that a place stands in, at or behind the line at hand; a line's end is the last place in it. */
  moveTo(at: number): void {
    while (this.end < at) this.#next();
  }

  /** To the line behind the one at hand; false when the text ends there. */
  next(): boolean {
    if (this.end + 1 >= this.#text.length) return false;
    this.#next();
    return true;
  }

  #next(): void {
    this.start = this.end + 1;
    const at = this.#text.indexOf("\n", this.start);
    this.end = at < 0 ? this.#text.length : at;
    this.number++;
  }
}
