import { INFLECTED, joinMarks, PAIRED, pairs, plainArabic, segment, SEGMENTED, stem } from "./scripts.ts";
import { joinedNumbers } from "./variants.ts";

/**
 * The version of all that decides which words a text is found by. Text and query must be shaped by the same version:
 * an index that was made with another one is rebuilt.
 */
export const WORDS_VERSION = 2;

export interface TitleParts {
  readonly relativePath: string;
  readonly title: string;
  readonly headings: readonly string[];
  /** What the whole document is called besides: its title, tags, other names. */
  readonly names?: readonly string[];
  readonly format: string;
}

const nonAscii = /[^\0-\x7f]/;
/** C#, F#, C++ and .NET would lose what tells them apart, so each is spelled out, as people write it too. */
const named =
  /(?<![A-Za-z0-9_])(?:([A-Za-z])#|([CcGg])\+\+|\.(?:net|NET|Net))(?![A-Za-z0-9_+#])|(?<=[A-Z])\.NET(?![A-Za-z0-9_])/g;
const mayHoldNamed = /[A-Za-z]#|[CcGg]\+\+|\.net|\.NET/;
/** Where an identifier changes case: fooBar, HTTPServer. */
const hump = /[a-z0-9][A-Z]|[A-Z]{2}[a-z]{2}/g;
/** Longer runs are encoded data, not names. */
const MAX_IDENTIFIER = 100;
/** Formats whose words are mostly names. */
const WITH_IDENTIFIERS: ReadonlySet<string> = new Set(["code", "toml", "xml"]);
const humpCut = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})/;

/** Soft hyphens and joiners inside words, and marks of byte order. */
const invisible = /[\u00AD\u2060\uFEFF]/g;
/** Latin letters that no normalisation takes apart, as people write them without. */
const plainLetters: ReadonlyMap<string, string> = new Map(
  "ß ss ẞ SS ı i ø o Ø O đ d Đ D ł l Ł L æ ae Æ AE œ oe Œ OE þ th Þ Th ð d Ð D ħ h Ħ H"
    .match(/\S+ \S+/g)
    ?.map((pair) => pair.split(" ") as [string, string]),
);
const undecomposed = new RegExp(`[${[...plainLetters.keys()].join("")}]`, "g");

const shapedRun = new RegExp(
  [
    `([${PAIRED}]+)`,
    `([${SEGMENTED}][${SEGMENTED}\\p{M}]*)`,
    `([${INFLECTED}][${INFLECTED}\\u0300-\\u036f]*)`,
    "(\\p{sc=Arabic}[\\p{sc=Arabic}\\p{M}]*)",
    "([\\p{M}\\u200C\\u200D])",
  ].join("|"),
  "gu",
);

/**
 * A chunk's text → the words it is indexed by. Linear in the text. Plain ASCII comes back as it is, but for the few
 * names that need spelling out and, in source code and the like, the parts of identifiers.
 */
export function shapeBody(text: string, format: string): string {
  const extras: string[] = [];
  const shaped = shapeText(text, extras);
  if (WITH_IDENTIFIERS.has(format)) identifierParts(text, extras);
  extras.push(...joinedNumbers(text));
  return extras.length === 0 ? shaped : `${shaped}\n${extras.join(" ")}`;
}

/** What a chunk is found by beside its text: title, heading path, tags, file name and folders, each said once. */
export function shapeTitle(parts: TitleParts): string {
  const pieces = [parts.title, ...parts.headings, ...(parts.names ?? []), parts.relativePath];
  const seen = new Set<string>();
  const extras: string[] = [];
  const shaped: string[] = [];
  for (const piece of pieces) {
    if (piece === "" || seen.has(piece)) continue;
    seen.add(piece);
    shaped.push(shapeText(piece, extras));
  }
  identifierParts(parts.relativePath, extras);
  return [...shaped, ...extras].join("\n");
}

/**
 * The shape of a text in its own order. What belongs beside it goes to `extras`: the last character of each CJK run,
 * which no pair starts with, so that a search for a single character finds it too.
 */
export function shapeText(text: string, extras: string[]): string {
  const spelled = mayHoldNamed.test(text) ? text.replace(named, spellOut) : text;
  if (!nonAscii.test(spelled)) return spelled;
  const lastOnes = new Set<string>();
  const shaped = spelled
    .replace(invisible, "")
    .normalize("NFKC")
    .replace(undecomposed, (letter) => plainLetters.get(letter) ?? letter)
    .replace(shapedRun, (run, cjk?: string, unspaced?: string, inflected?: string, arabic?: string) => {
      if (cjk !== undefined) {
        const units = pairs(cjk);
        const last = Array.from(units.at(-1) ?? "").at(-1);
        if (last !== undefined && last !== cjk) lastOnes.add(last);
        return ` ${units.join(" ")} `;
      }
      if (unspaced !== undefined) return ` ${segment(unspaced).join(" ")} `;
      if (inflected !== undefined) return stem(inflected);
      if (arabic !== undefined) return plainArabic(arabic);
      return run >= "\u0300" && run <= "\u036f" ? run : joinMarks(run);
    });
  extras.push(...lastOnes);
  return shaped;
}

function spellOut(_name: string, sharp?: string, plus?: string): string {
  if (sharp !== undefined) return ` ${sharp.toLowerCase()}sharp `;
  return plus === undefined ? " dotnet " : ` ${plus.toLowerCase()}plusplus `;
}

/** Where a text names what shapeText spells out, and how: C# at [0, 2) is csharp. */
export function spelledNames(text: string): { start: number; end: number; token: string }[] {
  if (!mayHoldNamed.test(text)) return [];
  return Array.from(text.matchAll(named), (found) => ({
    start: found.index,
    end: found.index + found[0].length,
    token: spellOut(found[0], found[1], found[2]).trim(),
  }));
}

/** The parts of each camelCase identifier; snake_case is cut by the tokenizer itself. */
function identifierParts(text: string, extras: string[]): void {
  hump.lastIndex = 0;
  for (let found = hump.exec(text); found; found = hump.exec(text)) {
    let start = found.index;
    let end = hump.lastIndex;
    while (start > 0 && isWordCharacter(text.charCodeAt(start - 1))) start--;
    while (end < text.length && isWordCharacter(text.charCodeAt(end))) end++;
    extras.push(...humpParts(text.slice(start, end)));
    hump.lastIndex = end;
  }
}

/** fooBarX → foo, Bar; nothing for what has not two parts of two letters or more (iOS, PDFs). */
export function humpParts(identifier: string): string[] {
  if (identifier.length > MAX_IDENTIFIER) return [];
  const parts = identifier.split(humpCut).filter((part) => part.length > 1);
  return parts.length > 1 ? parts : [];
}

function isWordCharacter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57);
}
