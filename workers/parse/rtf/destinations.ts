/**
 * Where the text of a group goes. `skip` goes nowhere, though a group inside of it may have a destination of its own; `drop`
 * goes nowhere with all that is in it.
 */
export type Destination =
  | "text"
  | "skip"
  | "drop"
  | "fonts"
  | "styles"
  | "info"
  | "created"
  | "modified"
  | "label"
  | "author"
  | "shapeName"
  | "shapeValue"
  | "upr"
  | `info:${string}`;

/** Words that begin a group that is read elsewhere or not at all, whether they are starred or not. */
export const destinations: ReadonlyMap<string, Destination> = new Map<string, Destination>([
  ["fonttbl", "fonts"],
  ["stylesheet", "styles"],
  ["info", "info"],
  ["listtext", "label"],
  ["pntext", "label"],
  ["atnauthor", "author"],
  ["sn", "shapeName"],
  ["sv", "shapeValue"],
  ["upr", "upr"],
  ["shprslt", "drop"],
  ["nonshppict", "drop"],
  ["nonesttables", "drop"],
  ["mmathPict", "drop"],
  ["fldinst", "drop"],
  ...(
    "colortbl pict shpinst filetbl themedata colorschememapping datastore latentstyles listtable listoverridetable rsidtbl " +
    "generator xmlnstbl mmathPr pgdsctbl bkmkstart bkmkend datafield formfield objdata objclass objname sp private " +
    "revtbl template wgrffmtfilter ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn pnseclvl pn xe tc txe rxe atnid atndate " +
    "atntime atnref atnparent atrfstart atrfend background docvar userprops protusertbl pgptbl userpropstbl do"
  )
    .split(" ")
    .map((name): [string, Destination] => [name, "skip"]),
]);

/** Starred words whose text is seen all the same. */
export const seenThough: ReadonlySet<string> = new Set(["moMath", "moMathPara", "shppict", "shpgrp"]);

/** What a file says of itself, inside of its info group → the names it is kept under. */
export const infoNames: ReadonlyMap<string, string> = new Map([
  ["title", "title"],
  ["author", "author"],
  ["subject", "subject"],
  ["keywords", "keywords"],
  ["category", "category"],
  ["doccomm", "description"],
  ["operator", "lastModifiedBy"],
]);

/** Signs that have words. */
export const signWords: ReadonlyMap<string, string> = new Map([
  ["tab", " "],
  ["emdash", "\u2014"],
  ["endash", "\u2013"],
  ["lquote", "\u2018"],
  ["rquote", "\u2019"],
  ["ldblquote", "\u201C"],
  ["rdblquote", "\u201D"],
  ["bullet", "\u2022"],
  ["emspace", " "],
  ["enspace", " "],
  ["qmspace", " "],
  ["zwj", "\u200D"],
  ["zwnj", "\u200C"],
]);
