import { isClusterEdge } from "./graphemes.ts";
import type { Span } from "./outline.ts";

const DEFAULT_SEPARATOR = "\n\n";
const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "\\": "\\" };

/** A base keeps its separator with the escapes \n \t \r \\ as they were typed. */
export function decodeSeparator(separator: string | null): string {
  const decoded = (separator ?? "").replaceAll(
    /\\([ntr\\])/g,
    (whole: string, letter: string) => escapes[letter] ?? whole,
  );
  return decoded === "" ? DEFAULT_SEPARATOR : decoded;
}

/** Cuts after every separator, but for one whose end lies inside a grapheme cluster. */
export function* hardPieces(text: string, separator: string): Generator<Span> {
  let start = 0;
  for (let at = text.indexOf(separator); at !== -1; at = text.indexOf(separator, at)) {
    at += separator.length;
    if (at >= text.length) break;
    if (!isClusterEdge(text, at, start)) continue;
    yield { start, end: at };
    start = at;
  }
  if (start < text.length) yield { start, end: text.length };
}
