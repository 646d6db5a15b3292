import type { ParagraphForm } from "../word/story.ts";
import { attribute, type XmlVisitor } from "../xml/walk.ts";
import { OdtLists } from "./lists.ts";
import { OdtStyles } from "./styles.ts";
import { TextFrames } from "../word/text-frames.ts";

/** Deleted text, what fields and lists of contents are made from, and data that is no text. */
const unseen: ReadonlySet<string> = new Set([
  "tracked-changes",
  "note-citation",
  "forms",
  "binary-data",
  "scripts",
  "event-listeners",
  "table-of-content-source",
  "alphabetical-index-source",
  "illustration-index-source",
  "table-index-source",
  "object-index-source",
  "user-index-source",
  "bibliography-source",
  "hidden-text",
  "hidden-paragraph",
  "sequence-decls",
  "number-style",
  "date-style",
  "annotation-end",
  // The number of a heading or an item as it was shown last: it is counted anew.
  "number",
  "meta",
  "settings",
]);
/** Their text does not go where it stands. */
const asides: ReadonlySet<string> = new Set(["ruby-text", "title", "desc"]);
/** Drawings that have paragraphs of their own. */
const shapes: ReadonlySet<string> = new Set([
  "custom-shape",
  "rect",
  "ellipse",
  "circle",
  "line",
  "connector",
  "caption",
  "polygon",
  "polyline",
  "path",
  "regular-polygon",
  "measure",
]);
const commentFacts: ReadonlySet<string> = new Set(["creator", "date", "creator-initials"]);
/** Cells or spaces that one element may stand for. */
const MAX_REPEAT = 40;

type Attributes = Readonly<Record<string, string>>;

/** Reads styles.xml, then content.xml of an OpenDocument text, or both in one file, as they come by. */
export class TextWalker implements XmlVisitor {
  readonly frames: TextFrames;
  readonly #styles = new OdtStyles();
  readonly #lists = new OdtLists(this.#styles);
  /** Texts of embedded formulas by the name of their folder. */
  readonly #formulas: ReadonlyMap<string, string>;
  #skipFrom: number | null = null;
  #notes = 0;
  /** Text that goes elsewhere than into the paragraph: an author's name, a ruby. */
  #aside: string[] | null = null;
  #author = "";

  constructor(formulas: ReadonlyMap<string, string>, maxBlocks?: number) {
    this.#formulas = formulas;
    this.frames = new TextFrames(maxBlocks);
  }

  open(name: string, attributes: Attributes, depth: number): void {
    if (this.#skipFrom !== null) return;
    if (this.#isUnseen(name, attributes)) this.#skipFrom = depth;
    else if (!this.#openFrame(name, attributes) && !this.#openBlock(name, attributes)) {
      this.#openInline(name, attributes);
      this.#styles.open(name, attributes);
    }
  }

  text(text: string): void {
    if (this.#skipFrom !== null) return;
    if (this.#aside !== null) this.#aside.push(text);
    else if (this.frames.top.paragraphs > 0) this.frames.top.story.text(text);
  }

  close(name: string, depth: number): void {
    if (this.#skipFrom !== null) {
      if (depth === this.#skipFrom) this.#skipFrom = null;
    } else if (!this.#closeFrame(name) && !this.#closeBlock(name)) {
      this.#closeInline(name);
      this.#styles.close(name);
    }
  }

  #isUnseen(name: string, attributes: Attributes): boolean {
    if (unseen.has(name)) return true;
    if (name === "section") return attribute(attributes, "display") === "none";
    if (name.startsWith("header") || name.startsWith("footer"))
      return attribute(attributes, "display") === "false";
    return (
      (name === "p" || name === "h" || name === "span") &&
      this.#styles.isHidden(attribute(attributes, "style-name") ?? "")
    );
  }

  #openFrame(name: string, attributes: Attributes): boolean {
    switch (name) {
      case "note":
        this.frames.top.story.text(`[${++this.#notes}]`);
        return true;
      case "note-body":
        this.frames.open("note", `[${this.#notes}]`);
        return true;
      case "annotation":
        this.#author = "";
        this.frames.open("comment", "");
        return true;
      case "text-box":
        this.frames.open("box", "");
        return true;
      default: {
        const kind = shapes.has(name) ? "box" : pageFrame(name);
        if (kind === null || (kind !== "box" && attribute(attributes, "style-name") !== undefined))
          return false;
        this.frames.open(kind, "");
        return true;
      }
    }
  }

  #closeFrame(name: string): boolean {
    if (name === "annotation")
      this.frames.close(this.#author === "" ? "Comment:" : `Comment by ${this.#author}:`);
    else if (name === "note-body" || name === "text-box" || shapes.has(name) || pageFrame(name) !== null)
      this.frames.close();
    else return name === "note";
    return true;
  }

  #openBlock(name: string, attributes: Attributes): boolean {
    const { top } = this.frames;
    const value = (key: string): string | undefined => attribute(attributes, key);
    switch (name) {
      case "p":
      case "h":
        top.paragraphs++;
        top.form = this.#form(name, attributes);
        return true;
      case "list":
        top.lists.push(this.#lists.open(attributes, top.lists.at(-1)));
        return true;
      case "list-item":
      case "list-header":
        top.continues = name === "list-header";
        this.#lists.restart(top.lists, value("start-value"));
        return true;
      case "table":
        top.story.openTable();
        return true;
      case "table-row":
        top.story.openRow();
        return true;
      case "table-cell":
      case "covered-table-cell":
        for (let more = repeats(value("number-columns-repeated")); more > 1; more--) top.story.openCell();
        top.story.openCell();
        return true;
      default:
        return false;
    }
  }

  #closeBlock(name: string): boolean {
    const { top } = this.frames;
    switch (name) {
      case "p":
      case "h":
        this.frames.endParagraph(top.form);
        top.paragraphs = Math.max(0, top.paragraphs - 1);
        top.continues = true;
        return true;
      case "list":
        top.lists.pop();
        return true;
      case "table":
        top.story.closeTable();
        return true;
      case "table-row":
        top.story.closeRow();
        return true;
      case "table-cell":
      case "covered-table-cell":
        top.story.closeCell();
        return true;
      default:
        return name === "list-item" || name === "list-header";
    }
  }

  #openInline(name: string, attributes: Attributes): void {
    const { story } = this.frames.top;
    const value = (key: string): string | undefined => attribute(attributes, key);
    if (name === "s" || name === "tab") story.text(" ");
    else if (name === "line-break") story.lineBreak();
    else if (name === "object") story.text(this.#formula(value("href") ?? ""));
    else if (asides.has(name) || (this.#inCommentHead() && commentFacts.has(name))) this.#aside = [];
  }

  #closeInline(name: string): void {
    if (this.#aside === null) return;
    const aside = this.#aside.join("").trim();
    const { story } = this.frames.top;
    if (name === "creator") this.#author = aside;
    else if (name === "ruby-text") story.text(aside === "" ? "" : `(${aside})`);
    else if (name === "title" || name === "desc") story.text(aside === "" ? "" : ` ${aside} `);
    else if (!commentFacts.has(name)) return;
    this.#aside = null;
  }

  /** Fields of the same names stand in paragraphs. */
  #inCommentHead(): boolean {
    const { kind, paragraphs } = this.frames.top;
    return kind === "comment" && paragraphs === 0;
  }

  #formula(href: string): string {
    const text = this.#formulas.get(href.replace(/^\.\//, ""));
    return text === undefined ? "" : ` ${text} `;
  }

  #form(name: string, attributes: Attributes): ParagraphForm {
    const { lists } = this.frames.top;
    const continues = lists.length > 0 && this.frames.top.continues;
    const style = attribute(attributes, "style-name") ?? "";
    if (name === "h") {
      const level = Math.max(1, Number.parseInt(attribute(attributes, "outline-level") ?? "1", 10) || 1);
      const isCounted = attribute(attributes, "is-list-header") !== "true" && !continues;
      const label = isCounted ? this.#lists.headingLabel(lists, level) : "";
      return { kind: "heading", level, label };
    }
    const label = lists.length === 0 || continues ? null : this.#lists.label(lists);
    if (this.#styles.isTitle(style)) return { kind: "heading", level: 1, label: label ?? "" };
    if (lists.length === 0 || (label === null && !continues)) return { kind: "text" };
    return { kind: "item", depth: lists.length - 1, label: label ?? "", continues };
  }
}

function pageFrame(name: string): "header" | "footer" | null {
  if (name === "header" || name === "header-left" || name === "header-first") return "header";
  return name === "footer" || name === "footer-left" || name === "footer-first" ? "footer" : null;
}

function repeats(value: string | undefined): number {
  const count = Number.parseInt(value ?? "1", 10);
  return count > 1 ? Math.min(count, MAX_REPEAT) : 1;
}
