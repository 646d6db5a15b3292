import { distinct } from "../note-fields.ts";
import { wellFormed } from "../clean-text.ts";

export interface BodyFacts {
  /** Words marked by a # in front, without it. */
  readonly tags: readonly string[];
  /** Notes that `[[links]]` name. */
  readonly links: readonly string[];
}

/** Longer lines are data. */
const MAX_LINE = 20_000;
const MAX_FOUND = 2000;
const MAX_FENCE = 100;
const FENCE_INDENT = 20;
const IN_FRONT_OF_FENCE = new Set([" ", "\t", ">", "\u00A0", "\u3000"]);
const BEFORE_TAG = /[\s,;]/;
/** Of other scripts, half a character too. */
const IN_TAG = /[\w\u0080-\uFFFF]/;
const tag = /(?:^|[\s,;])#([\p{L}\p{N}_][\p{L}\p{N}_/-]{0,99})(?![\p{L}\p{N}_/#])/gu;
const wikilink = /\[\[([^[\]|#^\n]{1,200})(?:[#^][^[\]|\n]{0,200})?(?:\\?\|[^[\]\n]{0,200})?\]\]/g;

/** Tags and links that stand in the body of a note; those in code are none. */
export function bodyFacts(text: string, bodyStart: number): BodyFacts {
  const tags: string[] = [];
  const links: string[] = [];
  if (!mayHaveTag(text, bodyStart) && !text.includes("[[", bodyStart)) return { tags, links };
  let fence: string | null = null;
  for (let at = bodyStart; at < text.length;) {
    const next = text.indexOf("\n", at);
    const end = next === -1 ? text.length : next;
    const mark = fenceMark(text, at, end);
    if (mark !== null) fence = fence === null ? mark : mark.startsWith(fence) ? null : fence;
    else if (fence === null && end - at < MAX_LINE) readLine(text.slice(at, end), tags, links);
    at = end + 1;
    if (tags.length > MAX_FOUND || links.length > MAX_FOUND) break;
  }
  return { tags: distinct(tags), links: distinct(links) };
}

/** A # in front of a word, behind white space or a mark: most documents have only those of headings. */
function mayHaveTag(text: string, from: number): boolean {
  for (let at = text.indexOf("#", from); at !== -1; at = text.indexOf("#", at + 1)) {
    if (BEFORE_TAG.test(text[at - 1] ?? "\n") && IN_TAG.test(text[at + 1] ?? "\n")) return true;
  }
  return false;
}

function fenceMark(text: string, start: number, end: number): string | null {
  let at = start;
  while (at < end && at < start + FENCE_INDENT && IN_FRONT_OF_FENCE.has(text.charAt(at))) at++;
  const mark = text.charAt(at);
  if (mark !== "`" && mark !== "~") return null;
  let behind = at;
  while (behind < end && behind < start + MAX_FENCE && text.charAt(behind) === mark) behind++;
  return behind - at >= 3 ? text.slice(at, behind) : null;
}

function readLine(line: string, tags: string[], links: string[]): void {
  const mayTag = line.includes("#");
  if ((!mayTag && !line.includes("[[")) || /^(?: {4}|\t)\s*[^\s*+-]/.test(line)) return;
  const prose = line.includes("`") ? line.replaceAll(/`{1,3}[^`]{1,500}`{1,3}/g, "``") : line;
  if (mayTag) {
    for (const [, name = ""] of prose.matchAll(tag)) if (isTag(name)) tags.push(name.replace(/[/-]+$/, ""));
  }
  for (const [, name = ""] of prose.matchAll(wikilink)) links.push(wellFormed(name.trim()));
}

/** Numbers are those of issues, and short hexadecimal ones are colours. */
function isTag(name: string): boolean {
  return /[^\d/_-]/.test(name) && !/^(?=.*\d)[\da-f]{3,8}$/i.test(name) && !/^(.)\1{2,5}$/.test(name);
}
