import { decodeHtmlText } from "./entities.ts";
import type { Speech } from "./cue.ts";

/** Tags that style; others are text that has angle brackets. */
const styling = /<\/?(?:b|i|u|s|c|lang|ruby|font|span|em|strong)(?:[.\s][^<>]{0,300})?>|<\d[\d:.]{0,20}>/gi;
const voice = /<v(?:\.[^\s<>]{0,200})?[ \t]+([^<>]{1,200})>|<\/v>/gi;
/** Reading aids above the text: they follow it in brackets. */
const reading = /<rt(?:[.\s][^<>]{0,100})?>([^<>]{0,200})<\/rt>/gi;
const overrides = /\{\\[^{}]{0,500}\}/g;

/** A cue's lines without styling, with the names of those who speak. */
export function readCueText(lines: readonly string[]): Speech[] {
  const text = lines.join("\n").replaceAll(overrides, "").replaceAll(reading, "($1)").replaceAll(styling, "");
  const speeches: Speech[] = [];
  let speaker: string | null = null;
  let from = 0;
  const close = (end: number): void => {
    const words = tidy(text.slice(from, end));
    const last = speeches.at(-1);
    if (words === "") return;
    // What follows a speech in its cue is about it: "laughs".
    if (last !== undefined && (speaker === null || speaker === last.speaker))
      speeches[speeches.length - 1] = { ...last, text: `${last.text} ${words}` };
    else speeches.push({ speaker, text: words });
  };
  for (const found of text.matchAll(voice)) {
    close(found.index);
    speaker = found[1] === undefined ? null : tidy(found[1]);
    from = found.index + found[0].length;
  }
  close(text.length);
  return speeches;
}

/** Lines without blanks at their ends, entities decoded. */
function tidy(text: string): string {
  return decodeHtmlText(text)
    .split("\n")
    .map((line) => line.replaceAll(/[^\S\n]+/g, " ").trim())
    .filter((line) => line !== "")
    .join("\n");
}
