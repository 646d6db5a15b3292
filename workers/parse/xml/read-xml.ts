import { cleanText } from "../clean-text.ts";
import { readPage } from "../html/read-page.ts";
import { toMarkdown } from "../html/to-markdown.ts";
import { type ParsedFile, type ReadInput, ReadProblem } from "../reader.ts";
import { textOf } from "../text-of.ts";
import { titleFrom } from "../title.ts";
import { readDocBook } from "./docbook.ts";
import { entityDecoder } from "./entities.ts";
import { readFeed } from "./feed.ts";
import { readFictionBook } from "./fiction-book.ts";
import { readOutline } from "./outline.ts";
import { type XmlRoot, xmlRoot } from "./root-name.ts";
import { childElements, elementsNamed, type XmlElement, xmlText, xmlTree } from "./tree.ts";

/** Parsing serves the title alone, so a larger file goes without. */
const MAX_TITLED_LENGTH = 1024 * 1024;

type Kind = "feed" | "docbook" | "fictionbook" | "outline" | "svg" | "html" | "data";

export async function readXml(input: ReadInput): Promise<ParsedFile> {
  const { text, encoding, warnings } = textOf(input);
  const root = xmlRoot(text);
  const kind = root === null ? "data" : kindOf(root, text);
  if (kind === "html") return readPage(input);
  if (kind === "data" || root === null) return asItStands(input, []);
  const decode = entityDecoder(root.doctype);
  let tree: XmlElement;
  let problem: ReadProblem | null;
  try {
    ({ root: tree, problem } = await xmlTree(text));
  } catch (error) {
    if (!(error instanceof ReadProblem)) throw error;
    return asItStands(input, [`${error.message} It was indexed as it stands.`]);
  }
  const all =
    problem === null ? warnings : [...warnings, `What follows a mistake was left out: ${problem.message}`];
  if (kind === "feed") {
    const { entries, ...feed } = readFeed(tree, decode);
    if (entries === 0 && problem !== null)
      return asItStands(input, [`${problem.message} It was indexed as it stands.`]);
    return { ...feed, metadata: { encoding, kind: "feed", ...feed.metadata }, warnings: all };
  }
  if (kind === "outline" || kind === "fictionbook") {
    const read = kind === "outline" ? readOutline(tree, decode) : readFictionBook(tree, decode);
    if (problem !== null && read.parts.every(({ text }) => text === ""))
      return asItStands(input, [`${problem.message} It was indexed as it stands.`]);
    return { ...read, metadata: { encoding, kind, ...read.metadata }, warnings: all };
  }
  if (kind === "svg") return readDrawing(tree, decode, { encoding, kind: "drawing" }, all);
  const { title, tree: html, metadata } = readDocBook(tree, decode);
  const body = cleanText(toMarkdown(html));
  if (body.trim() === "" && problem !== null)
    return asItStands(input, [`${problem.message} It was indexed as it stands.`]);
  return {
    title,
    parts: [{ text: body, markup: "markdown", locator: null, lines: null }],
    metadata: { encoding, kind: "docbook", ...metadata },
    warnings: all,
  };
}

function kindOf(root: XmlRoot, text: string): Kind {
  const name = root.name.toLowerCase();
  if (name === "rss" || name === "feed" || name === "rdf") {
    return /<(?:\w+:)?(?:channel|entry|item)[\s>]/.test(text.slice(0, 200_000)) ? "feed" : "data";
  }
  if (name === "opml") return "outline";
  if (name === "svg" || name === "fictionbook") return name;
  if (name === "html") return "html";
  const isDocBook =
    /docbook/i.test(root.doctype) || /["']https?:\/\/docbook\.org\/ns\/docbook["']/.test(root.tag);
  return isDocBook ? "docbook" : "data";
}

/** Text of a drawing, each piece on a line. */
function readDrawing(
  tree: XmlElement,
  decode: (text: string) => string,
  metadata: Readonly<Record<string, unknown>>,
  warnings: readonly string[],
): ParsedFile {
  const drawing = childElements(tree)[0] ?? tree;
  const title = titleFrom(decode(xmlText(childElements(drawing, "title")[0] ?? null)));
  const pieces = [...["title", "desc"].flatMap((name) => elementsNamed(drawing, name)), ...wordsOf(drawing)];
  const lines = pieces.map((piece) => decode(textOfDrawing(piece))).filter((line) => line !== "");
  const text = cleanText([...new Set(lines)].join("\n"));
  if (text.trim() === "") throw new ReadProblem("no_text", "The drawing has no text in it.");
  return { title, parts: [{ text, markup: "plain", locator: null, lines: null }], metadata, warnings };
}

/** Where a drawing has its words as a page too, in case a program can show one, that says all of them. */
function wordsOf(parent: XmlElement, found: XmlElement[] = []): XmlElement[] {
  for (const child of childElements(parent)) {
    const page = child.name === "switch" ? childElements(child, "foreignObject")[0] : undefined;
    if (page !== undefined) found.push(page);
    else if (child.name === "text" || child.name === "foreignObject") found.push(child);
    else wordsOf(child, found);
  }
  return found;
}

/** Pieces of a text that are placed apart are words apart, and so are all of a page. */
function textOfDrawing(element: XmlElement): string {
  const pieces = element.children.map((child) => {
    if (typeof child === "string") return child;
    return ` ${element.name === "text" ? xmlText(child) : textOfDrawing(child)} `;
  });
  return pieces.join("").replaceAll(/\s+/g, " ").trim();
}

/** The lines of the file, so that a hit shows the real ones. */
async function asItStands(input: ReadInput, warnings: readonly string[]): Promise<ParsedFile> {
  const { text, encoding, warnings: decoding } = textOf(input);
  return {
    title: text.length > MAX_TITLED_LENGTH ? null : await dataTitle(text),
    parts: [{ text, markup: "code", locator: null, lines: { kind: "same", first: input.firstLine } }],
    metadata: { encoding, kind: "data" },
    warnings: [...decoding, ...warnings],
  };
}

/** What the root element calls itself. */
async function dataTitle(text: string): Promise<string | null> {
  try {
    const root = childElements((await xmlTree(text)).root)[0];
    if (root === undefined) return null;
    const named = childElements(root).find((child) => /^(?:title|name)$/i.test(child.name));
    return titleFrom(xmlText(named ?? null));
  } catch (error) {
    if (error instanceof ReadProblem) return null;
    throw error;
  }
}
