/** Windows' numbers of encodings that are not named for their number. */
const names: Readonly<Record<number, string>> = {
  874: "windows-874",
  932: "shift_jis",
  936: "gb18030",
  949: "euc-kr",
  950: "big5",
  1200: "utf-16le",
  20127: "us-ascii",
  20866: "koi8-r",
  21866: "koi8-u",
  20932: "euc-jp",
  50220: "iso-2022-jp",
  50221: "iso-2022-jp",
  50222: "iso-2022-jp",
  51932: "euc-jp",
  51936: "gb18030",
  51949: "euc-kr",
  52936: "gb18030",
  54936: "gb18030",
  65001: "utf-8",
};

/** The encoding of a Windows code page; empty when it says nothing. */
export function codePageName(page: number | undefined): string {
  if (page === undefined) return "";
  const named = names[page];
  if (named !== undefined) return named;
  if (page >= 1250 && page <= 1258) return `windows-${page}`;
  return page >= 28591 && page <= 28606 ? `iso-8859-${page - 28590}` : "";
}
