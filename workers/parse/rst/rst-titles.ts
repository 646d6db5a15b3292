/** Marks that may underline a title. */
const adornment = /^([!-/:-@[-`{-~])\1+\s*$/;
const MAX_TITLE = 300;

export interface RstTitle {
  readonly text: string;
  /** Which of the document's kinds of title: mark, and whether it has a line above too. */
  readonly style: string;
  /** Lines that it takes. */
  readonly lines: number;
}

export function isAdornment(line: string): boolean {
  return adornment.test(line);
}

/** The title that begins at a line, or null. Marks must be about as long as the title, wide characters counted double. */
export function titleAt(line: string, next: string, afterNext: string): RstTitle | null {
  if (adornment.test(line)) {
    const text = next.trim();
    const framed = line.trimEnd() === afterNext.trimEnd() && text !== "" && !adornment.test(next);
    if (!framed || !fits(text, line)) return null;
    return { text, style: `${line[0]}${line[0]}`, lines: 3 };
  }
  if (line.trim() === "" || /^\s/.test(line) || !adornment.test(next) || !fits(line.trim(), next))
    return null;
  return { text: line.trim(), style: next[0] ?? "", lines: 2 };
}

function fits(text: string, marks: string): boolean {
  // A mark of two signs is as likely the start of something else.
  const length = marks.trimEnd().length;
  return (
    text.length <= MAX_TITLE && length >= Math.min(3, text.length) && length >= Math.floor(text.length * 0.8)
  );
}
