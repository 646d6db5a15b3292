import { cleanText } from "../clean-text.ts";
import { toMarkdown } from "../html/to-markdown.ts";
import { parseTree, textContent } from "../html/tree.ts";
import { distinct, isoDate } from "../note-fields.ts";
import type { ParsedFile, Part } from "../reader.ts";
import { titleFrom } from "../title.ts";
import { childElements, elementsNamed, type XmlElement, xmlText } from "./tree.ts";

export interface Feed extends Omit<ParsedFile, "warnings"> {
  readonly entries: number;
}

/** A feed of RSS, RDF or Atom: its own words first, then a part for each entry, in the feed's order. */
export function readFeed(root: XmlElement, decode: (text: string) => string): Feed {
  const channel = elementsNamed(root, "channel")[0] ?? elementsNamed(root, "feed")[0] ?? root;
  // RDF has its items beside the channel.
  const inside = [...childElements(channel, "item"), ...childElements(channel, "entry")];
  const items =
    inside.length > 0 ? inside : [...elementsNamed(root, "item"), ...elementsNamed(root, "entry")];
  const title = words(first(channel, ["title"]), decode);
  const above = title === null ? [] : [title];
  const parts: Part[] = [];
  const about = words(first(channel, ["description", "subtitle", "tagline"]), decode);
  if (about !== null || title !== null) {
    const text = cleanText([title === null ? "" : `# ${title}`, about ?? ""].filter(Boolean).join("\n\n"));
    parts.push({ text, markup: "markdown", locator: null, lines: null });
  }
  const tags: string[] = [];
  for (const item of items) {
    const part = entryPart(item, above, decode);
    if (part !== null) parts.push(part);
    for (const category of childElements(item, "category"))
      tags.push(titleFrom(xmlText(category)) ?? category.attributes["term"] ?? "");
  }
  const language =
    titleFrom(xmlText(first(channel, ["language"]))) ?? titleFrom(channel.attributes["xml:lang"]);
  const link = linkOf(channel);
  const date = isoDate(xmlText(first(channel, ["lastBuildDate", "pubDate", "updated", "modified", "date"])));
  const found = distinct(tags.filter(Boolean));
  return {
    title,
    parts,
    entries: items.length,
    metadata: {
      entries: items.length,
      ...(language !== null && { language }),
      ...(link !== null && { url: link }),
      ...(date !== null && { date }),
      ...(found.length > 0 && { tags: found }),
    },
  };
}

function entryPart(
  item: XmlElement,
  above: readonly string[],
  decode: (text: string) => string,
): Part | null {
  const title = words(first(item, ["title"]), decode);
  const content = first(item, ["encoded", "content"]);
  const group = childElements(item, "group")[0];
  const summary =
    first(item, ["description", "summary"]) ?? (group === undefined ? null : first(group, ["description"]));
  const long = markdownOf(content, decode);
  const short = markdownOf(summary, decode);
  // Many feeds give the beginning of the text once more as its summary.
  const body = long.length >= short.length ? long : short;
  const date = isoDate(
    xmlText(first(item, ["pubDate", "published", "updated", "issued", "date", "created", "modified"])),
  );
  const author = words(first(item, ["creator", "author"]), decode);
  const about = [date, author, linkOf(item)].filter((value) => value !== null).join(" · ");
  const text = cleanText(
    [title === null ? "" : `# ${title}`, about, body].filter(Boolean).join("\n\n"),
  ).trim();
  if (text === "") return null;
  return {
    text,
    markup: "markdown",
    locator: title === null ? null : { chapter: title },
    lines: null,
    headings: above,
  };
}

function first(element: XmlElement, names: readonly string[]): XmlElement | null {
  for (const name of names) {
    const found = childElements(element, name).find((child) => xmlText(child).trim() !== "");
    if (found !== undefined) return found;
  }
  return null;
}

/** Text on one line. Escaped HTML is what most feeds write, whatever they say. */
function words(element: XmlElement | null, decode: (text: string) => string): string | null {
  if (element === null) return null;
  const name = childElements(element, "name")[0];
  const text = decode(xmlText(name ?? element));
  return titleFrom(/<\/?[a-z][^<>]*>|&#?\w+;/i.test(text) ? textContent(parseTree(text).root) : text);
}

/** The address of a page that it is about. */
function linkOf(element: XmlElement): string | null {
  const links = childElements(element, "link");
  const page = links.find(
    (link) => (link.attributes["rel"] ?? "alternate") === "alternate" && link.attributes["href"],
  );
  return (
    titleFrom(page?.attributes["href"]) ??
    titleFrom(xmlText(links.find((link) => xmlText(link).trim() !== "") ?? null))
  );
}

function markdownOf(element: XmlElement | null, decode: (text: string) => string): string {
  if (element === null) return "";
  const nested = childElements(element).length > 0;
  const html = nested ? element.children.map((child) => markup(child)).join("") : xmlText(element);
  if (!nested && !/<[a-z!/]|&#?\w+;/i.test(html)) return decode(html).trim();
  // Headings of an entry stand below its title.
  return toMarkdown(parseTree(html).root)
    .replaceAll(/^#(?=#{0,4} )/gm, "##")
    .trim();
}

/** XHTML of a feed, written down again to be read as what it is. */
function markup(node: XmlElement | string): string {
  if (typeof node === "string") return node.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const attributes = ["class", "alt", "href", "start"]
    .filter((name) => node.attributes[name] !== undefined)
    .map((name) => ` ${name}="${(node.attributes[name] ?? "").replaceAll('"', "&quot;")}"`)
    .join("");
  const inner = node.children.map(markup).join("");
  return /^(?:br|hr|img)$/.test(node.name)
    ? `<${node.name}${attributes}>`
    : `<${node.name}${attributes}>${inner}</${node.name}>`;
}
