import { clusterEdgeBefore } from "../chunk/graphemes.ts";
import { displayPath } from "../path-bytes.ts";
import { cleanText } from "./clean-text.ts";

const MAX_LENGTH = 300;

/** A title that a file gives itself, on one line; null when it is none. The wide space of CJK text stays. */
export function titleFrom(value: unknown): string | null {
  if (typeof value !== "string" && typeof value !== "number") return null;
  const text = cleanText(String(value).slice(0, 4 * MAX_LENGTH))
    .replaceAll(/[^\S\u3000]+/g, " ")
    .trim();
  if (text === "") return null;
  return text.length <= MAX_LENGTH ? text : text.slice(0, clusterEdgeBefore(text, MAX_LENGTH, 0));
}

/** The title of a file that has none: its name without the extension. `relativePath` is in escaped form. */
export function titleFromName(relativePath: string): string {
  const name = displayPath(relativePath.slice(relativePath.lastIndexOf("/") + 1));
  const dot = name.lastIndexOf(".");
  return titleFrom(dot > 0 ? name.slice(0, dot) : name) ?? name;
}
