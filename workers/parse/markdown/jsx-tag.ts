/** Longest tag that is read as one. */
const MAX_TAG = 5000;
const opening = /^<(?![A-Za-z][\w+.-]{0,20}:\/\/)(?:\/?[A-Za-z][\w.:-]{0,100}(?=[\s/>])|\/?>)/;
/** Attributes whose text readers see. */
const textual =
  /(?:^|\s)(?:title|label|alt|caption|description|summary|heading|header|subtitle)\s*=\s*\{?\s*(?:"([^"]{1,1000})"|'([^']{1,1000})')/gi;

/** Where a tag ends that begins at `start`; null where none does. Quotes and braces may hold what looks like its end. */
export function jsxTagEnd(text: string, start: number): number | null {
  const found = opening.exec(text.slice(start, start + 110));
  if (found === null) return null;
  if (found[0].endsWith(">")) return start + found[0].length;
  const limit = Math.min(text.length, start + MAX_TAG);
  let depth = 0;
  for (let at = start + found[0].length; at < limit; at++) {
    const sign = text[at];
    if (sign === "{") depth++;
    else if (sign === "}") depth--;
    else if (sign === '"' || sign === "'") {
      const end = text.indexOf(sign, at + 1);
      if (end === -1 || end >= limit) return null;
      at = end;
    } else if (sign === ">" && depth <= 0) return at + 1;
    else if (sign === "<" && depth <= 0) return null;
  }
  return null;
}

/** What a tag says to readers. */
export function textAttributes(tag: string): string {
  const texts: string[] = [];
  for (const [, double, single] of tag.matchAll(textual)) {
    const words = (double ?? single ?? "").replaceAll(/\s+/g, " ").trim();
    if (/[\s\p{L}]/u.test(words)) texts.push(words);
  }
  return texts.length === 0 ? "" : ` ${texts.join(" ")} `;
}
