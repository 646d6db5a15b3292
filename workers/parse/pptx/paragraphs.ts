import { oneLine, type Paragraph } from "../slides/slide.ts";
import { childElements, descend, type XmlElement } from "../xml/tree.ts";

type Mark = Paragraph["mark"];
/** For each level, 0 the outermost, the mark of its paragraphs; null where nothing is said. */
export type LevelMarks = readonly (Mark | null)[];

const MAX_LEVEL = 8;
/** Characters that no XML can hold, as Office writes them. */
const escaped = /_x00[01][\dA-Fa-f]_/g;

/** The paragraphs of a text body. `inherited`: where their marks come from, nearest first. */
export function paragraphsOf(body: XmlElement | null, inherited: readonly LevelMarks[]): Paragraph[] {
  if (body === null) return [];
  const styles = [levelMarks(descend(body, "lstStyle")), ...inherited];
  const byLevel = Array.from(
    { length: MAX_LEVEL + 1 },
    (_, level): Mark =>
      styles.reduce<Mark | null>((mark, style) => mark ?? style[level] ?? null, null) ?? "none",
  );
  return childElements(body, "p").map((paragraph) => {
    const properties = descend(paragraph, "pPr");
    const written = Number.parseInt(properties?.attributes["lvl"] ?? "0", 10) || 0;
    const level = Math.min(MAX_LEVEL, Math.max(0, written));
    const mark = markIn(properties) ?? byLevel[level] ?? "none";
    return { text: paragraphText(paragraph), level, mark };
  });
}

/** What a style of lists says of each level. */
export function levelMarks(style: XmlElement | null): LevelMarks {
  const marks: (Mark | null)[] = [];
  for (const child of style === null ? [] : childElements(style)) {
    const [, level] = /^lvl([1-9])pPr$/.exec(child.name) ?? [];
    if (level !== undefined) marks[Number(level) - 1] ??= markIn(child);
  }
  return marks;
}

/** All its text on one line. */
export function bodyText(body: XmlElement | null): string {
  const lines = body === null ? [] : childElements(body, "p").map(paragraphText);
  return oneLine(lines.join(" "));
}

function markIn(properties: XmlElement | null): Mark | null {
  for (const { name } of properties === null ? [] : childElements(properties)) {
    if (name === "buNone") return "none";
    if (name === "buAutoNum") return "number";
    if (name === "buChar" || name === "buBlip") return "bullet";
  }
  return null;
}

const silent: ReadonlySet<string> = new Set(["pPr", "rPr", "endParaRPr", "extLst"]);

/** Runs, fields and formulas; the number of the slide is left out. */
export function paragraphText(paragraph: XmlElement): string {
  const pieces: string[] = [];
  const visit = (element: XmlElement): void => {
    if (element.name === "br") pieces.push("\n");
    if (silent.has(element.name) || element.attributes["type"] === "slidenum") return;
    const inner = element.name === "AlternateContent" ? preferred(element) : element;
    for (const child of inner?.children ?? []) {
      if (typeof child !== "string") visit(child);
      else if (inner?.name === "t") pieces.push(child);
    }
  };
  visit(paragraph);
  const text = pieces.join("").replaceAll("\v", "\n");
  return text.includes("_x00") ? text.replaceAll(escaped, " ") : text;
}

/** Of several forms of one thing the newest. */
function preferred(alternatives: XmlElement): XmlElement | null {
  return descend(alternatives, "Choice") ?? descend(alternatives, "Fallback");
}
