import type { GrepOptions, LineMatch, PlaceInside } from "../contract.ts";
import type { DocumentLines } from "./document-lines.ts";
import type { Line, LinePattern, NumberedLine } from "./line-pattern.ts";
import type { Told } from "./told.ts";
import { ToldLines, type LineColumns } from "./told-lines.ts";
import { ToldMatches } from "./told-matches.ts";
import type { Interruptible, Turns } from "../turns.ts";

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
  readonly turns: Pick<Turns, "due">;
  readonly from: PlaceInside | null;
  /** Of the whole document. */
  readonly contentHash: string;
}

export interface DocumentFound<Result> {
  readonly told: Result;
  /** Matches that are told. */
  readonly size: number;
  /** Matching lines of this look. */
  readonly lines: number;
  /** Where to go on when the allowance was used up. */
  readonly next: PlaceInside | null;
  /** False when a piece is gone: the document was replaced meanwhile. */
  readonly complete: boolean;
}

type PlaceInPiece = Pick<PlaceInside, "lineStart" | "from">;

/** Lines, or matches, that are taken between two looks at the clock: some ten microseconds; a look takes a tenth of one. */
const STEPS_A_LOOK = 64;

/** The matches in a document, in their order, with places in the whole. */
export function findMatches(look: DocumentLook): Interruptible<DocumentFound<LineMatch[]>> {
  const { lines, allowance, from } = look;
  const { linesBefore, linesAfter } = look.options;
  return new Look(
    look,
    new ToldMatches({ lines, allowance, linesBefore, linesAfter, toldTo: from?.toldTo ?? 0 }),
  ).run();
}

/** The same, and of each only what a lean look tells. */
export function findLines(look: DocumentLook): Interruptible<DocumentFound<LineColumns>> {
  return new Look(look, new ToldLines({ pieces: look.lines.pieces, whole: look.options.perLine })).run();
}

/** One piece is looked through at a time, and a match does not reach over two: they meet at a line's end but for lines of a megabyte. */
class Look<Result> {
  readonly #look: DocumentLook;
  readonly #told: Told<Result>;
  #text = "";
  /** Matching lines, those of earlier looks included. */
  #count: number;
  #stepsToLook = STEPS_A_LOOK;

  constructor(look: DocumentLook, told: Told<Result>) {
    this.#look = look;
    this.#told = told;
    this.#count = look.from?.lines ?? 0;
  }

  *run(): Interruptible<DocumentFound<Result>> {
    const { lines, turns, from } = this.#look;
    // A line that goes on in the next piece is one.
    let goesOn = false;
    for (let piece = from?.piece ?? 0; piece < lines.pieces.length; piece++) {
      if (turns.due()) yield;
      const text = lines.textOf(piece);
      if (text === null) return this.#end(false);
      this.#text = text;
      this.#told.begin(piece, text);
      const seen: number | DocumentFound<Result> = yield* this.#piece(piece, goesOn);
      if (typeof seen === "object") return seen;
      goesOn = seen === text.length && !text.endsWith("\n");
    }
    return this.#end(true);
  }

  /** Answers where the last matching line ends, -1 for none; or all that was found, when no more is wanted. */
  *#piece(piece: number, goesOn: boolean): Interruptible<number | DocumentFound<Result>> {
    const { pattern, options } = this.#look;
    const from = this.#look.from?.piece === piece ? this.#look.from : null;
    // Of a line that is told whole it does not matter where it matches.
    const isWhole = options.lean && options.perLine;
    let lastEnd = -1;
    for (const line of pattern.lines(this.#text, from?.lineStart ?? 0)) {
      if (this.#isDue(line)) yield;
      if (line === null) continue;
      const isResumed = from !== null && from.lineStart === line.start && from.from > line.start;
      const counts = !isResumed && !(goesOn && line.start === 0);
      if (counts && this.#count >= options.maxPerDocument) return this.#end(true);
      lastEnd = line.end;
      if (options.output === "matches") {
        if (!counts && !isResumed && options.perLine) continue;
        const place = isWhole
          ? this.#tell(line, line, true)
          : yield* this.#tellLine(line, isResumed ? from.from : line.start);
        if (place !== null) return this.#pause({ ...place, piece });
      }
      if (counts) this.#count++;
      if (options.output === "documents") return this.#end(true);
    }
    return lastEnd;
  }

  /** Tells the matches of a line from a place on. Answers where to go on when the allowance is used up before the last. */
  *#tellLine(line: NumberedLine, from: number): Interruptible<PlaceInPiece | null> {
    const { pattern, options } = this.#look;
    let isFirst = from === line.start;
    for (const match of pattern.matches(this.#text, line, from)) {
      if (this.#isDue(match)) yield;
      if (match === null) continue;
      const place = this.#tell(line, match, isFirst);
      if (place !== null || options.perLine) return place;
      isFirst = false;
    }
    return null;
  }

  #tell(line: NumberedLine, match: Line, isFirst: boolean): PlaceInPiece | null {
    const { allowance } = this.#look;
    if (allowance.isUsedUp()) {
      if (isFirst) this.#told.settle(line.start);
      return { lineStart: line.start, from: isFirst ? line.start : match.start };
    }
    if (isFirst) this.#told.arriveAt(line);
    allowance.take(this.#told.tell(line, match));
    return null;
  }

  /** Without anything found, a whole slice of work was done. */
  #isDue(step: Line | null): boolean {
    if (step !== null && --this.#stepsToLook > 0) return false;
    this.#stepsToLook = STEPS_A_LOOK;
    return this.#look.turns.due();
  }

  #pause(place: PlaceInPiece & { piece: number }): DocumentFound<Result> {
    const { contentHash } = this.#look;
    return this.#found({ contentHash, ...place, lines: this.#count, toldTo: this.#told.toldTo }, true);
  }

  #end(complete: boolean): DocumentFound<Result> {
    if (complete) this.#told.settle(Infinity);
    return this.#found(null, complete);
  }

  #found(next: PlaceInside | null, complete: boolean): DocumentFound<Result> {
    const lines = this.#count - (this.#look.from?.lines ?? 0);
    return { told: this.#told.result(), size: this.#told.size, lines, next, complete };
  }
}
