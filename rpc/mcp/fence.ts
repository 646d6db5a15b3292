import { randomBytes } from "node:crypto";

/** Marks that stand around text of documents. Nothing between them can look like their end. */
export interface Fence {
  readonly opening: string;
  readonly closing: string;
}

const MARK_BYTES = 6;

/** A fence whose mark nobody knew when the documents were written, and which none of these texts holds. */
export function fenceFor(texts: Iterable<string>): Fence {
  const all = [...texts];
  for (;;) {
    const mark = randomBytes(MARK_BYTES).toString("hex");
    if (!all.some((text) => text.includes(mark))) return { opening: `<<<${mark}`, closing: `${mark}>>>` };
  }
}

export function fenced(text: string, { opening, closing }: Fence): string {
  return `${opening}\n${text}\n${closing}`;
}

/** Line ends that JSON leaves as they are, and marks that turn the direction of writing. */
const unescaped = /[\u007F-\u009F\u2028\u2029\u202A-\u202E\u2066-\u2069]/g;

/** JSON on one line: a string in quotes that it cannot end. */
export function quoted(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    unescaped,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** A line of a document that stays one. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\n\v\f\r\u0085\u2028\u2029]/g, " ");
}
