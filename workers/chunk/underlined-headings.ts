/**
 * Headings of plain text and reStructuredText: a short line with a line of one repeated mark under it, at least about
 * as long. As in reStructuredText, the order in which marks appear gives their level.
 */
const underline = /^([=\-~^"'`#*+.:_])\1{2,}\s*$/;
const MAX_LENGTH = 120;
const MAX_LEVEL = 6;

export function underlinedHeadings(
  text: string,
  starts: Uint32Array,
): { line: number; level: number; text: string }[] {
  const headings: { line: number; level: number; text: string }[] = [];
  const styles: string[] = [];
  for (let line = 1; line < starts.length; line++) {
    const start = starts[line] ?? 0;
    const mark = text.charCodeAt(start);
    if (mark <= 32 || mark !== text.charCodeAt(start + 2) || mark !== text.charCodeAt(start + 1)) continue;
    const title = lineText(text, starts, line - 1).trimEnd();
    if (title === "" || title.length > MAX_LENGTH || underline.test(title)) continue;
    const under = lineText(text, starts, line).trimEnd();
    if (!underline.test(under) || under.length < title.trimStart().length - 1) continue;
    const above = line >= 2 ? lineText(text, starts, line - 2).trimEnd() : "";
    const framed = above !== "" && above[0] === under[0] && underline.test(above);
    if (above !== "" && !framed) continue;
    if (/^\s/.test(title) && !framed) continue;
    const style = `${framed ? "framed" : ""}${under[0]}`;
    if (!styles.includes(style)) styles.push(style);
    const level = Math.min(styles.indexOf(style) + 1, MAX_LEVEL);
    headings.push({ line: framed ? line - 2 : line - 1, level, text: title.trim().replaceAll(/\s+/g, " ") });
  }
  return headings;
}

function lineText(text: string, starts: Uint32Array, line: number): string {
  const start = starts[line] ?? text.length;
  return text.slice(start, Math.min(starts[line + 1] ?? text.length, start + 2 * MAX_LENGTH));
}
