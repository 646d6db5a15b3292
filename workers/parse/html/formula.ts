import { type Element, findElement, textContent } from "./tree.ts";

/** TeX where a formula carries it, beside it or in an attribute, else its signs in a row; never both. */
export function formulaText(math: Element): string {
  const written = math.attributes["alttext"] ?? "";
  if (written.trim() !== "") return written;
  const tex = findElement(
    math,
    ({ name, attributes }) => name.endsWith("annotation") && /tex/i.test(attributes["encoding"] ?? ""),
  );
  return textContent(tex ?? withoutAnnotations(math));
}

function withoutAnnotations(element: Element): Element {
  const children = element.children
    .filter((child) => typeof child === "string" || !/annotation(?:-xml)?$/.test(child.name))
    .map((child) => (typeof child === "string" ? child : withoutAnnotations(child)));
  return { ...element, children };
}
