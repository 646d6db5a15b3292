import type { GrepOptions, LineMatch, PlaceInside } from "./contract.ts";
import type { DocumentLines } from "./document-lines.ts";
import { charsOf, createLineCounter, lengthOf, lineMatch, shownLine } from "./line-match.ts";
import type { Line, LinePattern, Steps } from "./line-pattern.ts";
import type { LineColumns } from "./match-columns.ts";
import type { Turns } from "./turns.ts";

/** Counts what is told, and says when it is enough. */
export interface Allowance {
  isUsedUp(): boolean;
  /** A match, or a document without one, and the characters that are told of it. */
  take(chars: number): void;
  /** Characters of lines behind a match that was taken. */
  takeAround(chars: number): void;
}

export interface DocumentLook {
  readonly lines: DocumentLines;
  readonly pattern: LinePattern;
  readonly options: Pick<
    GrepOptions,
    "output" | "perLine" | "lean" | "maxPerDocument" | "linesBefore" | "linesAfter"
  >;
  readonly allowance: Allowance;
  readonly turns: Turns;
  readonly from: PlaceInside | null;
  /** Of the whole document. */
  readonly contentHash: string;
}

export interface DocumentFound {
  readonly matches: LineMatch[];
  /** In their place where the look is lean, else null. */
  readonly columns: LineColumns | null;
  readonly isTold: boolean;
  /** Matching lines of this look. */
  readonly lines: number;
  /** Where to go on when the allowance was used up. */
  readonly next: PlaceInside | null;
  /** False when a piece is gone: the document was replaced meanwhile. */
  readonly complete: boolean;
}

/**
 * The matches in a document, in their order, with places in the whole. One piece is looked through at a time, and a match
 * does not reach over two: they meet at a line's end but for lines of a megabyte.
 */
export async function lookThrough(look: DocumentLook): Promise<DocumentFound> {
  const { lines, pattern, turns, from, options } = look;
  const told = new Told(look);
  // A line that goes on in the next piece is one.
  let goesOn = false;
  for (let piece = from?.piece ?? 0; piece < lines.pieces.length; piece++) {
    await turns.pause();
    const text = lines.textOf(piece);
    if (text === null) return told.end(false);
    const resumed = from?.piece === piece ? from : null;
    const isSame = (line: Line) => line.start === 0 && goesOn;
    told.begin(piece, text);
    let lastEnd = -1;
    for (const line of pattern.lines(text, resumed?.lineStart ?? 0)) {
      if (turns.due()) await turns.pause();
      if (line === null) continue;
      const isResumed = resumed?.lineStart === line.start && resumed.from > line.start;
      const counts = !isResumed && !isSame(line);
      if (counts && told.count >= options.maxPerDocument) return told.end(true);
      lastEnd = line.end;
      if (options.output === "matches") {
        if (!counts && !isResumed && options.perLine) continue;
        const place = await tellLine(look, told, line, isResumed ? resumed.from : line.start);
        if (place !== null) return told.pause({ ...place, piece });
      }
      if (counts) told.count++;
      if (options.output === "documents") return told.end(true);
    }
    goesOn = lastEnd === text.length && !text.endsWith("\n");
  }
  return told.end(true);
}

/** Tells the matches of a line from a place on. Answers where to go on when the allowance is used up before the last. */
async function tellLine(
  { pattern, allowance, turns, options }: DocumentLook,
  told: Told,
  line: Line,
  from: number,
) {
  let isNew = from === line.start;
  // Of a line that is told whole it does not matter where it matches.
  const isWhole = options.lean && options.perLine;
  const matches: Steps<Line> | readonly Line[] = isWhole ? [line] : pattern.matches(told.text, line, from);
  for (const match of matches) {
    if (turns.due()) await turns.pause();
    if (match === null) continue;
    if (allowance.isUsedUp()) {
      if (isNew) told.settle(line.start);
      return { lineStart: line.start, from: isNew ? line.start : match.start };
    }
    if (isNew) told.arriveAt(line);
    allowance.take(told.tell(line, match));
    isNew = false;
    if (options.perLine) break;
  }
  return null;
}

/** What has been told of a document. */
class Told {
  text = "";
  /** Matching lines, those of earlier looks included. */
  count: number;
  readonly #look: DocumentLook;
  readonly #matches: LineMatch[] = [];
  /** Of a lean look. */
  readonly #lines: number[] = [];
  readonly #texts: string[] = [];
  #piece = 0;
  #counter = createLineCounter("");
  /** Up to where lines have been told, in the document. */
  #toldTo: number;
  /** The last match, whose following lines are told once it is known where the next one stands. */
  #last: { match: LineMatch; piece: number; end: number } | null = null;
  #before: string[] | null = null;

  constructor(look: DocumentLook) {
    this.#look = look;
    this.count = look.from?.lines ?? 0;
    this.#toldTo = look.from?.toldTo ?? 0;
  }

  begin(piece: number, text: string): void {
    this.#piece = piece;
    this.text = text;
    this.#counter = createLineCounter(text);
  }

  /** The next match is in a line of which nothing was told. */
  arriveAt(line: Line): void {
    this.settle(line.start);
    const { linesBefore } = this.#look.options;
    if (linesBefore > 0)
      this.#before = this.#look.lines.before(this.#piece, line.start, linesBefore, this.#toldTo);
    this.#toldTo = this.#placeOf(line.end) + 1;
  }

  /** Answers the characters of what it tells. */
  tell(line: Line, found: Line): number {
    const { lines, options } = this.#look;
    const piece = lines.pieces[this.#piece]!;
    const number = this.#counter.lineAt(line.start);
    if (options.lean) {
      const text = shownLine(this.text, found);
      this.#lines.push(piece.lineStart + number - 1);
      this.#texts.push(text);
      return text.length;
    }
    const match = lineMatch({ text: this.text, piece, number }, line, found);
    if (this.#before !== null) match.linesBefore = this.#before;
    this.#before = null;
    this.#matches.push(match);
    this.#last = { match, piece: this.#piece, end: line.end };
    return charsOf(match);
  }

  /** The lines behind the last match, up to a place in this piece. */
  settle(to: number): void {
    const { lines, options } = this.#look;
    if (this.#last === null || options.linesAfter === 0) return;
    const { match, piece, end } = this.#last;
    const behind = lines.behind(piece, end, options.linesAfter, this.#placeOf(to));
    match.linesAfter = behind.lines;
    this.#look.allowance.takeAround(lengthOf(behind.lines));
    this.#toldTo = Math.max(this.#toldTo, behind.toldTo);
    this.#last = null;
  }

  pause(place: { piece: number; lineStart: number; from: number }): DocumentFound {
    const { contentHash } = this.#look;
    return this.#found({ contentHash, ...place, lines: this.count, toldTo: this.#toldTo }, true);
  }

  end(complete: boolean): DocumentFound {
    if (complete) this.settle(Infinity);
    return this.#found(null, complete);
  }

  #found(next: PlaceInside | null, complete: boolean): DocumentFound {
    const lines = this.count - (this.#look.from?.lines ?? 0);
    const columns = this.#look.options.lean ? { line: this.#lines, texts: this.#texts.join("\n") } : null;
    const isTold = this.#matches.length + this.#lines.length > 0;
    return { matches: this.#matches, columns, isTold, lines, next, complete };
  }

  #placeOf(at: number): number {
    return this.#look.lines.pieces[this.#piece]!.charStart + at;
  }
}
