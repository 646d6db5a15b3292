import type { Line, NumberedLine } from "./line-pattern.ts";

/** What a look tells of a document. */
export interface Told<Result> {
  /** Matches told so far. */
  readonly size: number;
  /** Up to where lines have been told, in the document. */
  readonly toldTo: number;
  begin(piece: number, text: string): void;
  /** The next match is in a line of which nothing was told. */
  arriveAt(line: Line): void;
  /** Answers the characters of what it tells. */
  tell(line: NumberedLine, found: Line): number;
  /** No match comes up to this place in the piece: what stands behind the last one is told. */
  settle(to: number): void;
  /** All that was told, once no more is. */
  result(): Result;
}
