import type { Paragraph } from "../slides/slide.ts";
import { childElements, descend, elementsNamed, type XmlElement } from "../xml/tree.ts";
import { bodyText } from "./paragraphs.ts";

const MAX_DEPTH = 20;

/** The texts of a SmartArt diagram as a list, each below the one it belongs to. `root` is its data part. */
export function diagramParagraphs(root: XmlElement): Paragraph[] {
  const model = descend(root, "dataModel") ?? root;
  const points = new Map<string, XmlElement>();
  const starts: string[] = [];
  for (const point of elementsNamed(model, "pt")) {
    const id = point.attributes["modelId"] ?? "";
    points.set(id, point);
    if (point.attributes["type"] === "doc") starts.push(id);
  }
  const below = childrenById(model);
  const paragraphs: Paragraph[] = [];
  const seen = new Set<string>();
  const visit = (id: string, level: number, depth: number): void => {
    if (seen.has(id) || depth > MAX_DEPTH) return;
    seen.add(id);
    const text = textOfPoint(points.get(id));
    if (text !== "") paragraphs.push({ text, level, mark: "bullet" });
    const next = text === "" ? level : level + 1;
    for (const child of below.get(id) ?? []) visit(child, next, depth + 1);
  };
  for (const start of starts) visit(start, 0, 0);
  // What hangs on nothing is seen all the same.
  for (const [id, point] of points) {
    const type = point.attributes["type"] ?? "node";
    if (type === "node" || type === "asst") visit(id, 0, 0);
  }
  return paragraphs;
}

/** Ids of what belongs to each point, in their order. */
function childrenById(model: XmlElement): Map<string, string[]> {
  const links = new Map<string, { id: string; order: number }[]>();
  for (const link of elementsNamed(model, "cxn")) {
    const { type, srcId, destId, srcOrd } = link.attributes;
    if ((type ?? "parOf") !== "parOf" || srcId === undefined || destId === undefined) continue;
    const siblings = links.get(srcId) ?? [];
    siblings.push({ id: destId, order: Number(srcOrd ?? 0) || 0 });
    links.set(srcId, siblings);
  }
  return new Map(
    [...links].map(([id, siblings]) => [
      id,
      siblings.sort((a, b) => a.order - b.order).map((link) => link.id),
    ]),
  );
}

function textOfPoint(point: XmlElement | undefined): string {
  return point === undefined ? "" : childElements(point, "t").map(bodyText).join(" ").trim();
}
