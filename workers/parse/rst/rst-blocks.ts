import { dedent, indentWidth } from "../markup/markup-lines.ts";

export interface Line {
  readonly text: string;
  /** The line of the file that it is, 1-based. */
  readonly origin: number;
}

/** Lines that are indented more than what stands above them. */
export interface Block {
  readonly lines: readonly Line[];
  /** Columns that all its lines are indented by. */
  readonly indent: number;
  /** Index after its last line. */
  readonly end: number;
}

/** The indented lines from `start` on, without blank lines at the end. */
export function blockAfter(lines: readonly Line[], start: number, indent: number): Block {
  let end = start;
  let least = Infinity;
  for (let at = start; at < lines.length; at++) {
    const text = lines[at]?.text ?? "";
    if (text.trim() === "") continue;
    const width = indentWidth(text);
    if (width <= indent) break;
    least = Math.min(least, width);
    end = at + 1;
  }
  let first = start;
  while (first < end && (lines[first]?.text ?? "").trim() === "") first++;
  return { lines: lines.slice(first, end), indent: least === Infinity ? 0 : least, end };
}

export function textsOf(lines: readonly Line[], indent: number): string[] {
  return lines.map((line) => dedent(line.text, indent));
}

export interface Directive {
  readonly name: string;
  readonly argument: string;
  readonly options: ReadonlyMap<string, string>;
  readonly content: Block;
}

const opening = /^\.\.\s+(?:\|[^|]{1,100}\|\s+)?([A-Za-z][\w:+.-]{0,60})::(?:\s+(.*))?$/;
/** Lines of options and of the argument in front of the content. */
const MAX_HEAD = 50;

/** Null for what is no directive. Substitutions are none either: their text stands where their names do. */
export function parseDirective(text: string, block: Block): Directive | null {
  const found = opening.exec(text);
  const name = found?.[1];
  if (name === undefined) return null;
  const options = new Map<string, string>();
  let at = 0;
  let argument = (found?.[2] ?? "").trim();
  if (/^\.\.\s+\|/.test(text)) return { name: "index", argument: "", options, content: block };
  for (let last = ""; at < Math.min(block.lines.length, MAX_HEAD); at++) {
    const line = (block.lines[at]?.text ?? "").trim();
    const [, key, value = ""] = /^:([\w-]{1,40}):(?:\s+(.*))?$/.exec(line) ?? [];
    if (key !== undefined) {
      options.set(key, value);
      last = key;
    } else if (last !== "" && line !== "") options.set(last, `${options.get(last) ?? ""} ${line}`);
    else break;
  }
  if (options.size === 0 && argument !== "" && takesLongArgument(name)) {
    for (; at < block.lines.length && (block.lines[at]?.text ?? "").trim() !== ""; at++)
      argument += ` ${(block.lines[at]?.text ?? "").trim()}`;
  }
  const lines = block.lines.slice(at);
  const least = lines.reduce(
    (least, line) => (line.text.trim() === "" ? least : Math.min(least, indentWidth(line.text))),
    Infinity,
  );
  return {
    name,
    argument,
    options,
    content: { lines, indent: least === Infinity ? 0 : least, end: block.end },
  };
}

/** Notes of one paragraph go on in the lines below. */
function takesLongArgument(name: string): boolean {
  return /^(?:versionadded|versionchanged|deprecated|rubric)$/.test(name);
}
