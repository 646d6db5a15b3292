import { cleanText } from "../clean-text.ts";
import type { Locator } from "../../contract.ts";
import type { Markup, Part } from "../reader.ts";
import { markHistory } from "./history.ts";

/** A piece of a message's text. */
export interface Body {
  readonly text: string;
  readonly markup: Extract<Markup, "plain" | "markdown">;
}

/** Lines above a message's text: what they are called and what stands there; those with nothing are left out. */
export type Head = readonly (readonly [name: string, value: string])[];

/**
 * A message as parts: its head with its text in one, so that a passage of the text is found by who wrote it; pieces of
 * another form in parts of their own.
 */
export function renderMessage(
  head: Head,
  bodies: readonly Body[],
  place: { readonly locator: Locator | null; readonly headings: readonly string[] },
): Part[] {
  const lines = head
    .map(([name, value]) => [name, value.replaceAll(/\s+/g, " ").trim()] as const)
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `${name}: ${value}`);
  const pieces: Body[] = [];
  for (const body of bodies) {
    const text = tidy(body.text);
    const last = pieces.at(-1);
    if (text === "") continue;
    if (last?.markup === body.markup)
      pieces[pieces.length - 1] = { ...last, text: `${last.text}\n\n${text}` };
    else pieces.push({ ...body, text });
  }
  const [first, ...others] = pieces.map((piece) => ({ ...piece, text: markHistory(piece.text) }));
  const whole = [lines.join("\n"), first?.text ?? ""].filter((text) => text !== "").join("\n\n");
  const texts = whole === "" ? [] : [{ text: whole, markup: first?.markup ?? ("plain" as const) }, ...others];
  return texts.map(({ text, markup }) => ({ text: cleanText(text), markup, lines: null, ...place }));
}

/** Without blanks at the ends of lines and more than two blank lines in a row. */
function tidy(text: string): string {
  const lines: string[] = [];
  let blank = 0;
  for (const line of text.split("\n")) {
    const content = line.trimEnd();
    blank = content === "" ? blank + 1 : 0;
    if (blank <= 2) lines.push(content);
  }
  return lines.join("\n").replace(/^\n+/, "").trimEnd();
}
