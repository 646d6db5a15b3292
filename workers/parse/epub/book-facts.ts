import { parseTree, textContent } from "../html/tree.ts";
import { titleFrom } from "../title.ts";
import { childElements, type XmlElement, xmlText } from "../xml/tree.ts";
import { attribute } from "../xml/walk.ts";

const MAX_VALUES = 50;
const MAX_DESCRIPTION = 5000;

interface Statement {
  readonly value: string;
  readonly element: XmlElement;
}

/** What a book says of itself. */
export function bookFacts(metadata: XmlElement | null): {
  title: string | null;
  metadata: Record<string, unknown>;
} {
  // EPUB 2 drafts put them one level deeper.
  const elements =
    metadata === null
      ? []
      : childElements(metadata).flatMap((element) => [element, ...childElements(element)]);
  const refined = refinements(elements);
  const all = (name: string): Statement[] =>
    elements
      .filter((element) => element.name === name)
      .slice(0, MAX_VALUES)
      .flatMap((element) => {
        const value = titleFrom(xmlText(element));
        return value === null ? [] : [{ value, element }];
      });
  const detail = ({ element }: Statement, name: string): string | undefined =>
    attribute(element.attributes, name) ?? refined.get(`#${element.attributes["id"] ?? ""} ${name}`);
  const titles = all("title");
  const main = titles.find((title) => detail(title, "title-type") === "main") ?? titles[0];
  const creators = all("creator");
  const authors = creators.filter((creator) => /^(?:aut|author)?$/i.test(detail(creator, "role") ?? ""));
  const dates = all("date");
  const published = dates.find((date) => /publication|issued/i.test(detail(date, "event") ?? "")) ?? dates[0];
  const facts: Record<string, unknown> = {
    author: texts(authors.length > 0 ? authors : creators).join(", "),
    contributors: texts(all("contributor")),
    language: all("language")[0]?.value,
    publisher: all("publisher")[0]?.value,
    published: published?.value,
    identifiers: all("identifier").map((statement) =>
      withScheme(statement.value, detail(statement, "scheme")),
    ),
    subjects: texts(all("subject")),
    subtitle: titles.find((title) => detail(title, "title-type") === "subtitle")?.value,
    series: seriesOf(elements),
    description: descriptionOf(elements),
  };
  return { title: main?.value ?? null, metadata: Object.fromEntries(Object.entries(facts).filter(isSaid)) };
}

function isSaid([, value]: readonly [string, unknown]): boolean {
  return value !== undefined && value !== "" && !(Array.isArray(value) && value.length === 0);
}

function texts(statements: readonly Statement[]): string[] {
  return [...new Set(statements.map(({ value }) => value))];
}

/** `#id property` → value, as EPUB 3 says more of what is said. */
function refinements(elements: readonly XmlElement[]): Map<string, string> {
  const refined = new Map<string, string>();
  for (const { name, attributes, children } of elements) {
    const { refines, property } = attributes;
    if (name !== "meta" || refines === undefined || property === undefined) continue;
    const text = children
      .filter((child) => typeof child === "string")
      .join("")
      .trim();
    refined.set(`${refines} ${property}`, text);
  }
  return refined;
}

function withScheme(value: string, scheme: string | undefined): string {
  const known = scheme === undefined || scheme === "" || value.toLowerCase().includes(scheme.toLowerCase());
  return known ? value : `${scheme}:${value}`;
}

function seriesOf(elements: readonly XmlElement[]): string | undefined {
  for (const element of elements) {
    const { name, property, content } = element.attributes;
    if (name === "calibre:series") return titleFrom(content) ?? undefined;
    if (property === "belongs-to-collection") return titleFrom(xmlText(element)) ?? undefined;
  }
  return undefined;
}

/** Often written as HTML. */
function descriptionOf(elements: readonly XmlElement[]): string | undefined {
  const element = elements.find(({ name }) => name === "description");
  if (element === undefined) return undefined;
  const text = textContent(parseTree(xmlText(element).slice(0, MAX_DESCRIPTION)).root);
  return titleFrom(text.slice(0, 1200)) === null ? undefined : text.slice(0, 1200);
}
