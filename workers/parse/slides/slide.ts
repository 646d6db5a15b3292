/** One paragraph of a text box. */
export interface Paragraph {
  /** Line breaks inside of it are \n. */
  readonly text: string;
  /** 0 is the outermost. */
  readonly level: number;
  readonly mark: "none" | "bullet" | "number";
}

/** What stands in one place of a slide. */
export type Block =
  | { readonly kind: "paragraphs"; readonly paragraphs: readonly Paragraph[] }
  /** Rows of cells, the first the names of the columns. */
  | { readonly kind: "table"; readonly rows: readonly (readonly string[])[] };

export interface SlideComment {
  readonly author: string | null;
  readonly text: string;
}

/** What a person finds on one slide, in reading order. */
export interface Slide {
  /** Its place in the deck, 1-based. */
  readonly number: number;
  readonly title: string | null;
  readonly hidden: boolean;
  /** The part of the deck that it belongs to. */
  readonly section: string | null;
  readonly blocks: readonly Block[];
  /** What stands on many slides alike: footers, dates, texts of the master. */
  readonly footers: readonly string[];
  readonly comments: readonly SlideComment[];
  readonly notes: readonly Paragraph[];
}

export function plainParagraph(text: string): Paragraph {
  return { text, level: 0, mark: "none" };
}

export function paragraphsBlock(...texts: readonly string[]): Block {
  return { kind: "paragraphs", paragraphs: texts.map(plainParagraph) };
}

/** On one line. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

const automatic =
  /\s*(?:AI-generated content may be incorrect|Description automatically generated[^.]*)\.?\s*$/i;
const fileName = /^\S+\.(?:png|jpe?g|gif|bmp|tiff?|emf|wmf|svg|webp)$/i;

/** What stands for a picture: its description, unless that is only the name of its file; null when there is none. */
export function alternativeText(description: string | undefined): string | null {
  const text = oneLine((description ?? "").slice(0, 10_000)).replace(automatic, "");
  return text === "" || fileName.test(text) ? null : text;
}
