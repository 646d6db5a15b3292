import type { OfficePackage, Relationship } from "../pptx/package.ts";
import { elementsNamed, type XmlElement, xmlText } from "../xml/tree.ts";

/** What stands on a sheet but in no cell: text boxes, alternative texts of pictures, titles of charts. */
export async function drawingTexts(
  office: OfficePackage,
  relationships: readonly Relationship[],
): Promise<string[]> {
  const texts: string[] = [];
  for (const { kind, part } of relationships) {
    if (kind !== "drawing" || part === null) continue;
    const tree = await office.tree(part);
    if (tree === null) continue;
    texts.push(...shapeTexts(tree.root));
    for (const below of await office.relationships(part))
      if (/^chart(?:Ex)?$/.test(below.kind) && below.part !== null)
        texts.push(...chartTexts((await office.tree(below.part))?.root ?? null));
  }
  return texts;
}

/** In document order. What stands in a fallback stands before it too. */
function shapeTexts(root: XmlElement): string[] {
  const texts: string[] = [];
  const visit = (element: XmlElement): void => {
    if (element.name === "Fallback") return;
    if (element.name === "txBody") {
      texts.push(...elementsNamed(element, "p").map(runsText));
      return;
    }
    if (element.name === "cNvPr") {
      const alternative = element.attributes["descr"] ?? element.attributes["title"] ?? "";
      if (alternative !== "") texts.push(`[Image: ${alternative}]`);
    }
    for (const child of element.children) if (typeof child !== "string") visit(child);
  };
  visit(root);
  return texts;
}

/** What a chart shows stands in the cells; its titles do not. */
function chartTexts(root: XmlElement | null): string[] {
  if (root === null) return [];
  const titles = elementsNamed(root, "title")
    .map(runsText)
    .filter((text) => text.trim() !== "");
  return titles.length === 0 ? [] : [`[Chart: ${titles.join(" – ")}]`];
}

function runsText(element: XmlElement): string {
  const runs = elementsNamed(element, "t");
  return (runs.length > 0 ? runs : elementsNamed(element, "v")).map(xmlText).join("");
}
