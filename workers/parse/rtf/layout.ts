import type { FrameKind } from "../word/text-frames.ts";
import { TextFrames } from "../word/text-frames.ts";
import type { ParagraphForm } from "../word/story.ts";

/** What is set for a paragraph until it is set anew. */
interface Paragraph {
  inTable: boolean;
  style: number;
  /** 1 is the outermost heading; null where it is not set. */
  outline: number | null;
  depth: number;
  /** The mark of a list item as it is shown. */
  label: string;
}

interface Place {
  readonly paragraph: Paragraph;
  /** A row was announced: what follows is its cells, even if it does not say so. */
  announced: boolean;
  table: boolean;
  row: boolean;
  cell: boolean;
}

/** Fonts of signs have bullets in the places of letters: one letter alone is no number. */
const numbering = /\p{N}|\p{L}./u;

const newPlace = (): Place => ({
  paragraph: { inTable: false, style: 0, outline: null, depth: 0, label: "" },
  announced: false,
  table: false,
  row: false,
  cell: false,
});

/** Puts text into paragraphs, cells and rows: RTF names their ends only. */
export class RtfLayout {
  readonly frames: TextFrames;
  /** Heading levels by style. */
  readonly headings = new Map<number, number>();
  #place = newPlace();
  readonly #around: Place[] = [];

  constructor(maxBlocks?: number) {
    this.frames = new TextFrames(maxBlocks);
  }

  get paragraph(): Paragraph {
    return this.#place.paragraph;
  }

  text(text: string): void {
    if (text === "") return;
    this.#enter();
    this.frames.top.story.text(text);
  }

  lineBreak(): void {
    this.#enter();
    this.frames.top.story.lineBreak();
  }

  /** One that is empty may stand between two tables. */
  closeParagraph(): void {
    const { paragraph, announced, table } = this.#place;
    if (table && !announced && !paragraph.inTable) this.#enter();
    this.endParagraph();
  }

  endParagraph(): void {
    const { paragraph } = this.#place;
    this.frames.endParagraph(this.#form());
    paragraph.label = "";
  }

  /** Back to what a paragraph is where nothing is set. */
  resetParagraph(): void {
    const { label } = this.#place.paragraph;
    // The mark of a list item comes before what is set for its paragraph.
    Object.assign(this.#place.paragraph, newPlace().paragraph, { label });
  }

  announceRow(): void {
    this.#place.announced = true;
  }

  endCell(): void {
    this.#openCell();
    this.endParagraph();
    this.frames.top.story.closeCell();
    this.#place.cell = false;
  }

  endRow(): void {
    const { story } = this.frames.top;
    this.endParagraph();
    if (this.#place.row) story.closeRow();
    Object.assign(this.#place, { announced: false, row: false, cell: false });
  }

  openFrame(kind: FrameKind, mark: string): void {
    // A box in the middle of a paragraph does not end it.
    this.frames.top.paragraphs = 1;
    this.frames.open(kind, mark);
    this.#around.push(this.#place);
    this.#place = newPlace();
  }

  closeFrame(): void {
    this.endParagraph();
    this.frames.close();
    this.#place = this.#around.pop() ?? newPlace();
  }

  #enter(): void {
    if (this.#place.paragraph.inTable || this.#place.announced) this.#openCell();
    else if (this.#place.table) {
      this.frames.top.story.closeTable();
      Object.assign(this.#place, { table: false, row: false, cell: false });
    }
  }

  #openCell(): void {
    const place = this.#place;
    const { story } = this.frames.top;
    if (!place.table) story.openTable();
    if (!place.row) story.openRow();
    if (!place.cell) story.openCell();
    Object.assign(place, { table: true, row: true, cell: true });
  }

  #form(): ParagraphForm {
    const { style, outline, depth, label } = this.#place.paragraph;
    const level = outline ?? this.headings.get(style) ?? 0;
    const mark = label.replaceAll(/\s+/g, " ").trim();
    const isNumber = numbering.test(mark);
    if (level > 0) return { kind: "heading", level, label: isNumber ? mark : "" };
    if (mark === "") return { kind: "text" };
    return { kind: "item", depth, label: isNumber ? mark : "" };
  }
}
