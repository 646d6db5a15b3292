import { cleanText } from "../clean-text.ts";
import { type DecodedText, type ParsedFile, ReadProblem } from "../reader.ts";
import { titleFrom } from "../title.ts";
import { cellsOf, readCell } from "./cells.ts";
import { type JsonRecord, linesOf, listOf, recordOf, stringOf } from "./json-values.ts";

const MAX_AUTHORS = 20;

/** Broken JSON is still text that can be found: its lines are kept as they are. */
export function readNotebook(decoded: DecodedText, firstLine: number): ParsedFile {
  const { text, encoding, warnings } = decoded;
  const notebook = parse(text);
  if (typeof notebook === "string") {
    const warning = `It is no valid notebook (${notebook}) and was indexed as text.`;
    const lines = { kind: "same", first: firstLine } as const;
    return {
      title: null,
      parts: [{ text, markup: "code", locator: null, lines }],
      metadata: { encoding },
      warnings: [...warnings, warning],
    };
  }
  const metadata = recordOf(notebook["metadata"]);
  const language = languageOf(metadata);
  const cells = cellsOf(notebook);
  const read = cells.map((cell) => readCell(cell, language));
  const body = read
    .flatMap((cell) => cell.blocks)
    .filter((block) => block !== "")
    .join("\n\n");
  if (body.trim() === "") throw new ReadProblem("no_text", "The notebook has no cell with a text.");
  const cut = read.flatMap((cell, index) => (cell.overlong ? [index + 1] : []));
  return {
    title: titleFrom(metadata["title"]) ?? titleFrom(metadata["name"]) ?? firstHeading(cells),
    parts: [{ text: cleanText(body), markup: "markdown", locator: null, lines: null }],
    metadata: {
      encoding,
      ...(language === "" ? {} : { language }),
      ...namesOf(metadata),
      cells: cells.length,
      codeCells: cells.filter((cell) => cell["cell_type"] === "code").length,
    },
    warnings:
      cut.length === 0
        ? warnings
        : [...warnings, `The output of cell ${cut.slice(0, 20).join(", ")} was cut off.`],
  };
}

/** The notebook, or why there is none. */
function parse(text: string): JsonRecord | string {
  try {
    const value = recordOf(JSON.parse(text) as unknown);
    return cellsOf(value).length > 0 || "nbformat" in value ? value : "it has no cells";
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 200) : String(error);
  }
}

function languageOf(metadata: JsonRecord): string {
  const info = recordOf(metadata["language_info"]);
  const kernel = recordOf(metadata["kernelspec"]);
  const name = stringOf(info["name"]) || stringOf(kernel["language"]) || stringOf(metadata["language"]);
  return /^[\w+#.-]{1,30}$/.test(name) ? name.toLowerCase() : "";
}

function namesOf(metadata: JsonRecord): Record<string, unknown> {
  const kernel = titleFrom(recordOf(metadata["kernelspec"])["display_name"]);
  const authors = listOf(metadata["authors"])
    .slice(0, MAX_AUTHORS)
    .map((author) => titleFrom(recordOf(author)["name"] ?? author))
    .filter((name) => name !== null);
  return { ...(kernel === null ? {} : { kernel }), ...(authors.length === 0 ? {} : { authors }) };
}

/** Of any level, in the texts alone: code has comments that look like it. */
function firstHeading(cells: readonly JsonRecord[]): string | null {
  for (const cell of cells) {
    const source = linesOf(cell["source"] ?? cell["input"]);
    if (cell["cell_type"] === "heading") return titleFrom(source);
    if (cell["cell_type"] !== "markdown") continue;
    const heading = /^ {0,3}#{1,6}[ \t]+(\S.{0,500})$/m.exec(source)?.[1];
    const title = titleFrom(heading?.replaceAll(/[*_`]|[ \t]#+$/g, ""));
    if (title !== null) return title;
  }
  return null;
}
