import { childElements, descend, elementsNamed, type XmlElement } from "../xml/tree.ts";
import { type OfficePackage, type Relationship, relationshipId } from "./package.ts";

export interface SlideEntry {
  /** 1-based. */
  readonly number: number;
  /** Null when the file lacks it. */
  readonly part: string | null;
  readonly section: string | null;
}

export interface SlideList {
  readonly entries: readonly SlideEntry[];
  readonly warnings: readonly string[];
}

/** The slides in the order of the deck; in that of their names when the deck's own list cannot be read. */
export async function slideList(office: OfficePackage): Promise<SlideList> {
  const main =
    (await office.relationships("")).find(({ kind }) => kind === "officeDocument")?.part ??
    "ppt/presentation.xml";
  const tree = await office.tree(main);
  const relationships = await office.relationships(main);
  const listed = tree === null ? [] : listedSlides(tree.root, relationships);
  const found = listed.length > 0 ? [] : slidesByName(office, relationships);
  if (found.length === 0) return { entries: listed, warnings: [] };
  const warning = "The list of its slides is damaged: their order is that of the files in it.";
  const entries = found.map((part, index): SlideEntry => ({ number: index + 1, part, section: null }));
  return { entries, warnings: [warning] };
}

function listedSlides(root: XmlElement, relationships: readonly Relationship[]): SlideEntry[] {
  const presentation = childElements(root)[0] ?? root;
  const list = descend(presentation, "sldIdLst");
  const sections = sectionNames(presentation);
  const parts = new Map(relationships.map(({ id, part }) => [id, part]));
  return (list === null ? [] : childElements(list, "sldId")).map((entry, index) => ({
    number: index + 1,
    part: parts.get(relationshipId(entry) ?? "") ?? null,
    section: sections.get(entry.attributes["id"] ?? "") ?? null,
  }));
}

/** Id of a slide → name of its section. */
function sectionNames(presentation: XmlElement): Map<string, string> {
  const names = new Map<string, string>();
  for (const section of elementsNamed(presentation, "section")) {
    const name = (section.attributes["name"] ?? "").trim();
    if (name === "" || /^default section$/i.test(name)) continue;
    for (const entry of elementsNamed(section, "sldId")) names.set(entry.attributes["id"] ?? "", name);
  }
  return names;
}

function slidesByName(office: OfficePackage, relationships: readonly Relationship[]): string[] {
  const related = relationships.filter(({ kind }) => kind === "slide").map(({ part }) => part);
  const named = office.partNames.filter((name) => /(?:^|\/)slides\/slide\d+\.xml$/i.test(name));
  const parts = new Set([...related, ...named].filter((part) => part !== null));
  const number = (part: string): number => Number(/(\d+)\.xml$/i.exec(part)?.[1] ?? 0);
  return [...parts].sort((a, b) => number(a) - number(b));
}
