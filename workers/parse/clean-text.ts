/** String.prototype.toWellFormed, which Node 20 has and the es2023 library does not name. */
interface WellFormed {
  toWellFormed(): string;
}

/** Lone surrogates become U+FFFD: SQLite and JSON cannot hold them. */
export function wellFormed(text: string): string {
  return (text as unknown as WellFormed).toWellFormed();
}

/** Any text that is to leave a reader: not begun by BOMs, without lone surrogates and NUL, lines ended by \n alone. */
export function cleanText(text: string): string {
  let clean = text.replace(/^\uFEFF+/, "");
  if (clean.includes("\r")) clean = clean.replaceAll(/\r\n?/g, "\n");
  if (clean.includes("\0")) clean = clean.replaceAll("\0", "\uFFFD");
  return wellFormed(clean);
}
