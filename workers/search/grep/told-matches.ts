import type { GrepOptions, LineMatch } from "../contract.ts";
import type { DocumentLines } from "./document-lines.ts";
import type { Allowance } from "./grep-document.ts";
import { charsOf, lengthOf, lineMatch } from "./line-match.ts";
import type { Line, NumberedLine } from "./line-pattern.ts";
import type { Told } from "./told.ts";

interface ToldMatchesOptions extends Pick<GrepOptions, "linesBefore" | "linesAfter"> {
  readonly lines: DocumentLines;
  readonly allowance: Pick<Allowance, "takeAround">;
  readonly toldTo: number;
}

/** Tells where each match stands, and what around it. */
export class ToldMatches implements Told<LineMatch[]> {
  toldTo: number;
  readonly #matches: LineMatch[] = [];
  readonly #options: ToldMatchesOptions;
  #text = "";
  #piece = 0;
  /** The last match, whose following lines are told once it is known where the next one stands. */
  #last: { match: LineMatch; piece: number; end: number } | null = null;
  #before: string[] | null = null;

  constructor(options: ToldMatchesOptions) {
    this.#options = options;
    this.toldTo = options.toldTo;
  }

  begin(piece: number, text: string): void {
    this.#piece = piece;
    this.#text = text;
  }

  arriveAt({ start, end }: Line): void {
    this.settle(start);
    const { lines, linesBefore } = this.#options;
    if (linesBefore > 0) this.#before = lines.before(this.#piece, start, linesBefore, this.toldTo);
    this.toldTo = this.#placeOf(end) + 1;
  }

  tell(line: NumberedLine, found: Line): number {
    const piece = this.#options.lines.pieces[this.#piece]!;
    const match = lineMatch({ text: this.#text, piece, number: line.number }, line, found);
    if (this.#before !== null) match.linesBefore = this.#before;
    this.#before = null;
    this.#matches.push(match);
    this.#last = { match, piece: this.#piece, end: line.end };
    return charsOf(match);
  }

  settle(to: number): void {
    const { lines, linesAfter, allowance } = this.#options;
    if (this.#last === null || linesAfter === 0) return;
    const { match, piece, end } = this.#last;
    const behind = lines.behind(piece, end, linesAfter, this.#placeOf(to));
    match.linesAfter = behind.lines;
    allowance.takeAround(lengthOf(behind.lines));
    this.toldTo = Math.max(this.toldTo, behind.toldTo);
    this.#last = null;
  }

  get size(): number {
    return this.#matches.length;
  }

  result(): LineMatch[] {
    return this.#matches;
  }

  #placeOf(at: number): number {
    return this.#options.lines.pieces[this.#piece]!.charStart + at;
  }
}
