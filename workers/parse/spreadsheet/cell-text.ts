import { cleanText } from "../clean-text.ts";
import { oneLine } from "../table/row.ts";

const MAX_LINK_LENGTH = 2000;

/** What hangs on a cell. */
export interface CellExtras {
  readonly notes: readonly CellNote[];
  /** Where it leads to; null when nowhere outside of the file. */
  readonly link: string | null;
}

export interface CellNote {
  readonly author: string | null;
  readonly text: string;
}

/** A cell on one line: what it shows, where it leads to, and the notes on it. */
export function cellText(shown: string, extras: CellExtras | null): string {
  const text = oneLine(cleanText(shown));
  if (extras === null) return text;
  const notes = extras.notes.map(noteText).filter((note) => note !== "");
  return [linked(text, extras.link), ...notes].filter((piece) => piece !== "").join(" ");
}

function linked(text: string, link: string | null): string {
  const target = link === null ? "" : oneLine(cleanText(link));
  if (text === "" || target === "" || target.startsWith("#") || target.length > MAX_LINK_LENGTH) return text;
  const address = target.replace(/^mailto:/i, "").replace(/\/$/, "");
  return text.includes(address) ? text : `[${text}](${target})`;
}

function noteText({ author, text }: CellNote): string {
  const said = oneLine(cleanText(text));
  if (said === "") return "";
  const by = oneLine(cleanText(author ?? ""));
  return by === "" || said.startsWith(by) ? `[Note: ${said}]` : `[Note by ${by}: ${said}]`;
}
