import { type JsonRecord, linesOf, listOf, recordOf, stringOf } from "./json-values.ts";
import { readOutputs } from "./outputs.ts";

/** Languages that the first line of a cell ("%%bash") changes to. */
const magics: Readonly<Record<string, string>> = {
  bash: "bash",
  sh: "bash",
  script: "bash",
  html: "html",
  javascript: "javascript",
  js: "javascript",
  latex: "latex",
  sql: "sql",
  markdown: "markdown",
  ruby: "ruby",
  perl: "perl",
  svg: "xml",
  r: "r",
};
/** Pictures that are written into the text itself. */
const dataAddress = /\bdata:[\w.+-]{1,40}\/[\w.+-]{1,80};base64,[A-Za-z0-9+/=%]*/g;

export interface CellText {
  readonly blocks: readonly string[];
  /** Its output is longer than what is kept. */
  readonly overlong: boolean;
}

/** One cell as Markdown. */
export function readCell(cell: JsonRecord, language: string): CellText {
  const source = linesOf(cell["source"] ?? cell["input"]).replaceAll(/\r\n?/g, "\n");
  switch (stringOf(cell["cell_type"])) {
    case "markdown":
      return { blocks: [closed(source.replaceAll(dataAddress, "").trim())], overlong: false };
    case "heading": {
      const level = Math.min(6, Math.max(1, Number(cell["level"]) || 1));
      return { blocks: [`${"#".repeat(level)} ${source.replaceAll(/\s+/g, " ").trim()}`], overlong: false };
    }
    case "code":
      return codeCell(cell, source, language);
    default:
      return { blocks: source.trim() === "" ? [] : [fence(source.trim(), "")], overlong: false };
  }
}

function codeCell(cell: JsonRecord, source: string, language: string): CellText {
  const own = stringOf(cell["language"]) || language;
  const magic = /^\s*%%(\w{1,30})/.exec(source)?.[1]?.toLowerCase();
  const named = magic !== undefined && Object.hasOwn(magics, magic) ? magics[magic] : undefined;
  const outputs = readOutputs(listOf(cell["outputs"]));
  const blocks = source.trim() === "" ? [] : [fence(source.replace(/^\n+/, "").trimEnd(), named ?? own)];
  for (const { text, fenced } of outputs) {
    const clean = text.replaceAll(dataAddress, "");
    if (clean.trim() !== "") blocks.push(fenced ? fence(clean, "") : closed(clean));
  }
  return { blocks, overlong: outputs.some((output) => output.cut === true) };
}

/** A fence longer than any in its text. */
function fence(text: string, language: string): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
  const marks = "`".repeat(longest + 1);
  return `${marks}${language}\n${text}\n${marks}`;
}

/** A fence that a cell leaves open ends with the cell. */
function closed(markdown: string): string {
  let open: string | null = null;
  for (const line of markdown.split("\n")) {
    const marks = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (marks === undefined) continue;
    if (open === null) open = marks;
    else if (marks[0] === open[0] && marks.length >= open.length) open = null;
  }
  return open === null ? markdown : `${markdown}\n${open}`;
}

/** The cells, wherever the version of the format has them. */
export function cellsOf(notebook: JsonRecord): readonly JsonRecord[] {
  const sheets = listOf(notebook["worksheets"]);
  const cells =
    sheets.length > 0
      ? sheets.flatMap((sheet) => listOf(recordOf(sheet)["cells"]))
      : listOf(notebook["cells"]);
  return cells.map(recordOf);
}
