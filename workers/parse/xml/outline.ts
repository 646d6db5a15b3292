import { cleanText } from "../clean-text.ts";
import { parseTree, textContent } from "../html/tree.ts";
import { isoDate } from "../note-fields.ts";
import type { OutlineEntry, ParsedFile } from "../reader.ts";
import { titleFrom } from "../title.ts";
import { childElements, descend, type XmlElement, xmlText } from "./tree.ts";

type Decode = (text: string) => string;

/** Levels that are indented; deeper items stand below the deepest of them. */
const MAX_INDENT = 20;
const markup = /<\/?[a-z][^<>]{0,500}>|&#?\w{1,30};/i;

/** An outline (OPML): outermost items with others below as headings, all others as lists in lists; notes and addresses with them. */
export function readOutline(root: XmlElement, decode: Decode): Omit<ParsedFile, "warnings"> {
  const document = childElements(root)[0] ?? root;
  const fact = (name: string): string | null => titleFrom(decode(xmlText(descend(document, "head", name))));
  const title = fact("title");
  const author = fact("ownerName");
  const date = isoDate(fact("dateModified") ?? fact("dateCreated"));
  const lines: string[] = title === null ? [] : [`# ${title}`];
  // What stands between two topics belongs to the outline alone.
  const outline: OutlineEntry[] = title === null ? [] : [{ line: 0, level: 1, text: title }];
  const level = outline.length + 1;
  let isList = false;
  for (const item of childElements(descend(document, "body") ?? document, "outline")) {
    const inner = childElements(item, "outline");
    const isTopic = inner.length > 0;
    if (lines.length > 0 && (isTopic || !isList)) lines.push("");
    isList = !isTopic;
    if (!isTopic) {
      writeItem(item, 0, lines, decode);
      continue;
    }
    const line = lines.length;
    const [words = "", ...notes] = itemLines(item, decode);
    lines.push(`${"#".repeat(level)} ${words}`, "", ...notes);
    if (notes.length > 0) lines.push("");
    for (const child of inner) writeItem(child, 0, lines, decode);
    const text = titleFrom(words);
    if (text !== null) outline.push({ line, level, text, endLine: lines.length });
  }
  const text = cleanText(lines.join("\n"));
  return {
    title,
    parts: [{ text, markup: "markdown", locator: null, lines: null, outline }],
    metadata: { ...(author !== null && { author }), ...(date !== null && { date }) },
  };
}

/** The depth of what is walked is bounded by the parser. */
function writeItem(item: XmlElement, depth: number, lines: string[], decode: Decode): void {
  const indent = "  ".repeat(Math.min(depth, MAX_INDENT));
  const [words = "", ...notes] = itemLines(item, decode);
  lines.push(`${indent}- ${words}`, ...notes.map((line) => `${indent}  ${line}`));
  for (const child of childElements(item, "outline")) writeItem(child, depth + 1, lines, decode);
}

/** What an item says, with its address on the same line, then the lines of its note. */
function itemLines({ attributes }: XmlElement, decode: Decode): string[] {
  const said = (name: string): string[] => plainLines(decode(attributes[name] ?? ""));
  const text = said("text");
  const [words = "", ...more] = text.length > 0 ? text : said("title");
  const address = attributes["htmlUrl"] ?? attributes["xmlUrl"] ?? attributes["url"] ?? "";
  const shown = address === "" || words.includes(address) ? words : `${words} <${address}>`.trimStart();
  const done = attributes["_complete"] ?? attributes["complete"];
  const box = done === "true" ? "[x] " : done === "false" ? "[ ] " : "";
  return [`${box}${shown}`, ...more, ...said("_note"), ...said("description")];
}

/** Some programs write HTML into their items. */
function plainLines(text: string): string[] {
  return text
    .replaceAll(/<br\s?\/?>/gi, "\n")
    .split("\n")
    .map((line) => (markup.test(line) ? textContent(parseTree(line).root) : line.trim()))
    .filter((line) => line !== "");
}
