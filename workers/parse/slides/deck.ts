import { fewWarnings } from "../few-warnings.ts";
import { type EmbeddedFile, type ParsedFile, type Part, type ReadLimits, ReadProblem } from "../reader.ts";
import { titleFrom } from "../title.ts";
import type { Slide } from "./slide.ts";
import { writeSlide } from "./write-slide.ts";

/** A footer longer than this is kept only by its beginning when it is looked for again. */
const FOOTER_KEY_LENGTH = 200;

export interface Deck {
  readonly slides: readonly Slide[];
  /** With those that could not be read. */
  readonly slideCount: number;
  /** What the file says of itself. */
  readonly title: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly warnings: readonly string[];
  readonly children: readonly EmbeddedFile[];
}

/** Titles that programs give to decks whose author gave none. */
const emptyTitle =
  /^(?:powerpoint[ -]presentation|pr(?:é|e)sentation powerpoint|powerpoint-pr(?:ä|a)sentation|presentaci(?:ó|o)n de powerpoint|slide \d*|folie \d*|untitled.*|no slide title)$/i;

/** Slides as parts; what stands on many of them alike is given once. @throws ReadProblem no_text, corrupt. */
export function deckFile(deck: Deck, limits: ReadLimits): ParsedFile {
  const seen = new Set<string>();
  const parts: Part[] = [];
  let characters = 0;
  let leftOut = 0;
  for (const slide of deck.slides) {
    const footers = slide.footers.filter((footer) => isNew(seen, footer.trim()));
    const text = writeSlide(slide, footers);
    if (text === "") continue;
    if (characters + text.length > limits.maxTextChars) {
      leftOut++;
      continue;
    }
    characters += text.length;
    const headings = slide.section === null ? [] : [slide.section];
    parts.push({ text, markup: "markdown", locator: { slide: slide.number }, lines: null, headings });
  }
  if (leftOut > 0 && parts.length === 0)
    throw new ReadProblem("too_complex", "Its text is longer than what fits.");
  if (parts.length === 0) throw nothingIn(deck);
  const warnings =
    leftOut === 0
      ? deck.warnings
      : [...deck.warnings, `It is too long: ${leftOut} of its slides were left out.`];
  const hidden = deck.slides.filter((slide) => slide.hidden).map((slide) => slide.number);
  return {
    title: titleOf(deck),
    parts,
    metadata: {
      ...deck.metadata,
      slides: deck.slideCount,
      ...(hidden.length > 0 ? { hiddenSlides: hidden } : {}),
    },
    warnings: fewWarnings(warnings),
    children: deck.children,
  };
}

/** The first slide names the deck; what the file says of itself is often left from an older deck or a template. */
function titleOf(deck: Deck): string | null {
  const first = deck.slides[0];
  const named = titleFrom(deck.title);
  const own = first?.number === 1 ? titleFrom(first.title) : null;
  return own ?? (named === null || emptyTitle.test(named) ? null : named);
}

function isNew(seen: Set<string>, footer: string): boolean {
  const key = footer.slice(0, FOOTER_KEY_LENGTH);
  if (key === "" || seen.has(key)) return false;
  seen.add(key);
  return true;
}

function nothingIn(deck: Deck): ReadProblem {
  const [first] = deck.warnings;
  if (first !== undefined) {
    return new ReadProblem("corrupt", `None of its slides could be read. ${first}`);
  }
  if (deck.slideCount === 0) return new ReadProblem("no_text", "The presentation has no slides.");
  return new ReadProblem(
    "no_text",
    `No extractable text: ${deck.slideCount} slide(s) hold pictures or nothing at all.`,
  );
}
