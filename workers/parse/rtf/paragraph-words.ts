import type { RtfLayout } from "./layout.ts";

/** What a control word does to the paragraphs and tables; words without a meaning for the text do nothing. */
export function setParagraph(layout: RtfLayout, name: string, parameter: number | null): void {
  const { paragraph } = layout;
  switch (name) {
    case "par":
    case "sect":
      layout.closeParagraph();
      break;
    case "line":
    case "page":
    case "column":
    case "nestrow":
      layout.lineBreak();
      break;
    case "nestcell":
      layout.text(" ");
      break;
    case "cell":
      layout.endCell();
      break;
    case "trowd":
      layout.announceRow();
      break;
    case "row":
      layout.endRow();
      break;
    case "pard":
      layout.resetParagraph();
      break;
    case "intbl":
      paragraph.inTable = true;
      break;
    case "s":
      paragraph.style = parameter ?? 0;
      break;
    case "ilvl":
      paragraph.depth = Math.max(0, parameter ?? 0);
      break;
    case "outlinelevel":
      paragraph.outline = (parameter ?? 9) < 9 ? Math.max(0, parameter ?? 0) + 1 : 0;
      break;
    default:
  }
}
