import { classesOf, type Element, type Node } from "./tree.ts";

const languageClass =
  /(?:^|\s)(?:language-|lang-|highlight-source-|highlight-|brush:\s*|src-|sourceCode\s+)([\w+#.-]+)/;
/** What takes a line of its own in a pre element. */
const lineElements: ReadonlySet<string> = new Set(["div", "p", "li", "tr"]);
const plainNames: ReadonlySet<string> = new Set(["none", "text", "plaintext", "plain", "default"]);

/** A pre element as a fence longer than any in its text. */
export function fenced(element: Element, language: string): string[] {
  const text = preformatted(element).replaceAll("\r", "").replace(/^\n/, "").trimEnd();
  if (text.trim() === "") return [];
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].slice(0, 1000).map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return [`${fence}${language}`, ...text.split("\n"), fence];
}

export function inlineCode(text: string): string {
  if (text === "") return "";
  if (!text.includes("`")) return `\`${text}\``;
  return text.includes("``") ? text : `\`\` ${text} \`\``;
}

/** A box whose class names the language of the code in it, as generators of sites write it: with it at the code. */
export function languageHandedDown(box: Element): Element {
  const language = languageClass.exec(classesOf(box))?.[1];
  if (language === undefined) return box;
  const alone = box.children.filter((child) => typeof child !== "string").length === 1;
  const children = box.children.map((child) => {
    if (typeof child === "string" || (child.name !== "pre" && !(child.name === "div" && alone))) return child;
    const attributes = { ...child.attributes, class: `${classesOf(child)} language-${language}` };
    return { ...child, attributes };
  });
  return { ...box, children };
}

/** What the class of a pre or of its code says; empty when nothing. */
export function codeLanguage(element: Element): string {
  const inner = element.children.find(
    (child): child is Element => typeof child !== "string" && child.name === "code",
  );
  const sources = [
    inner === undefined ? "" : classesOf(inner),
    classesOf(element),
    element.attributes["lang"] ?? "",
  ];
  for (const source of sources) {
    const name = languageClass.exec(source)?.[1]?.toLowerCase();
    if (name !== undefined && !plainNames.has(name)) return name;
  }
  return /(?:^|\s)rust(?:\s|$)/.test(sources.join(" ")) ? "rust" : "";
}

/** Text with its white space; line breaks and block children start lines. */
function preformatted(node: Node): string {
  if (typeof node === "string") return node;
  if (node.name === "br") return "\n";
  const inner = node.children.map(preformatted).join("");
  return lineElements.has(node.name) && !inner.endsWith("\n") ? `${inner}\n` : inner;
}
