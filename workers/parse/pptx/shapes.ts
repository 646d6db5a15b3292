import { type Box, readingOrder } from "../slides/reading-order.ts";
import { alternativeText, type Block, paragraphsBlock } from "../slides/slide.ts";
import { childElements, descend, elementsNamed, type XmlElement } from "../xml/tree.ts";
import { relationshipId } from "./package.ts";
import { bodyText, paragraphsOf } from "./paragraphs.ts";
import { boxOf, inherit, isTitle, type Placeholder, placeholderOf, type SlideTheme } from "./placeholders.ts";

/** Groups in groups deeper than this are left out. */
const MAX_DEPTH = 50;

export interface ShapeTexts {
  readonly title: string | null;
  readonly blocks: readonly Block[];
  readonly footers: readonly string[];
  /** Relationships of embedded files that a person can open from the slide. */
  readonly embedded: readonly string[];
}

export interface ShapeContext {
  readonly theme: SlideTheme;
  /** Placeholders are shown: those of a layout or master only hint at what to write. */
  readonly placeholders: boolean;
  /** What a chart or diagram shows, by its relationship. */
  graphic(id: string): readonly Block[];
}

interface Item {
  readonly box: Box | null;
  readonly blocks: readonly Block[];
}

/** The texts of the shapes on a slide, notes page, layout or master. `root` is its part. */
export function shapeTexts(root: XmlElement, context: ShapeContext): ShapeTexts {
  const reader = new ShapeReader(context);
  const tree = descend(childElements(root)[0] ?? null, "cSld", "spTree");
  const blocks = tree === null ? [] : reader.inOrder(tree, 0);
  return { title: reader.title, blocks, footers: reader.footers, embedded: reader.embedded };
}

class ShapeReader {
  title: string | null = null;
  readonly footers: string[] = [];
  readonly embedded: string[] = [];
  readonly #context: ShapeContext;

  constructor(context: ShapeContext) {
    this.#context = context;
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
      case "sp":
        return [this.#box(shape)];
      case "grpSp": {
        const inner = depth < MAX_DEPTH ? this.inOrder(shape, depth + 1) : [];
        return [{ box: boxOf(shape), blocks: [...description(shape, false), ...inner] }];
      }
      case "graphicFrame":
        return [{ box: boxOf(shape), blocks: [...description(shape, false), ...this.#frame(shape)] }];
      case "pic":
        return [this.#picture(shape)];
      case "cxnSp":
        return [{ box: boxOf(shape), blocks: description(shape, false) }];
      case "AlternateContent":
        return this.#alternatives(shape, depth);
      default:
        return [];
    }
  }

  /** The first of several forms of one shape that says something. */
  #alternatives(shape: XmlElement, depth: number): Item[] {
    for (const form of depth < MAX_DEPTH ? childElements(shape) : []) {
      const items = this.#items(form, depth + 1).filter(({ blocks }) => blocks.length > 0);
      if (items.length > 0) return items;
    }
    return [];
  }

  #box(shape: XmlElement): Item {
    const { theme, placeholders } = this.#context;
    const placeholder = placeholderOf(shape);
    if (placeholder !== null && !placeholders) return { box: null, blocks: [] };
    const inherited = inherit(placeholder, theme);
    const body = descend(shape, "txBody");
    const box = boxOf(shape) ?? inherited.box;
    if (placeholder !== null && this.#takesAside(placeholder, body)) return { box, blocks: [] };
    const paragraphs = paragraphsOf(body, inherited.marks).filter(({ text }) => text.trim() !== "");
    const texts: Block[] = paragraphs.length === 0 ? [] : [{ kind: "paragraphs", paragraphs }];
    return { box, blocks: paragraphs.length === 0 ? description(shape, false) : texts };
  }

  /** The title, footers and the number of the slide stand for themselves. */
  #takesAside(placeholder: Placeholder, body: XmlElement | null): boolean {
    const { type } = placeholder;
    if (type === "sldNum" || type === "sldImg") return true;
    const text = bodyText(body);
    if (type === "ftr" || type === "dt" || type === "hdr") {
      if (text !== "") this.footers.push(text);
      return true;
    }
    if (!isTitle(placeholder) || this.title !== null || text === "") return false;
    this.title = text;
    return true;
  }

  #picture(shape: XmlElement): Item {
    const box = boxOf(shape) ?? inherit(placeholderOf(shape), this.#context.theme).box;
    return { box, blocks: description(shape, true) };
  }

  #frame(frame: XmlElement): readonly Block[] {
    const data = descend(frame, "graphic", "graphicData");
    const table = descend(data, "tbl");
    if (table !== null) return [tableBlock(table)];
    for (const child of data === null ? [] : elementsNamed(data, "chart")) {
      return this.#context.graphic(relationshipId(child) ?? "");
    }
    for (const child of data === null ? [] : elementsNamed(data, "relIds")) {
      return this.#context.graphic(relationshipId(child, "dm") ?? "");
    }
    for (const object of data === null ? [] : elementsNamed(data, "oleObj").slice(0, 1)) {
      const id = relationshipId(object);
      if (id !== undefined) this.embedded.push(id);
    }
    return [];
  }
}

function tableBlock(table: XmlElement): Block {
  const rows = childElements(table, "tr").map((row) =>
    childElements(row, "tc").map((cell) => bodyText(descend(cell, "txBody"))),
  );
  const [first] = rows;
  const single = rows.length === 1 && first?.length === 1;
  return single ? paragraphsBlock(first[0] ?? "") : { kind: "table", rows };
}

/** What stands for a shape that cannot be seen. */
function description(shape: XmlElement, picture: boolean): Block[] {
  const properties = childElements(shape).find(({ name }) => name.startsWith("nv"));
  const named = descend(properties ?? null, "cNvPr")?.attributes;
  const text = alternativeText(named?.["descr"]) ?? alternativeText(named?.["title"]);
  return text === null ? [] : [paragraphsBlock(picture ? `[Picture: ${text}]` : `[${text}]`)];
}
