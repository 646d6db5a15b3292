/** Commands that stand for signs. */
const signs: Readonly<Record<string, string>> = {
  ldots: "…",
  dots: "…",
  textellipsis: "…",
  textendash: "–",
  textemdash: "—",
  textquotedblleft: "“",
  textquotedblright: "”",
  textquoteleft: "‘",
  textquoteright: "’",
  textquotesingle: "'",
  guillemotleft: "«",
  guillemotright: "»",
  flqq: "«",
  frqq: "»",
  glqq: "„",
  grqq: "“",
  textasciitilde: "~",
  textasciicircum: "^",
  textbackslash: "\\",
  textbar: "|",
  textless: "<",
  textgreater: ">",
  textunderscore: "_",
  textdollar: "$",
  textdegree: "°",
  degree: "°",
  celsius: "°C",
  textcopyright: "©",
  copyright: "©",
  textregistered: "®",
  texttrademark: "™",
  textbullet: "•",
  textperiodcentered: "·",
  texteuro: "€",
  euro: "€",
  pounds: "£",
  S: "§",
  P: "¶",
  dag: "†",
  ddag: "‡",
  LaTeX: "LaTeX",
  LaTeXe: "LaTeX2e",
  TeX: "TeX",
  BibTeX: "BibTeX",
  XeLaTeX: "XeLaTeX",
  ss: "ß",
  SS: "SS",
  ae: "æ",
  AE: "Æ",
  oe: "œ",
  OE: "Œ",
  o: "ø",
  O: "Ø",
  l: "ł",
  L: "Ł",
  aa: "å",
  AA: "Å",
  i: "ı",
  j: "ȷ",
  dh: "ð",
  DH: "Ð",
  th: "þ",
  TH: "Þ",
  quad: " ",
  qquad: " ",
  enspace: " ",
  space: " ",
  newline: " ",
  linebreak: " ",
  par: "\n",
  rightarrow: "→",
  Rightarrow: "⇒",
  leftarrow: "←",
  textrightarrow: "→",
  times: "×",
  checkmark: "✓",
};

/** Commands of one sign that is no letter. */
const shortSigns: Readonly<Record<string, string>> = {
  "%": "%",
  "&": "&",
  $: "$",
  "#": "#",
  _: "_",
  "{": "{",
  "}": "}",
  " ": " ",
  "\n": " ",
  ",": " ",
  ";": " ",
  ":": " ",
  "!": "",
  "-": "",
  "/": "",
  "@": "",
  "*": "",
};

/** Commands of accents → the combining character. */
const accents: Readonly<Record<string, string>> = {
  "'": "\u0301",
  "`": "\u0300",
  "^": "\u0302",
  '"': "\u0308",
  "~": "\u0303",
  "=": "\u0304",
  ".": "\u0307",
  u: "\u0306",
  v: "\u030c",
  H: "\u030b",
  c: "\u0327",
  d: "\u0323",
  b: "\u0331",
  k: "\u0328",
  r: "\u030a",
};

export function signOf(name: string): string | undefined {
  if (Object.hasOwn(signs, name)) return signs[name];
  return Object.hasOwn(shortSigns, name) ? shortSigns[name] : undefined;
}

/** A letter under an accent; undefined when the name is no accent's. */
export function accented(name: string, letter: string): string | undefined {
  const mark = Object.hasOwn(accents, name) ? accents[name] : undefined;
  if (mark === undefined) return undefined;
  const base = letter === "ı" || letter === "\\i" ? "i" : letter === "ȷ" || letter === "\\j" ? "j" : letter;
  return `${base}${mark}`.normalize("NFC");
}

export function isAccent(name: string): boolean {
  return Object.hasOwn(accents, name);
}
