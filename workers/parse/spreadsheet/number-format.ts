type Ssf = typeof import("@e965/xlsx").SSF;

/** Longer formats are not of a person's making. */
const MAX_FORMAT_LENGTH = 255;
const GENERAL = "General";
/** Characters of a number of that format. */
const GENERAL_WIDTH = 11;
const DAY = "yyyy-mm-dd";
/** Formats that look different in every country, and those of East Asia, by their numbers: dates are written in one way. */
const local: ReadonlyMap<number, string> = new Map([
  [14, DAY],
  [22, `${DAY} hh:mm`],
  ...[27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58].map((id): [number, string] => [id, DAY]),
  ...[32, 33, 34, 35, 55, 56].map((id): [number, string] => [id, "hh:mm:ss"]),
]);

/** A number as a person sees it. `format` is a format code, or the number of a built-in one. */
export type NumberFormatter = (value: number, format: string | number) => string;

export async function createNumberFormatter(date1904: boolean): Promise<NumberFormatter> {
  const { SSF } = await import("@e965/xlsx");
  return (value, format) => {
    const code = typeof format === "number" ? (local.get(format) ?? format) : format;
    if (code === 0 || code === GENERAL || (typeof code === "string" && code.length > MAX_FORMAT_LENGTH))
      return general(SSF, value);
    return formatted(SSF, value, code, date1904);
  };
}

function formatted(ssf: Ssf, value: number, code: string | number, date1904: boolean): string {
  try {
    const text: unknown = ssf.format(code, value, { date1904 });
    // A date out of reach gives nothing; a format with sections may hide a number on purpose.
    if (typeof text === "string" && (text !== "" || String(code).includes(";"))) return text;
    return general(ssf, value);
  } catch {
    // A format that is none: the number itself is what is left.
    return general(ssf, value);
  }
}

/** Whole numbers in full: a person looks for an article number by all its digits. */
function general(ssf: Ssf, value: number): string {
  const plain = String(value);
  if (Number.isSafeInteger(value) || (plain.length <= GENERAL_WIDTH && !plain.includes("e"))) return plain;
  try {
    const text: unknown = ssf.format(GENERAL, value);
    return typeof text === "string" ? text : String(value);
  } catch {
    // Not a finite number.
    return String(value);
  }
}
