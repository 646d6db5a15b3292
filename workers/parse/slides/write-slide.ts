import { createMarkdownWriter, type MarkdownWriter } from "../html/writer.ts";
import { cleanText } from "../clean-text.ts";
import { markdownTable } from "../markdown-table.ts";
import { type Block, oneLine, type Paragraph, type Slide } from "./slide.ts";

const MAX_TITLE_LENGTH = 500;
const MAX_LEVEL = 8;
const MAX_COLUMNS = 200;
/** Cells of one table, those that only fill its rows up counted. */
const MAX_CELLS = 200_000;

/** A slide as Markdown; empty when there is no text on it. `footers` are those that were on no slide before it. */
export function writeSlide(slide: Slide, footers: readonly string[]): string {
  const writer = createMarkdownWriter();
  const title = oneLine(slide.title ?? "").slice(0, MAX_TITLE_LENGTH);
  if (title !== "") writer.block([`# ${title}`]);
  for (const block of slide.blocks) writeBlock(block, writer);
  for (const footer of footers) writeParagraphs([{ text: footer, level: 0, mark: "none" }], writer);
  for (const { author, text } of slide.comments) {
    const mark = author === null ? "Comment: " : `Comment by ${author}: `;
    writeParagraphs([{ text: mark + text, level: 0, mark: "none" }], writer);
  }
  if (slide.notes.some(({ text }) => text.trim() !== "")) {
    writer.block(["## Notes"]);
    writeParagraphs(slide.notes, writer);
  }
  const text = writer.result();
  if (text === "") return "";
  return cleanText(slide.hidden ? markHidden(text, title !== "") : text);
}

function markHidden(text: string, titled: boolean): string {
  if (!titled) return `(hidden slide)\n\n${text}`;
  const end = text.indexOf("\n");
  return `${text.slice(0, end)}\n\n(hidden slide)${text.slice(end)}`;
}

function writeBlock(block: Block, writer: MarkdownWriter): void {
  if (block.kind === "paragraphs") writeParagraphs(block.paragraphs, writer);
  else {
    const table = markdownTable(boundedRows(block.rows));
    if (table !== "") writer.block(table.split("\n"));
  }
}

/** Rows are filled up to the widest: a few long ones among many short ones must not fill the memory. */
function boundedRows(rows: readonly (readonly string[])[]): (readonly string[])[] {
  const narrow = rows.map((row) => row.slice(0, MAX_COLUMNS));
  const width = narrow.reduce((widest, row) => Math.max(widest, row.length), 1);
  return narrow.slice(0, Math.floor(MAX_CELLS / width));
}

/** Items of a list follow one another without blank lines, each at most one level deeper than the one before it. */
function writeParagraphs(paragraphs: readonly Paragraph[], writer: MarkdownWriter): void {
  const numbers: number[] = [];
  /** Level of the item before; -1 when none stands before. */
  let before = -1;
  for (const { text, level, mark } of paragraphs) {
    if (text.trim() === "") continue;
    if (mark === "none") {
      before = -1;
      numbers.length = 0;
      writeLines(text, writer);
      continue;
    }
    const depth = Math.min(level, before + 1, MAX_LEVEL);
    numbers.length = Math.min(numbers.length, depth + 1);
    if (mark === "number") numbers[depth] = (numbers[depth] ?? 0) + 1;
    const sign = mark === "number" ? `${numbers[depth]}. ` : "- ";
    const indent = "  ".repeat(depth);
    const rest = indent + " ".repeat(sign.length);
    writer.marked(indent + sign, rest, before !== -1, () => writeLines(text, writer));
    before = depth;
  }
}

function writeLines(text: string, writer: MarkdownWriter): void {
  for (const [index, line] of text.split("\n").entries()) {
    if (index > 0) writer.lineBreak();
    writer.text(line);
  }
  writer.endBlock();
}
