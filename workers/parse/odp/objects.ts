import { type Block, paragraphsBlock } from "../slides/slide.ts";
import { descend, elementsNamed, type XmlElement } from "../xml/tree.ts";
import { attribute } from "../xml/walk.ts";
import type { OpenDocument } from "./open-document.ts";
import { formulaText, tableRows, textIn } from "./text.ts";

/** Objects of one presentation that are looked into. */
const MAX_OBJECTS = 500;

/** Embedded charts, sheets and formulas of all pages → what they show. */
export async function objectsIn(document: OpenDocument): Promise<ReadonlyMap<XmlElement, readonly Block[]>> {
  const found = new Map<XmlElement, readonly Block[]>();
  for (const element of elementsNamed(document.content, "object").slice(0, MAX_OBJECTS)) {
    const path = attribute(element.attributes, "href");
    const root = path === undefined ? element : await document.object(path);
    if (root !== null) found.set(element, blocksOf(root));
  }
  return found;
}

function blocksOf(root: XmlElement): Block[] {
  const [math] = elementsNamed(root, "math");
  if (math !== undefined) return [paragraphsBlock(formulaText(math))];
  const [chart] = elementsNamed(root, "chart").flatMap((outer) => descend(outer, "chart") ?? outer);
  const titles = ["title", "subtitle"].flatMap((name) => {
    const [element] = chart === undefined ? [] : elementsNamed(chart, name);
    return element === undefined ? [] : [textIn(element)];
  });
  const heading = titles.filter((title) => title !== "").join(" – ");
  const tables = elementsNamed(root, "table").map((table): Block => ({
    kind: "table",
    rows: tableRows(table),
  }));
  const texts = elementsNamed(root, "text")
    .map(textIn)
    .filter((text) => text !== "");
  return [
    ...(heading === "" ? [] : [paragraphsBlock(heading)]),
    ...tables,
    ...texts.map((text) => paragraphsBlock(text)),
  ];
}
