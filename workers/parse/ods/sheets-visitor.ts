import type { BookWriter } from "../spreadsheet/book-writer.ts";
import { attribute, type XmlVisitor } from "../xml/walk.ts";
import { SheetsInTurn } from "./sheets-in-turn.ts";
import { createTextCollector } from "./text-collector.ts";

/** Elements whose text is not of the sheet: what was changed or deleted, forms, hints for input. */
const skipped: ReadonlySet<string> = new Set(["tracked-changes", "forms", "content-validations", "scripts"]);
const shapes: ReadonlySet<string> = new Set([
  "shapes",
  "frame",
  "custom-shape",
  "rect",
  "ellipse",
  "circle",
  "line",
  "connector",
  "caption",
  "polygon",
  "polyline",
  "path",
  "regular-polygon",
  "measure",
  "g",
]);

type Attributes = Readonly<Record<string, string>>;

export interface SheetsVisitor extends XmlVisitor {
  /** The text may end before the sheet does. */
  end(): void;
}

/** Walks through the content of a spreadsheet. `charts`: titles by the folder of the chart. */
export function createSheetsVisitor(book: BookWriter, charts: ReadonlyMap<string, string>): SheetsVisitor {
  const styles = createHiddenStyles();
  const sheets = new SheetsInTurn(book, (style) => styles.has(style));
  const texts = createTextCollector();
  let skippedAt: number | null = null;
  /** Elements that are shapes, or a note, around the text. */
  let inShape = 0;
  let inNote = 0;
  const close = (name: string): void => {
    texts.close(name);
    if (shapes.has(name)) {
      inShape--;
      for (const line of texts.takeShape()) sheets.line(line);
    } else if (name === "annotation") {
      inNote--;
      sheets.note(texts.takeNote());
    } else if (inShape === 0 && inNote === 0) sheets.close(name, texts);
  };
  return {
    open(name, attributes, depth) {
      if (skippedAt !== null) return;
      if (skipped.has(name)) skippedAt = depth;
      else if (shapes.has(name)) inShape++;
      else if (name === "annotation") inNote++;
      else if (name === "object") chartLine(sheets, charts, attribute(attributes, "href"));
      else if (inShape === 0 && inNote === 0) {
        styles.open(name, attributes);
        sheets.open(name, attributes);
      }
      if (skippedAt === null)
        texts.open(name, attributes, inNote > 0 ? "note" : inShape > 0 ? "shape" : "cell");
    },
    text(piece) {
      if (skippedAt === null) texts.text(piece);
    },
    close(name, depth) {
      if (skippedAt === null) close(name);
      else if (depth <= skippedAt) skippedAt = null;
    },
    end: () => sheets.end(),
  };
}

function chartLine(
  sheets: SheetsInTurn,
  charts: ReadonlyMap<string, string>,
  path: string | undefined,
): void {
  const title = charts.get((path ?? "").replace(/^\.\//, ""));
  if (title !== undefined) sheets.line(`[Chart: ${title}]`);
}

interface HiddenStyles {
  open(name: string, attributes: Attributes): void;
  has(style: string | undefined): boolean;
}

/** Styles of sheets that are not shown. */
function createHiddenStyles(): HiddenStyles {
  const hidden = new Set<string>();
  let style: string | undefined;
  return {
    open(name, attributes) {
      if (name === "style") style = attribute(attributes, "name");
      else if (name === "table-properties" && attribute(attributes, "display") === "false") {
        if (style !== undefined) hidden.add(style);
      }
    },
    has: (name) => name !== undefined && hidden.has(name),
  };
}
