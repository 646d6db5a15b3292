import type { CellNote } from "../spreadsheet/cell-text.ts";
import { attribute } from "../xml/walk.ts";

/** What the text stands in. */
export type TextPlace = "cell" | "note" | "shape";

/** Gathers paragraphs where they stand. */
export interface TextCollector {
  open(name: string, attributes: Readonly<Record<string, string>>, place: TextPlace): void;
  text(piece: string): void;
  close(name: string): void;
  takeCell(): { readonly text: string; readonly link: string | null };
  takeNote(): CellNote;
  /** Paragraphs of text boxes, alternative texts of pictures. */
  takeShape(): string[];
}

const spaces: ReadonlySet<string> = new Set(["s", "tab", "line-break"]);

export function createTextCollector(): TextCollector {
  const paragraphs: Record<TextPlace, string[]> = { cell: [], note: [], shape: [] };
  let place: TextPlace = "cell";
  let link: string | null = null;
  let author = "";
  /** The element that the text is of, and what there is of it. */
  let target: "p" | "creator" | "title" | null = null;
  let open = "";
  let openParagraphs = 0;
  const take = (from: TextPlace): string[] => paragraphs[from].splice(0);
  return {
    open(name, attributes, found) {
      if (name === "p" || name === "h") {
        if (openParagraphs++ === 0) {
          place = found;
          target = "p";
          open = "";
        }
      } else if (spaces.has(name)) open += " ";
      else if (name === "a" && found === "cell") link ??= attribute(attributes, "href") ?? null;
      else if (name === "creator" && found === "note") {
        target = "creator";
        open = "";
      } else if ((name === "title" || name === "desc") && found === "shape") {
        target = "title";
        open = "";
      }
    },
    text(piece) {
      if (target !== null) open += piece;
    },
    close(name) {
      if (name === "p" || name === "h") {
        if (--openParagraphs > 0) {
          open += " ";
          return;
        }
        paragraphs[place].push(open);
        target = null;
      } else if (name === "creator" && target === "creator") {
        author = open;
        target = null;
      } else if ((name === "title" || name === "desc") && target === "title") {
        if (open.trim() !== "") paragraphs.shape.push(`[Image: ${open}]`);
        target = null;
      }
    },
    takeCell() {
      const cell = { text: take("cell").join("\n"), link };
      link = null;
      return cell;
    },
    takeNote() {
      const note = { author: author === "" ? null : author, text: take("note").join("\n") };
      author = "";
      return note;
    },
    takeShape: () => take("shape"),
  };
}
