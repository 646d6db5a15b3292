import { parseTree } from "../html/tree.ts";

/** Characters that a document's own entities may put in the place of their names. */
const MAX_EXPANSION = 1024 * 1024;
const MAX_ENTITIES = 500;
const MAX_VALUE_LENGTH = 500;

/**
 * Puts back the names that XML itself does not know: those of HTML, and those that the document defines as plain text. Values
 * are not looked into, so that nothing grows by being nested.
 */
export function entityDecoder(doctype: string): (text: string) => string {
  const own = new Map<string, string>();
  for (const [, name = "", double, single] of doctype.matchAll(
    /<!ENTITY\s+([\w.-]{1,100})\s+(?:"([^"<&%]{0,500})"|'([^'<&%]{0,500})')\s*>/g,
  )) {
    if (own.size < MAX_ENTITIES) own.set(name, (double ?? single ?? "").slice(0, MAX_VALUE_LENGTH));
  }
  const html = new Map<string, string>();
  let left = MAX_EXPANSION;
  return (text) =>
    text.includes("&")
      ? text.replaceAll(/&([A-Za-z][\w.-]{0,40});/g, (whole, name: string) => {
          const value = own.get(name);
          if (value === undefined) return htmlEntity(whole, html);
          left -= value.length;
          return left < 0 ? whole : value;
        })
      : text;
}

function htmlEntity(reference: string, known: Map<string, string>): string {
  const before = known.get(reference);
  if (before !== undefined) return before;
  const [child] = parseTree(reference).root.children;
  const value = typeof child === "string" ? child : reference;
  if (known.size < MAX_ENTITIES) known.set(reference, value);
  return value;
}
