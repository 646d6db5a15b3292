import { toMarkdown } from "../html/to-markdown.ts";
import { parseTree } from "../html/tree.ts";
import { type JsonRecord, linesOf, listOf, recordOf, stringOf } from "./json-values.ts";

/** What a cell wrote: text in a fence, or Markdown that stands for itself. */
export interface Output {
  readonly text: string;
  readonly fenced: boolean;
  /** So much was written that the end is left out. */
  readonly cut?: boolean;
}

/** Characters of one cell's output that are kept; logs of hours are longer. */
const MAX_OUTPUT_LENGTH = 100_000;
// oxlint-disable-next-line no-control-regex -- escape sequences are what is looked for
const escapes = /\x1b(?:\[[0-?]{0,50}[ -/]{0,10}[@-~]|\][^\x07\x1b]{0,1000}(?:\x07|\x1b\\)|[@-Z\\-_])/g;
/** How a program names an object of which it has no text. */
const objectName =
  /^\s*<[\w.]{1,200}(?: object| Axes| size [\dx]{1,30} with \d{1,4} Axes)?(?: at 0x[\da-f]{1,20})?>\s*$/i;

/** The text outputs of a code cell in their order; pictures and widgets give nothing. */
export function readOutputs(outputs: readonly unknown[]): Output[] {
  const read: Output[] = [];
  for (const value of outputs) {
    const output = readOutput(recordOf(value));
    const last = read.at(-1);
    if (output === null || output.text.trim() === "") continue;
    if (output.fenced && last?.fenced === true)
      read[read.length - 1] = { text: `${last.text}${output.text}`, fenced: true };
    else read.push(output);
  }
  return read.map(({ text, fenced }) => {
    const kept = text.slice(0, MAX_OUTPUT_LENGTH);
    return { text: fenced ? plain(kept) : kept.trim(), fenced, cut: kept.length < text.trimEnd().length };
  });
}

function readOutput(output: JsonRecord): Output | null {
  switch (stringOf(output["output_type"])) {
    case "stream":
      return { text: linesOf(output["text"]), fenced: true };
    case "error":
    case "pyerr":
      return { text: errorText(output), fenced: true };
    case "execute_result":
    case "display_data":
    case "pyout":
      return richOutput(output);
    default:
      return null;
  }
}

function errorText(output: JsonRecord): string {
  const name = [stringOf(output["ename"]), stringOf(output["evalue"])]
    .filter((part) => part !== "")
    .join(": ");
  const traceback = listOf(output["traceback"]).map(stringOf).join("\n");
  return `${traceback === "" ? name : traceback}\n`;
}

/** Older notebooks have the forms of an output beside one another instead of under `data`. */
function richOutput(output: JsonRecord): Output | null {
  const data = recordOf(output["data"]);
  const form = (type: string, older: string): string => linesOf(data[type] ?? output[older]);
  const markdown = form("text/markdown", "markdown");
  if (markdown.trim() !== "") return { text: markdown, fenced: false };
  const text = form("text/plain", "text");
  if (text.trim() !== "" && !objectName.test(text.slice(0, 1000))) return { text: `${text}\n`, fenced: true };
  const html = form("text/html", "html");
  if (html.trim() !== "") return { text: toMarkdown(parseTree(html).root), fenced: false };
  const latex = form("text/latex", "latex");
  return latex.trim() === "" ? null : { text: latex, fenced: false };
}

/** Without colours, and with the last state of lines that were written over, such as bars of progress. */
function plain(text: string): string {
  return text
    .replaceAll(escapes, "")
    .split("\n")
    .map((line) => lastState(line.trimEnd()))
    .join("\n")
    .replace(/^\n+/, "")
    .trimEnd();
}

function lastState(line: string): string {
  return line.slice(line.lastIndexOf("\r") + 1);
}
