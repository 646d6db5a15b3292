import { cleanText } from "../clean-text.ts";
import type { Run } from "./runs.ts";

/** A wider gap between two runs (in heights of the font) is a space. */
const WORD_GAP = 0.15;
/** A smaller run that stands this much higher (in heights of the line's font) is a superscript. */
const RAISED = 0.2;
const SMALL = 0.85;
const superscripts: Readonly<Record<string, string>> = {
  "0": "⁰",
  "1": "¹",
  "2": "²",
  "3": "³",
  "4": "⁴",
  "5": "⁵",
  "6": "⁶",
  "7": "⁷",
  "8": "⁸",
  "9": "⁹",
  "-": "⁻",
  "−": "⁻",
  "+": "⁺",
};
/** Accents that TeX draws by themselves in front of their letter. */
const accents: Readonly<Record<string, string>> = {
  "´": "\u0301",
  "`": "\u0300",
  "¨": "\u0308",
  ˆ: "\u0302",
  "˜": "\u0303",
  ˇ: "\u030c",
  "˘": "\u0306",
  "˚": "\u030a",
  "˙": "\u0307",
  "˝": "\u030b",
};
/** What other programs write with other code points of the same meaning. Superscripts and fractions keep theirs. */
const compatible =
  /[\ufe10-\ufe19\ufe30-\ufe44\u2e80-\u2fd5\uf900-\ufaff\ufb00-\ufdff\ufe70-\ufefc\u{1d400}-\u{1d7ff}\u{2f800}-\u{2fa1f}]/gu;

/** Runs of one line, from left to right, as a person reads them. */
export function lineText(runs: readonly Run[], line: { readonly y: number; readonly size: number }): string {
  let text = "";
  let end: Run | null = null;
  for (const run of inDirection(runs)) {
    const gap = end === null ? 0 : Math.max(run.x - end.x - end.width, end.x - run.x - run.width);
    if (end !== null && (run.spaced || gap > WORD_GAP * Math.min(run.size, end.size))) text += " ";
    text += isSuperscript(run, line) ? raised(run.text, text) : run.text;
    end = run;
  }
  return tidy(text);
}

/** Lines of right-to-left scripts begin at the right; numbers and names in them don't. */
function inDirection(runs: readonly Run[]): readonly Run[] {
  let balance = 0;
  for (const run of runs) balance += run.rightToLeft ? run.text.length : -run.text.length;
  if (balance <= 0) return runs;
  const ordered = [...runs].reverse();
  let from = 0;
  for (let at = 0; at <= ordered.length; at++) {
    if (at < ordered.length && ordered[at]?.rightToLeft === false) continue;
    ordered.splice(from, at - from, ...ordered.slice(from, at).reverse());
    from = at + 1;
  }
  return ordered;
}

function isSuperscript(run: Run, line: { readonly y: number; readonly size: number }): boolean {
  return (
    run.size <= SMALL * line.size &&
    run.y - line.y >= RAISED * line.size &&
    /^[+−-]?\d{1,3}$/.test(run.text.trim())
  );
}

/** A mark of a footnote is kept apart from its word, an exponent is not. */
function raised(text: string, before: string): string {
  const marks = text.trim().replaceAll(/./gu, (sign) => superscripts[sign] ?? sign);
  return /\p{L}{3}$/u.test(before) ? ` ${marks}` : marks;
}

/** One line of text: clean, its white space single, its letters written as everyone writes them. */
export function tidy(line: string): string {
  let text = cleanText(line);
  // oxlint-disable-next-line no-control-regex -- what is not ASCII needs the rest
  if (/[^\x20-\x7e]/.test(text)) {
    text = text
      .replaceAll(compatible, (letter) => letter.normalize("NFKC"))
      .replaceAll(/[\uf0b7\uf0a7\uf076]/g, "•")
      .replaceAll(/([´`¨ˆ˜ˇ˘˚˙˝]) ?(\p{L})/gu, accented)
      .replaceAll(/[\u200b\u2060\ufeff]/g, "");
  }
  return text
    .replaceAll(/(?:[ \u00a0]?[.·…]){5,}/g, " … ")
    .replaceAll(/[\s\u00a0]+/gu, " ")
    .trim();
}

function accented(both: string, accent: string, letter: string): string {
  const base = letter === "ı" ? "i" : letter;
  const joined = (base + (accents[accent] ?? "")).normalize("NFC");
  return joined.length === base.length ? joined : both;
}
