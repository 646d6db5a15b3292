import type { Element, Node } from "../html/tree.ts";

/** What a paragraph is; `depth` of a list item is 0 for the outermost, `label` is the number that its program shows before it. */
export type ParagraphForm =
  | { readonly kind: "text" }
  | { readonly kind: "heading"; readonly level: number; readonly label: string }
  | {
      readonly kind: "item";
      readonly depth: number;
      /** "3.", "(a)", "2.1"; empty for a bullet. */
      readonly label: string;
      /** A further paragraph of the item before it. */
      readonly continues?: boolean;
    };

/** Tables in tables in tables are a layout: what is nested deeper is read as paragraphs. */
const MAX_TABLE_DEPTH = 8;
const MAX_LIST_DEPTH = 8;
/** Columns one cell may span. */
const MAX_SPAN = 100;
/** Paragraphs and cells of one document; that many fill some 150 MB. */
export const MAX_BLOCKS = 500_000;
/** What Markdown itself counts. */
const plainNumber = /^(\d{1,9})[.)]?$/;

/** How many paragraphs and cells there may still be, in all stories of a document together; what comes after is left out. */
export interface StoryBudget {
  blocks: number;
  isSpent: boolean;
}

export function storyBudget(blocks = MAX_BLOCKS): StoryBudget {
  return { blocks, isSpent: false };
}

/**
 * Builds the tree of a word-processing document as its paragraphs and tables come by, in reading order. Everything that is
 * opened may be left open, and what is closed need not be open: broken files do so.
 */
export interface Story {
  text(text: string): void;
  lineBreak(): void;
  /** One that is empty leaves nothing. */
  endParagraph(form: ParagraphForm): void;
  openTable(): void;
  closeTable(): void;
  openRow(): void;
  closeRow(): void;
  openCell(): void;
  /** The open cell fills so many columns. */
  spanCell(columns: number): void;
  closeCell(): void;
  /** Blocks that are ready, behind what stands there. */
  place(blocks: readonly Node[]): void;
  /** The whole, named "#root". */
  finish(): Element;
}

export function createStory(budget = storyBudget()): Story {
  return new StoryTree(budget);
}

const none: Readonly<Record<string, string>> = {};

export function element(name: string, children: Node[] = []): Element {
  return { name, attributes: none, children };
}

class StoryTree implements Story {
  readonly #budget: StoryBudget;
  readonly #root = element("#root");
  /** Containers that are open: the root, then tables, rows and cells. */
  readonly #open: Element[] = [this.#root];
  #inline: Node[] = [];
  #tables = 0;
  /** Tables that are open and were not made. */
  #ignored = 0;

  constructor(budget: StoryBudget) {
    this.#budget = budget;
  }

  text(text: string): void {
    if (text !== "" && !this.#budget.isSpent) this.#inline.push(text);
  }

  lineBreak(): void {
    if (!this.#budget.isSpent) this.#inline.push(element("br"));
  }

  endParagraph(form: ParagraphForm): void {
    const inline = this.#inline;
    this.#inline = [];
    if (!inline.some((node) => (typeof node === "string" ? node.trim() !== "" : node.name !== "br"))) return;
    const container = this.#container();
    this.#spend();
    // An array that was pushed to keeps room for more.
    const nodes = joined(inline);
    if (form.kind === "text") container.children.push(element("p", nodes));
    else if (form.kind === "heading")
      container.children.push(
        element(`h${Math.min(6, Math.max(1, form.level))}`, labelled(form.label, nodes)),
      );
    else addItem(container, nodes, form);
  }

  #spend(): void {
    this.#budget.isSpent ||= --this.#budget.blocks < 0;
  }

  openTable(): void {
    this.#endText();
    if (this.#ignored > 0 || this.#tables >= MAX_TABLE_DEPTH || this.#budget.isSpent) {
      this.#ignored++;
      return;
    }
    this.#tables++;
    this.#push("table", this.#container());
  }

  closeTable(): void {
    this.#endText();
    if (this.#ignored > 0) this.#ignored--;
    else if (this.#popTo("table")) this.#tables--;
  }

  openRow(): void {
    if (this.#ignored > 0) return;
    this.#endText();
    this.#popAbove("table");
    if (this.#budget.isSpent) return;
    const table = this.#open.at(-1);
    if (table?.name === "table") this.#push("tr", table);
  }

  closeRow(): void {
    if (this.#ignored > 0) return;
    this.#endText();
    if (this.#nearest() === "table") this.#popAbove("table");
  }

  openCell(): void {
    if (this.#ignored > 0) return;
    this.#endText();
    this.#popAbove("tr");
    const row = this.#open.at(-1);
    if (row?.name !== "tr" || this.#budget.isSpent) return;
    this.#spend();
    this.#push("td", row);
  }

  spanCell(columns: number): void {
    const cell = this.#open.at(-1);
    const row = this.#open.at(-2);
    const span = Math.min(MAX_SPAN, Math.trunc(columns));
    if (this.#ignored > 0 || cell?.name !== "td" || row?.name !== "tr" || !(span > 1)) return;
    const spanning = { ...cell, attributes: { colspan: String(span) } };
    row.children[row.children.length - 1] = spanning;
    this.#open[this.#open.length - 1] = spanning;
  }

  closeCell(): void {
    if (this.#ignored > 0) return;
    this.#endText();
    const cell = this.#open.at(-1);
    const row = this.#open.at(-2);
    if (cell?.name === "td" && row?.name === "tr")
      row.children[row.children.length - 1] = { ...cell, children: compact(cell.children) };
    if (this.#nearest() === "table") this.#popAbove("tr");
  }

  place(blocks: readonly Node[]): void {
    this.#endText();
    const { children } = this.#container();
    for (const block of blocks) children.push(block);
  }

  finish(): Element {
    this.#endText();
    return this.#root;
  }

  #endText(): void {
    this.endParagraph({ kind: "text" });
  }

  /** Where blocks go: text between the cells of a broken table goes into a cell too. */
  #container(): Element {
    const top = this.#open.at(-1) ?? this.#root;
    if (top.name === "table") return this.#push("td", this.#push("tr", top));
    return top.name === "tr" ? this.#push("td", top) : top;
  }

  #push(name: string, parent: Element): Element {
    const made = element(name);
    parent.children.push(made);
    this.#open.push(made);
    return made;
  }

  #nearest(): "table" | "#root" {
    return this.#tables > 0 ? "table" : "#root";
  }

  /** Closes what is open inside the innermost of that name, if it belongs to the innermost table. */
  #popAbove(name: "table" | "tr"): void {
    for (let at = this.#open.length - 1; at > 0; at--) {
      const open = this.#open[at];
      if (open?.name === name) this.#open.length = at + 1;
      if (open?.name === name || open?.name === "table") return;
    }
  }

  #popTo(name: "table"): boolean {
    const at = this.#open.findLastIndex((open) => open.name === name);
    if (at > 0) this.#open.length = at;
    return at > 0;
  }
}

/** Texts that follow one another as one. */
function joined(nodes: readonly Node[]): Node[] {
  if (nodes.every((node) => typeof node === "string")) return [nodes.join("")];
  return nodes.slice();
}

/** Most cells hold one paragraph of plain text: a large table of them takes a third of the memory without their elements. */
function compact(children: readonly Node[]): Node[] {
  const [only] = children;
  if (children.length !== 1 || typeof only !== "object" || only.name !== "p") return children.slice();
  const [text] = only.children;
  return only.children.length === 1 && typeof text === "string" ? [text] : [only];
}

function labelled(label: string, inline: Node[]): Node[] {
  return label === "" ? inline : [`${label} `, ...inline];
}

/** Into the list that the container ends with, or a list of the last item of that, as deep as asked for. */
function addItem(
  container: Element,
  inline: Node[],
  { depth, label, continues }: Extract<ParagraphForm, { kind: "item" }>,
): void {
  let parent = container;
  for (let at = 0; at < Math.min(depth, MAX_LIST_DEPTH); at++) {
    const last = lastItem(parent);
    if (last === null) break;
    parent = last;
  }
  const item = continues === true ? lastItem(parent) : null;
  if (continues === true) {
    (item ?? parent).children.push(element("p", inline));
    return;
  }
  const number = plainNumber.exec(label)?.[1];
  if (number === undefined) listOf(parent, "ul", null).children.push(element("li", labelled(label, inline)));
  else listOf(parent, "ol", Number(number)).children.push(element("li", inline));
}

/** The list that the parent ends with, where an item of that kind and number is the next of it; else a new one. */
function listOf(parent: Element, name: "ol" | "ul", number: number | null): Element {
  const open = parent.children.at(-1);
  const isOpen = typeof open === "object" && open.name === name;
  if (isOpen && (number === null || firstOf(open) + open.children.length === number)) return open;
  const list = element(name);
  const made = number === null || number === 1 ? list : { ...list, attributes: { start: String(number) } };
  parent.children.push(made);
  return made;
}

function firstOf(list: Element): number {
  return Number(list.attributes["start"] ?? 1);
}

function lastItem(parent: Element): Element | null {
  const list = parent.children.at(-1);
  if (typeof list !== "object" || (list.name !== "ul" && list.name !== "ol")) return null;
  const last = list.children.at(-1);
  return typeof last === "object" ? last : null;
}
