import type { Element } from "../html/tree.ts";
import { createStory, type ParagraphForm, type Story, type StoryBudget } from "../word/story.ts";
import type { Numbering } from "./numbering.ts";
import type { Styles } from "./styles.ts";

export interface StoryContext {
  readonly styles: Styles;
  readonly numbering: Numbering;
  /** What all stories of the document share. */
  readonly budget: StoryBudget;
  /** The number that a reference to a note shows. */
  noteNumber(kind: "footnote" | "endnote", id: string): number;
}

/** A run of paragraphs: the body, a header, one note, one comment. */
export interface WordStory {
  readonly attributes: Readonly<Record<string, string>>;
  readonly root: Element;
}

/** What a paragraph says of itself; null where it says nothing. */
export interface Paragraph {
  style: string;
  list: string | null;
  depth: number | null;
  outline: number | null;
  /** Its end was deleted: the next one goes on in it. */
  goesOn: boolean;
}

interface Frame {
  readonly story: Story;
  paragraph: Paragraph;
  /** Text boxes of the open paragraph. */
  readonly boxes: Element[];
}

/** Text boxes in text boxes: what is nested deeper is read with the one around it. */
const MAX_BOX_DEPTH = 4;

const newParagraph = (): Paragraph => ({
  style: "",
  list: null,
  depth: null,
  outline: null,
  goesOn: false,
});
const newFrame = (budget: StoryBudget): Frame => ({
  story: createStory(budget),
  paragraph: newParagraph(),
  boxes: [],
});

/** The stories of a part, one after another, and the text boxes that are open inside of one. */
export class StoryFrames {
  readonly stories: WordStory[] = [];
  /** Text boxes of all stories; each stands in its story too, behind its paragraph. */
  readonly boxes: Element[] = [];
  readonly #context: StoryContext;
  #attributes: Readonly<Record<string, string>> = {};
  #top: Frame;
  /** What is around the innermost text box. */
  #around: Frame[] = [];
  /** Text boxes that are open and were not made. */
  #ignored = 0;

  constructor(context: StoryContext) {
    this.#context = context;
    this.#top = newFrame(context.budget);
  }

  get story(): Story {
    return this.#top.story;
  }

  get paragraph(): Paragraph {
    return this.#top.paragraph;
  }

  begin(attributes: Readonly<Record<string, string>>): void {
    this.#attributes = attributes;
    this.#around = [];
    this.#ignored = 0;
    this.#top = newFrame(this.#context.budget);
  }

  /** Ends the story with all that is open in it; one that is empty leaves nothing. */
  end(): void {
    while (this.#around.length > 0) this.closeBox();
    this.endParagraph();
    const root = this.story.finish();
    if (root.children.length > 0) this.stories.push({ attributes: this.#attributes, root });
    this.begin({});
  }

  openBox(): void {
    if (this.#around.length >= MAX_BOX_DEPTH) {
      this.#ignored++;
      return;
    }
    this.#around.push(this.#top);
    this.#top = newFrame(this.#context.budget);
  }

  closeBox(): void {
    if (this.#ignored > 0) {
      this.#ignored--;
      return;
    }
    const outer = this.#around.pop();
    if (outer === undefined) return;
    this.endParagraph();
    const root = this.story.finish();
    this.#top = outer;
    if (root.children.length === 0) return;
    this.boxes.push(root);
    outer.boxes.push(root);
  }

  endParagraph(): void {
    const { story, paragraph, boxes } = this.#top;
    this.#top.paragraph = newParagraph();
    if (paragraph.goesOn) return;
    story.endParagraph(this.#form(paragraph));
    for (const box of boxes.splice(0)) story.place(box.children);
  }

  #form({ style, list, depth, outline }: Paragraph): ParagraphForm {
    const { styles, numbering } = this.#context;
    const styled = list === null ? styles.numbering(style) : null;
    const id = list ?? styled?.id ?? "0";
    const mark = id === "0" ? null : numbering.next(id, depth ?? styled?.depth ?? null, style);
    const level = outline ?? styles.headingLevel(style);
    if (level > 0) return { kind: "heading", level, label: mark?.label ?? "" };
    return mark === null ? { kind: "text" } : { kind: "item", ...mark };
  }
}
