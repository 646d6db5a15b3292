/** How the numbers of a level are written; a bullet has none. */
export type NumberFormat =
  | "decimal"
  | "decimalZero"
  | "lowerLetter"
  | "upperLetter"
  | "lowerRoman"
  | "upperRoman"
  | "chinese"
  | "bullet"
  | "none";

/** One level of a numbered list. */
export interface ListLevel {
  readonly format: NumberFormat;
  /** What stands before its paragraphs: "%1.%2)" has the numbers of the first and the second level in it. */
  readonly text: string;
  readonly start: number;
  /** All its numbers are written as decimal ones. */
  readonly decimalOnly?: boolean;
}

/** Characters of a label; longer ones are not of a person's making, and would be repeated at every paragraph. */
const MAX_LABEL = 60;
const MAX_LEVELS = 10;
const LETTERS = 26;

/** Counts the paragraphs of lists as they come by. */
export class ListCounters {
  readonly #counts = new Map<string, number[]>();

  /** The next paragraph of that depth (0 is the outermost) has this number. */
  restart(list: string, depth: number, number: number): void {
    const counts = this.#countsOf(list);
    if (depth >= 0 && depth < MAX_LEVELS && counts.length >= depth) {
      counts.length = depth;
      counts.push(number - 1);
    }
  }

  /** Counts one more paragraph: what stands before it, "" for a bullet, null for nothing. */
  next(list: string, depth: number, levels: readonly (ListLevel | undefined)[]): string | null {
    const counts = this.#countsOf(list);
    const at = Math.min(Math.max(0, depth), MAX_LEVELS - 1);
    const start = (level: number): number => levels[level]?.start ?? 1;
    // Levels that were passed over count as begun.
    while (counts.length < at) counts.push(start(counts.length));
    counts.length = Math.min(counts.length, at + 1);
    counts[at] = (counts[at] ?? start(at) - 1) + 1;
    const level = levels[at];
    if (level === undefined || level.format === "bullet") return "";
    const label = level.text
      .slice(0, MAX_LABEL)
      .replaceAll(/%(\d)/g, (_, digit: string) =>
        written(counts[Number(digit) - 1], levels[Number(digit) - 1], level),
      )
      .replaceAll(/\s+/g, " ")
      .trim();
    return label === "" ? null : label;
  }

  #countsOf(list: string): number[] {
    const known = this.#counts.get(list);
    if (known !== undefined) return known;
    const made: number[] = [];
    this.#counts.set(list, made);
    return made;
  }
}

function written(number: number | undefined, of: ListLevel | undefined, shownAt: ListLevel): string {
  if (number === undefined) return "";
  const format = of?.format ?? "decimal";
  if (format === "none" || format === "bullet") return "";
  return shownAt.decimalOnly === true ? String(number) : (writers[format] ?? String)(number);
}

/** Others are written as decimal numbers. */
const writers: Partial<Record<NumberFormat, (number: number) => string>> = {
  decimalZero: (number) => String(number).padStart(2, "0"),
  lowerLetter: letters,
  upperLetter: (number) => letters(number).toUpperCase(),
  lowerRoman: (number) => roman(number).toLowerCase(),
  upperRoman: roman,
  chinese,
};

/** a to z, then aa, bb and so on. */
function letters(number: number): string {
  if (number < 1 || number > LETTERS * MAX_LEVELS) return String(number);
  const letter = String.fromCharCode(0x61 + ((number - 1) % LETTERS));
  return letter.repeat(Math.ceil(number / LETTERS));
}

const romanSigns: readonly (readonly [number, string])[] = [
  [1000, "M"],
  [900, "CM"],
  [500, "D"],
  [400, "CD"],
  [100, "C"],
  [90, "XC"],
  [50, "L"],
  [40, "XL"],
  [10, "X"],
  [9, "IX"],
  [5, "V"],
  [4, "IV"],
  [1, "I"],
];

function roman(number: number): string {
  if (number < 1 || number >= 4000) return String(number);
  let left = number;
  let text = "";
  for (const [value, sign] of romanSigns) for (; left >= value; left -= value) text += sign;
  return text;
}

/** As chapters of Chinese and Japanese texts are counted. */
function chinese(number: number): string {
  if (number < 1 || number > 99) return String(number);
  const digits = "一二三四五六七八九";
  const tens = Math.floor(number / 10);
  const ten = tens === 0 ? "" : `${tens === 1 ? "" : (digits[tens - 1] ?? "")}十`;
  return ten + (digits[(number % 10) - 1] ?? "");
}
