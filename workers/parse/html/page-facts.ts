import { distinct, isoDate, tagList } from "../note-fields.ts";
import { titleFrom } from "../title.ts";
import { type Element, findElement, textContent } from "./tree.ts";

export interface PageFacts {
  readonly title: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Names of meta elements → the names they are kept under. */
const metaNames: Readonly<Record<string, string>> = {
  description: "description",
  "og:description": "description",
  "dc.description": "description",
  author: "author",
  "article:author": "author",
  "dc.creator": "author",
  citation_author: "author",
  keywords: "keywords",
  "article:tag": "keywords",
  "article:published_time": "published",
  "og:published_time": "published",
  date: "published",
  "dc.date": "published",
  citation_publication_date: "published",
  "og:site_name": "site",
  "og:url": "url",
  "og:title": "socialTitle",
  "twitter:title": "socialTitle",
  "dc.title": "socialTitle",
  citation_title: "socialTitle",
};
const MAX_VALUE_LENGTH = 500;
/** Where programs that save pages write down where these came from. */
const SAVED_REACH = 4096;
/** What stands between a page's title and the name of its site. */
const joints = /\s+[|\-–—»·•✩:/\\]+\s+/g;
const MIN_TITLE = 4;

/** What a page says about itself in its head. `source` is all of it. */
export function pageFacts(root: Element, source: string): PageFacts {
  const found = metaValues(root);
  const { socialTitle = null, keywords, published, ...texts } = found;
  const html = findElement(root, (element) => element.name === "html");
  const language = titleFrom(html?.attributes["lang"] ?? html?.attributes["xml:lang"]);
  const date = isoDate(published);
  const tags = distinct(tagList(keywords, false));
  const url = savedFrom(source) ?? canonicalAddress(root) ?? texts["url"];
  // Drawings have titles too.
  const head = findElement(root, (element) => element.name === "head") ?? root;
  const element = findElement(head, (element) => element.name === "title");
  const title = element === null ? null : titleFrom(textContent(element));
  return {
    title: title === null ? socialTitle : withoutSite(title, socialTitle, texts["site"]),
    metadata: {
      ...texts,
      ...(url !== undefined && { url }),
      ...(published !== undefined && { published }),
      ...(date !== null && { date }),
      ...(tags.length > 0 && { tags }),
      ...(language !== null && { language }),
    },
  };
}

function metaValues(root: Element): Record<string, string> {
  const found: Record<string, string> = {};
  const head = findElement(root, (element) => element.name === "head") ?? root;
  for (const child of head.children) {
    if (typeof child === "string" || child.name !== "meta") continue;
    const name = (child.attributes["name"] ?? child.attributes["property"] ?? "").toLowerCase();
    const key = Object.hasOwn(metaNames, name) ? metaNames[name] : undefined;
    const value = titleFrom(child.attributes["content"]?.slice(0, MAX_VALUE_LENGTH));
    if (key === undefined || value === null) continue;
    if (key === "keywords" && found[key] !== undefined) found[key] = `${found[key]}, ${value}`.slice(0, 5000);
    else found[key] ??= value;
  }
  return found;
}

/** The page's own title, where the site's name stands beside it. */
function withoutSite(title: string, socialTitle: string | null, site: string | undefined): string {
  if (socialTitle !== null && socialTitle.length >= MIN_TITLE && title.includes(socialTitle))
    return socialTitle;
  for (const joint of site === undefined ? [] : title.matchAll(joints)) {
    const before = title.slice(0, joint.index);
    const after = title.slice(joint.index + joint[0].length);
    if (before.length >= MIN_TITLE && after.toLowerCase() === site?.toLowerCase()) return before;
  }
  return title;
}

/** The address that a program wrote into a page when it saved it. */
function savedFrom(source: string): string | undefined {
  const head = source.slice(0, SAVED_REACH);
  const found =
    /<!--\s*saved from url=\(\d{1,6}\)(https?:[^\s<>]{1,2000})/i.exec(head) ??
    /<!--\s*Page saved with SingleFile\s+url:\s*(https?:[^\s<>]{1,2000})/i.exec(head);
  return titleFrom(found?.[1]) ?? undefined;
}

function canonicalAddress(root: Element): string | undefined {
  const link = findElement(
    root,
    ({ name, attributes }) => name === "link" && attributes["rel"] === "canonical",
  );
  const base = findElement(
    root,
    ({ name, attributes }) => name === "base" && attributes["href"] !== undefined,
  );
  const address = link?.attributes["href"];
  if (address === undefined) return undefined;
  const around = base?.attributes["href"];
  if (!URL.canParse(address, around)) return undefined;
  const { protocol, href } = new URL(address, around);
  return protocol === "http:" || protocol === "https:" ? (titleFrom(href) ?? undefined) : undefined;
}
