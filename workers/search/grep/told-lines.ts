import type { TextPiece } from "../document-text.ts";
import { MAX_LINE, shownLine } from "./line-match.ts";
import type { Line, NumberedLine } from "./line-pattern.ts";
import type { Told } from "./told.ts";

/** What is told of a document's lines without what stands around them, in one string as it travels and is printed fastest. */
export interface LineColumns {
  readonly line: readonly number[];
  /** As many as numbers, each ended by \n but for the last. */
  readonly texts: string;
}

/** Tells numbers and texts, and nothing around them. */
export class ToldLines implements Told<LineColumns> {
  readonly toldTo = 0;
  readonly #numbers: number[] = [];
  readonly #texts: string[] = [];
  readonly #pieces: readonly TextPiece[];
  readonly #whole: boolean;
  #text = "";
  /** Of the piece's first line in the document, less one. */
  #linesBefore = 0;
  /** Lines that follow one another and are told whole are cut out as one: from here, up to `#runEnd`. */
  #runStart = 0;
  /** -1: no run is open. */
  #runEnd = -1;

  /** `whole`: what is told of a line is all of it. */
  constructor({ pieces, whole }: { pieces: readonly TextPiece[]; whole: boolean }) {
    this.#pieces = pieces;
    this.#whole = whole;
  }

  begin(piece: number, text: string): void {
    this.#closeRun();
    this.#text = text;
    this.#linesBefore = this.#pieces[piece]!.lineStart - 1;
  }

  arriveAt(): void {
    // Nothing is told around a line.
  }

  tell({ number }: NumberedLine, found: Line): number {
    this.#numbers.push(this.#linesBefore + number);
    const { start, end } = found;
    if (!this.#whole || end - start > MAX_LINE) {
      this.#closeRun();
      const text = shownLine(this.#text, found);
      this.#texts.push(text);
      return text.length;
    }
    if (this.#runEnd >= 0 && start === this.#runEnd + 1) this.#runEnd = end;
    else {
      this.#closeRun();
      this.#runStart = start;
      this.#runEnd = end;
    }
    return end - start;
  }

  settle(): void {
    // Nothing is told behind a line.
  }

  get size(): number {
    return this.#numbers.length;
  }

  result(): LineColumns {
    this.#closeRun();
    return { line: this.#numbers, texts: this.#texts.join("\n") };
  }

  #closeRun(): void {
    if (this.#runEnd >= 0) this.#texts.push(this.#text.slice(this.#runStart, this.#runEnd));
    this.#runEnd = -1;
  }
}
