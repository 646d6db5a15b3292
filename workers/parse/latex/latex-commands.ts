/** Sectioning commands, the outermost first. */
export const sectionRanks: Readonly<Record<string, number>> = {
  part: 0,
  chapter: 1,
  section: 2,
  subsection: 3,
  subsubsection: 4,
  paragraph: 5,
  subparagraph: 6,
};
/** Slides stand below sections. */
export const FRAME_RANK = 5;

/** Commands that set nothing, with the number of their arguments. */
const silent: Readonly<Record<number, string>> = {
  1:
    "label vspace hspace vskip hskip includegraphics bibliographystyle bibliography addbibresource pagestyle thispagestyle usepackage " +
    "RequirePackage documentclass geometry hypersetup lstset tikzset pgfplotsset pagecolor color usetheme usecolortheme useoutertheme " +
    "useinnertheme usefonttheme usetikzlibrary graphicspath markright index glossary nocite hyphenation selectlanguage rule phantom " +
    "hphantom vphantom captionsetup theoremstyle setmainfont setsansfont setmonofont setmainlanguage makeindex cline rowcolor cellcolor " +
    "columncolor arraybackslash cmidrule pagenumbering linespread setstretch includeonly mode logo titlegraphic tableofcontents " +
    "addtobeamertemplate setlist sisetup numberwithin allowdisplaybreaks enlargethispage stepcounter refstepcounter vfil penalty",
  2:
    "setlength addtolength setcounter addtocounter newcommand renewcommand providecommand DeclareMathOperator newtheorem fontsize " +
    "markboth colorlet PassOptionsToPackage setbeamertemplate setbeamercolor setbeamerfont newcolumntype DeclareRobustCommand " +
    "declaretheorem newacronym titlespacing settowidth",
  3: "newenvironment renewenvironment definecolor addcontentsline setkomafont",
};
/** Commands whose last argument is text: how many arguments stand before it. */
const skipping: Readonly<Record<number, string>> = {
  1: "foreignlanguage textcolor colorbox raisebox parbox scalebox rotatebox adjustbox makebox framebox hyperref hyperlink hypertarget textlang",
  2: "fcolorbox resizebox multirow multicolumn",
};

function numbers(table: Readonly<Record<number, string>>): ReadonlyMap<string, number> {
  return new Map(
    Object.entries(table).flatMap(([count, names]) =>
      names.split(" ").map((name): [string, number] => [name, Number(count)]),
    ),
  );
}

export const silentCommands: ReadonlyMap<string, number> = numbers(silent);
export const skippingCommands: ReadonlyMap<string, number> = numbers(skipping);

export const codeCommands: ReadonlySet<string> = new Set([
  "texttt",
  "code",
  "lstinline",
  "mintinline",
  "path",
  "url",
  "nolinkurl",
]);
export const citeCommand =
  /^(?:[A-Za-z]?[Cc]ites?|(?:text|paren|foot|auto|super)cites?|cite(?:p|t|alp|alt|author|year|title|yearpar|num)|[Ff]ullcite)$/;
export const refCommand = /^(?:(?:eq|auto|name|page|c|C|v|lstlisting)?ref|[cC]refrange|labelcref)$/;
export const noteCommands: ReadonlySet<string> = new Set([
  "footnote",
  "footnotetext",
  "thanks",
  "sidenote",
  "marginpar",
  "marginnote",
  "todo",
]);
/** Commands whose argument stands on lines of its own. */
export const lineCommands: ReadonlySet<string> = new Set([
  "caption",
  "captionof",
  "subcaption",
  "subtitle",
  "framesubtitle",
  "institute",
  "keywords",
  "lstlistingname",
]);

export const codeEnvironments: ReadonlySet<string> = new Set([
  "verbatim",
  "verbatim*",
  "Verbatim",
  "BVerbatim",
  "LVerbatim",
  "lstlisting",
  "minted",
  "alltt",
  "listing",
  "code",
  "pyverbatim",
  "pycode",
  "spverbatim",
  "algorithmic",
]);
export const tableEnvironments: ReadonlyMap<string, number> = new Map([
  ["tabular", 1],
  ["tabular*", 2],
  ["tabularx", 2],
  ["tabulary", 2],
  ["tabu", 1],
  ["longtable", 1],
  ["longtabu", 1],
  ["supertabular", 1],
  ["xltabular", 2],
  ["tblr", 1],
]);
export const mathEnvironments =
  /^(?:equation|align|alignat|flalign|gather|multline|eqnarray|displaymath|math|dmath|IEEEeqnarray|split|subequations)\*?$/;
/** Drawings and what is for programs. */
export const silentEnvironments: ReadonlySet<string> = new Set([
  "comment",
  "tikzpicture",
  "pgfpicture",
  "picture",
  "filecontents",
  "filecontents*",
  "luacode",
  "asy",
  "forest",
  "tikzcd",
]);
/** Environments that name themselves in what is set. */
export const namedEnvironments: Readonly<Record<string, string>> = {
  theorem: "Theorem",
  lemma: "Lemma",
  proposition: "Proposition",
  corollary: "Corollary",
  definition: "Definition",
  example: "Example",
  remark: "Remark",
  proof: "Proof",
  conjecture: "Conjecture",
  exercise: "Exercise",
  solution: "Solution",
  note: "Note",
  warning: "Warning",
  thm: "Theorem",
  lem: "Lemma",
  prop: "Proposition",
  cor: "Corollary",
  defn: "Definition",
};
