import { type Box, readingOrder } from "../slides/reading-order.ts";
import {
  alternativeText,
  type Block,
  oneLine,
  type Paragraph,
  paragraphsBlock,
  type SlideComment,
} from "../slides/slide.ts";
import { childElements, descend, type XmlElement, xmlText } from "../xml/tree.ts";
import { attribute } from "../xml/walk.ts";
import { boxOf, surround } from "./box.ts";
import { type ListStyles, paragraphsIn, tableRows, textIn } from "./text.ts";

const MAX_DEPTH = 50;
/** Placeholders that a master fills on every slide. */
const repeated: ReadonlySet<string> = new Set(["footer", "header", "date-time", "page-number", "page"]);

export interface PageTexts {
  readonly title: string | null;
  readonly blocks: readonly Block[];
  readonly comments: readonly SlideComment[];
  readonly notes: readonly Paragraph[];
}

export interface PageContext {
  readonly styles: ListStyles;
  /** What an embedded chart, sheet or formula shows. */
  object(object: XmlElement): readonly Block[];
}

interface Item {
  readonly box: Box | null;
  readonly blocks: readonly Block[];
}

/** The texts on a page of a presentation or drawing. `own`: leave out what a master page only reserves a place for. */
export function pageTexts(page: XmlElement, context: PageContext, own = false): PageTexts {
  const reader = new PageReader(context, own);
  const blocks = reader.inOrder(page, 0);
  const notes = childElements(page, "notes").flatMap((element) =>
    new PageReader(context, false).inOrder(element, 0),
  );
  return {
    title: reader.title,
    blocks,
    comments: reader.comments,
    notes: notes.flatMap((block) => (block.kind === "paragraphs" ? [...block.paragraphs] : [])),
  };
}

class PageReader {
  title: string | null = null;
  readonly comments: SlideComment[] = [];
  readonly #context: PageContext;
  readonly #own: boolean;

  constructor(context: PageContext, own: boolean) {
    this.#context = context;
    this.#own = own;
  }

  inOrder(parent: XmlElement, depth: number): Block[] {
    const items = this.#items(parent, depth).filter(({ blocks }) => blocks.length > 0);
    return readingOrder(items, ({ box }) => box).flatMap(({ blocks }) => [...blocks]);
  }

  #items(parent: XmlElement, depth: number): Item[] {
    return childElements(parent).flatMap((shape) => this.#itemsOf(shape, depth));
  }

  #itemsOf(shape: XmlElement, depth: number): Item[] {
    switch (shape.name) {
      case "notes":
      case "forms":
      case "page-thumbnail":
      case "title":
      case "desc":
        return [];
      case "annotation":
        this.#comment(shape);
        return [];
      case "a":
        return depth < MAX_DEPTH ? this.#items(shape, depth + 1) : [];
      case "g":
      case "scene":
        return depth < MAX_DEPTH ? [this.#group(shape, depth)] : [];
      case "frame":
        return [this.#frame(shape)];
      default:
        return [this.#shape(shape, shape)];
    }
  }

  #group(shape: XmlElement, depth: number): Item {
    const items = this.#items(shape, depth + 1).filter(({ blocks }) => blocks.length > 0);
    const inner = readingOrder(items, ({ box }) => box).flatMap(({ blocks }) => [...blocks]);
    return { box: surround(items.map(({ box }) => box)), blocks: [...description(shape, false), ...inner] };
  }

  /** A frame holds one thing in several forms, the best first. */
  #frame(frame: XmlElement): Item {
    const box = boxOf(frame);
    const place = attribute(frame.attributes, "class") ?? "";
    if (repeated.has(place) || (this.#own && place !== "")) return { box, blocks: [] };
    const text = descend(frame, "text-box");
    if (text !== null) return this.#shape(frame, text);
    const table = descend(frame, "table");
    const about = description(frame, table === null && descend(frame, "object") === null);
    if (table !== null) return { box, blocks: [...about, { kind: "table", rows: tableRows(table) }] };
    const object = descend(frame, "object");
    return { box, blocks: object === null ? about : [...about, ...this.#context.object(object)] };
  }

  #shape(shape: XmlElement, text: XmlElement): Item {
    const box = boxOf(shape);
    const place = attribute(shape.attributes, "class");
    if (place === "title" && this.title === null) {
      const title = textIn(text);
      if (title !== "") {
        this.title = title;
        return { box, blocks: [] };
      }
    }
    const paragraphs = paragraphsIn(text, this.#context.styles).filter(
      (paragraph) => paragraph.text.trim() !== "",
    );
    if (paragraphs.length === 0) return { box, blocks: description(shape, false) };
    return { box, blocks: [{ kind: "paragraphs", paragraphs }] };
  }

  #comment(annotation: XmlElement): void {
    const author = oneLine(xmlText(descend(annotation, "creator")));
    const text = textIn(annotation);
    if (text !== "") this.comments.push({ author: author === "" ? null : author, text });
  }
}

function description(shape: XmlElement, picture: boolean): Block[] {
  const text =
    alternativeText(xmlText(descend(shape, "desc"))) ?? alternativeText(xmlText(descend(shape, "title")));
  return text === null ? [] : [paragraphsBlock(picture ? `[Picture: ${text}]` : `[${text}]`)];
}
