import { titleFrom } from "../title.ts";
import { type Element, findElement, textContent } from "./tree.ts";

export interface PageFacts {
  readonly title: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Names of meta elements → the names they are kept under. */
const metaNames: Readonly<Record<string, string>> = {
  description: "description",
  "og:description": "description",
  author: "author",
  "article:author": "author",
  keywords: "keywords",
  "article:published_time": "published",
  date: "published",
  "og:site_name": "site",
};
const MAX_VALUE_LENGTH = 500;

/** What a page says about itself in its head. */
export function pageFacts(root: Element): PageFacts {
  const metadata: Record<string, string> = {};
  let socialTitle: string | null = null;
  const head = findElement(root, (element) => element.name === "head") ?? root;
  for (const child of head.children) {
    if (typeof child === "string" || child.name !== "meta") continue;
    const name = (child.attributes["name"] ?? child.attributes["property"] ?? "").toLowerCase();
    const value = titleFrom(child.attributes["content"]?.slice(0, MAX_VALUE_LENGTH));
    if (value === null) continue;
    if (name === "og:title") socialTitle = value;
    const key = Object.hasOwn(metaNames, name) ? metaNames[name] : undefined;
    if (key !== undefined) metadata[key] ??= value;
  }
  const html = findElement(root, (element) => element.name === "html");
  const language = titleFrom(html?.attributes["lang"]);
  if (language !== null) metadata["language"] = language;
  const title = findElement(root, (element) => element.name === "title");
  return { title: (title === null ? null : titleFrom(textContent(title))) ?? socialTitle, metadata };
}
