/** Rows that end in a window of a table of delimited cells. */
export interface RowEnds {
  /** Behind the first row and behind the last one; 0 when none ends. */
  readonly first: number;
  readonly last: number;
  readonly count: number;
}

const NEWLINE = 10;
const RETURN = 13;
const SPACE = 32;
const QUOTE = 34;

/**
 * A cell that begins with a quote ends with one that stands before a delimiter or a line end; line ends in between are part
 * of it. What is open at the end of the window is no row, unless the file ends there outside of quotes.
 */
export function rowEnds(codes: Uint8Array | Uint16Array, delimiter: number, atEnd: boolean): RowEnds {
  let [first, last, count, at] = [0, 0, 0, 0];
  const end = codes.length;
  const close = (place: number): void => {
    if (count++ === 0) first = place;
    last = place;
  };
  let atCellStart = true;
  while (at < end) {
    const code = codes[at];
    if (code === NEWLINE || (code === RETURN && codes[at + 1] !== NEWLINE && at + 1 < end)) {
      close(at + 1);
      atCellStart = true;
    } else if (code === QUOTE && atCellStart) {
      const closed = quotedEnd(codes, at + 1, delimiter);
      if (closed === null) return { first, last, count };
      at = closed;
      atCellStart = false;
      continue;
    } else atCellStart = code === delimiter;
    at++;
  }
  if (atEnd && last < end) close(end);
  return { first, last, count };
}

/** The place behind the closing quote; null when the window ends before. */
function quotedEnd(codes: Uint8Array | Uint16Array, from: number, delimiter: number): number | null {
  for (let at = codes.indexOf(QUOTE, from); at !== -1; at = codes.indexOf(QUOTE, at + 1)) {
    if (codes[at + 1] === QUOTE) {
      at++;
      continue;
    }
    let next = at + 1;
    while (codes[next] === SPACE) next++;
    const code = codes[next];
    if (code === undefined || code === delimiter || code === NEWLINE || code === RETURN) return at + 1;
  }
  return null;
}
