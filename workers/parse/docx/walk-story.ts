import type { Element } from "../html/tree.ts";
import { ReadProblem } from "../reader.ts";
import { symbolText } from "../word/symbol-font.ts";
import { attribute, walkXml } from "../xml/walk.ts";
import { type StoryContext, StoryFrames, type WordStory } from "./story-frames.ts";
import { isOn, outlineLevel } from "./styles.ts";

export interface WalkedStories {
  readonly stories: readonly WordStory[];
  /** Text boxes; each stands in its story too, behind its paragraph. */
  readonly boxes: readonly Element[];
  /** Hidden text was left out. */
  readonly hides: boolean;
  /** Why it ends early; null when it is whole. */
  readonly problem: ReadProblem | null;
}

/** Taken out by somebody, a former state, or what stands in for something that was read already. */
const unseen: ReadonlySet<string> = new Set(["del", "moveFrom", "sdtPr", "rubyPr", "sectPr", "tblGrid"]);

/**
 * Reads a part of WordprocessingML in its order: body, header, or one story for each element named `each` (footnote, endnote,
 * comment). Hidden and deleted text is left out.
 */
export async function walkStories(
  xml: string,
  context: StoryContext,
  each: string | null,
): Promise<WalkedStories> {
  const walker = new StoryWalker(context, each);
  let problem: ReadProblem | null = null;
  try {
    await walkXml(xml, walker);
  } catch (error) {
    if (!(error instanceof ReadProblem) || error.failure === "too_complex") throw error;
    problem = error;
  }
  return { ...walker.finish(), problem };
}

class StoryWalker {
  readonly #context: StoryContext;
  readonly #each: string | null;
  readonly #frames: StoryFrames;
  /** Depth of the element that is left out with all that is in it. */
  #skipFrom: number | null = null;
  /** For each open AlternateContent whether one of its forms was read. */
  readonly #alternates: boolean[] = [];
  /** Open elements of paragraph properties. */
  #properties = 0;
  #runs = 0;
  #hidden = false;
  #hides = false;
  #inText = false;
  /** What is written above the base of a ruby. */
  #above: string[] | null = null;
  #aboveOpen = false;

  constructor(context: StoryContext, each: string | null) {
    this.#context = context;
    this.#each = each;
    this.#frames = new StoryFrames(context);
  }

  open(name: string, attributes: Readonly<Record<string, string>>, depth: number): void {
    if (this.#skipFrom !== null) return;
    if (this.#properties > 0 && !isFormer(name)) this.#openProperty(name, attributes);
    else if (this.#isUnseen(name)) this.#skipFrom = depth;
    else if (name === this.#each) this.#frames.begin(attributes);
    // What a cell holds that is merged into the one above is not shown. The element is two deeper than the cell.
    else if (name === "vMerge" && attribute(attributes, "val") !== "restart") this.#skipFrom = depth - 2;
    else this.#openContent(name, attributes);
  }

  text(text: string): void {
    if (!this.#inText || this.#skipFrom !== null) return;
    if (this.#hidden) {
      this.#hides = true;
      return;
    }
    if (this.#aboveOpen) this.#above?.push(text);
    else this.#frames.story.text(text);
  }

  close(name: string, depth: number): void {
    if (this.#skipFrom !== null) {
      if (depth !== this.#skipFrom) return;
      this.#skipFrom = null;
      if (name !== "tc") return;
    }
    if (name === "pPr") this.#properties--;
    else if (this.#properties > 0) return;
    else if (name === this.#each) this.#frames.end();
    else this.#closeContent(name);
  }

  finish(): Omit<WalkedStories, "problem"> {
    this.#frames.end();
    return { stories: this.#frames.stories, boxes: this.#frames.boxes, hides: this.#hides };
  }

  #isUnseen(name: string): boolean {
    if (name === "Choice" || name === "Fallback") {
      const read = this.#alternates.at(-1) ?? false;
      if (this.#alternates.length > 0) this.#alternates[this.#alternates.length - 1] = true;
      return read;
    }
    return unseen.has(name) || isFormer(name);
  }

  /** A property of the open paragraph; of the mark at its end nothing matters. */
  #openProperty(name: string, attributes: Readonly<Record<string, string>>): void {
    const { paragraph } = this.#frames;
    const value = (): string => attribute(attributes, "val") ?? "";
    if (name === "pPr") this.#properties++;
    else if (name === "pStyle") paragraph.style = value();
    else if (name === "numId") paragraph.list = value();
    else if (name === "ilvl") paragraph.depth = Number.parseInt(value(), 10) || 0;
    else if (name === "outlineLvl") paragraph.outline = outlineLevel(value());
    else if (name === "del" || name === "moveFrom") paragraph.goesOn = true;
  }

  #openContent(name: string, attributes: Readonly<Record<string, string>>): void {
    const { story } = this.#frames;
    switch (name) {
      case "pPr":
        this.#properties++;
        break;
      case "r":
        this.#runs++;
        this.#hidden = false;
        break;
      case "t":
        this.#inText = true;
        break;
      case "tbl":
        this.#frames.endParagraph();
        story.openTable();
        break;
      case "tr":
        story.openRow();
        break;
      case "tc":
        story.openCell();
        break;
      case "gridSpan":
        story.spanCell(Number(attribute(attributes, "val")));
        break;
      case "txbxContent":
        this.#frames.openBox();
        break;
      case "AlternateContent":
        this.#alternates.push(false);
        break;
      default:
        this.#openInline(name, attributes);
    }
  }

  #openInline(name: string, attributes: Readonly<Record<string, string>>): void {
    const { story } = this.#frames;
    const value = (key: string): string | undefined => attribute(attributes, key);
    if (name === "vanish") this.#hidden = isOn(value("val"));
    else if (name === "rStyle") this.#hidden ||= this.#context.styles.hidden(value("val") ?? "");
    else if ((name === "footnoteReference" || name === "endnoteReference") && !this.#hidden)
      story.text(
        `[${this.#context.noteNumber(name === "footnoteReference" ? "footnote" : "endnote", value("id") ?? "")}]`,
      );
    else if (name === "docPr") story.text(spaced(value("descr") ?? ""));
    else if (name === "shape") story.text(spaced(value("alt") ?? ""));
    else if (name === "textpath") story.text(spaced(value("string") ?? ""));
    else if (name === "ruby") this.#above = [];
    else if (name === "rt" && this.#above !== null) this.#aboveOpen = true;
    else if (this.#runs > 0 && !this.#hidden) this.#openSign(name, value);
  }

  #openSign(name: string, value: (key: string) => string | undefined): void {
    const { story } = this.#frames;
    if (name === "tab" || name === "ptab") story.text(" ");
    else if (name === "br" || name === "cr") story.lineBreak();
    else if (name === "noBreakHyphen") story.text("-");
    else if (name === "sym") story.text(sign(value("font") ?? "", value("char") ?? ""));
  }

  #closeContent(name: string): void {
    const { story } = this.#frames;
    switch (name) {
      case "p":
        this.#frames.endParagraph();
        break;
      case "r":
        this.#runs = Math.max(0, this.#runs - 1);
        this.#hidden = false;
        break;
      case "t":
        this.#inText = false;
        break;
      case "tbl":
        this.#frames.endParagraph();
        story.closeTable();
        break;
      case "tr":
        story.closeRow();
        break;
      case "tc":
        this.#frames.endParagraph();
        story.closeCell();
        break;
      case "txbxContent":
        this.#frames.closeBox();
        break;
      case "AlternateContent":
        this.#alternates.pop();
        break;
      case "rt":
        this.#aboveOpen = false;
        break;
      case "ruby":
        if (this.#above !== null && this.#above.length > 0) story.text(`(${this.#above.join("")})`);
        this.#above = null;
        break;
      default:
    }
  }
}

/** Properties as they were before a change. */
function isFormer(name: string): boolean {
  return name.endsWith("PrChange");
}

function spaced(text: string): string {
  return text.trim() === "" ? "" : ` ${text} `;
}

/** Signs of other fonts of their own have no character. */
function sign(font: string, hex: string): string {
  const code = Number.parseInt(hex, 16);
  if (font.toLowerCase() === "symbol") return symbolText([code]);
  return code >= 0x20 && code < 0xd800 ? String.fromCharCode(code) : "";
}
