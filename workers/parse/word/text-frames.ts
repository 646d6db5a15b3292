import type { Element } from "../html/tree.ts";
import { createStory, type ParagraphForm, type Story, type StoryBudget, storyBudget } from "./story.ts";
import type { Remark } from "./word-file.ts";

/** Where the paragraphs of a frame end up. */
export type FrameKind = "body" | "box" | "note" | "comment" | "header" | "footer";

export interface OpenList {
  readonly style: string;
  /** What it is counted under: lists that count on have the same. */
  readonly id: string;
}

interface Frame {
  readonly kind: FrameKind;
  readonly story: Story;
  readonly mark: string;
  /** Open lists, the innermost last. */
  readonly lists: OpenList[];
  /** The open list item has a paragraph already. */
  continues: boolean;
  /** Paragraphs that are open: text outside of all is only indentation of the file. */
  paragraphs: number;
  /** What the open paragraph is. */
  form: ParagraphForm;
  /** Text boxes of the open paragraph. */
  readonly boxes: Element[];
}

/** Notes in boxes in notes: what is nested deeper is read with the one around it. */
const MAX_FRAMES = 8;

const newFrame = (kind: FrameKind, mark: string, budget: StoryBudget): Frame => ({
  kind,
  mark,
  story: createStory(budget),
  lists: [],
  continues: false,
  paragraphs: 0,
  form: { kind: "text" },
  boxes: [],
});

/** The body and what is taken out of its flow while it is read: notes, comments, boxes, headers, footers. */
export class TextFrames {
  readonly budget: StoryBudget;
  readonly notes: Remark[] = [];
  readonly comments: Remark[] = [];
  readonly headers: Element[] = [];
  readonly footers: Element[] = [];
  readonly #around: Frame[] = [];
  #top: Frame;
  #ignored = 0;

  constructor(maxBlocks?: number) {
    this.budget = storyBudget(maxBlocks);
    this.#top = newFrame("body", "", this.budget);
  }

  /** The frame that is open now. */
  get top(): Frame {
    return this.#top;
  }

  open(kind: FrameKind, mark: string): void {
    if (this.#around.length >= MAX_FRAMES) {
      this.#ignored++;
      return;
    }
    this.#around.push(this.#top);
    this.#top = newFrame(kind, mark, this.budget);
  }

  close(mark?: string): void {
    if (this.#ignored > 0) {
      this.#ignored--;
      return;
    }
    const outer = this.#around.pop();
    if (outer === undefined) return;
    this.endParagraph({ kind: "text" });
    const made = this.#top;
    const root = made.story.finish();
    this.#top = outer;
    if (root.children.length === 0) return;
    const remark = { mark: mark ?? made.mark, root };
    if (made.kind === "note") this.notes.push(remark);
    else if (made.kind === "comment") this.comments.push(remark);
    else if (made.kind === "header") this.headers.push(root);
    else if (made.kind === "footer") this.footers.push(root);
    else if (outer.paragraphs > 0) outer.boxes.push(root);
    else outer.story.place(root.children);
  }

  /** Its boxes stand behind it. */
  endParagraph(form: ParagraphForm): void {
    const { story, boxes } = this.#top;
    story.endParagraph(form);
    for (const box of boxes.splice(0)) story.place(box.children);
  }

  /** The body, with all that is still open closed. */
  finish(): Element {
    while (this.#around.length > 0) this.close();
    this.endParagraph({ kind: "text" });
    return this.#top.story.finish();
  }
}
