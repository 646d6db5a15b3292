import type { Element } from "./tree.ts";

const MAX_LENGTH = 2000;
const linkSchemes: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);
const imageSchemes: ReadonlySet<string> = new Set(["http:", "https:"]);
/** Where pages that load their images late keep the address; `src` then is empty or a placeholder. */
const imageAttributes = ["src", "data-src", "data-original", "data-lazy-src"];

/** Where a link leads; null for a place in the page itself, for scripts, and without a base. */
export function linkTarget({ attributes }: Element, base: string | null): string | null {
  const href = attributes["href"]?.trim() ?? "";
  if (base === null || href === "" || href.startsWith("#")) return null;
  return absolute(href, base, linkSchemes);
}

/** An image as Markdown, or without a base its words alone; empty for what only decorates, or counts readers. */
export function imageText({ attributes }: Element, base: string | null): string {
  const words = (attributes["alt"] ?? "").replaceAll(/\s+/g, " ").trim();
  const source = base === null || isForShow(attributes) ? null : imageSource(attributes, base);
  if (source !== null) return ` !${bracketed(words)}(${source}) `;
  return words === "" ? "" : ` ${words} `;
}

/** `text` may hold Markdown already: an image in a link, say. */
export function linkText(text: string, target: string): string {
  return `${text.includes("](") ? `[${text}]` : bracketed(text)}(${target})`;
}

function bracketed(text: string): string {
  return `[${text.replaceAll(/[[\]]/g, String.raw`\$&`)}]`;
}

function isForShow({ alt, width, height }: Readonly<Record<string, string>>): boolean {
  return alt?.trim() === "" || width === "1" || width === "0" || height === "1" || height === "0";
}

function imageSource(attributes: Readonly<Record<string, string>>, base: string): string | null {
  for (const name of imageAttributes) {
    const source = absolute(attributes[name]?.trim() ?? "", base, imageSchemes);
    if (source !== null) return source;
  }
  const candidate = /^\s*(\S+)/.exec(attributes["srcset"] ?? attributes["data-srcset"] ?? "")?.[1];
  return absolute(candidate ?? "", base, imageSchemes);
}

function absolute(address: string, base: string, schemes: ReadonlySet<string>): string | null {
  if (address === "" || address.length > MAX_LENGTH || !URL.canParse(address, base)) return null;
  const { protocol, href } = new URL(address, base);
  if (!schemes.has(protocol)) return null;
  // What would end the Markdown around it.
  return href.replaceAll(
    /[()<>|\s\\]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );
}
