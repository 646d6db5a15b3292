import type { NumberFormatter } from "../spreadsheet/number-format.ts";
import { createStringItem, unescaped } from "./string-item.ts";

/** What the cells of all sheets refer to. */
export interface SheetContext {
  readonly sharedStrings: readonly string[];
  /** By style. */
  readonly formats: readonly (string | number)[];
  readonly formatNumber: NumberFormatter;
}

/** Reads one cell after the other. */
export interface CellReader {
  readonly isOpen: boolean;
  begin(type: string, style: number): void;
  open(name: string): void;
  text(piece: string): void;
  close(name: string): void;
  end(): void;
  readonly isEmpty: boolean;
  /** It has a formula, and its result is not in the file. */
  readonly isUncomputed: boolean;
  /** What a person sees in it. */
  shown(): string;
}

export function createCellReader({ sharedStrings, formats, formatNumber }: SheetContext): CellReader {
  const item = createStringItem();
  let isOpen = false;
  let inValue = false;
  let hasFormula = false;
  let value = "";
  let type = "n";
  let style = 0;
  return {
    get isOpen() {
      return isOpen;
    },
    begin(kind, styleIndex) {
      type = kind;
      style = styleIndex;
      value = "";
      isOpen = true;
      inValue = hasFormula = false;
      item.clear();
    },
    open(name) {
      if (name === "v") inValue = true;
      else if (name === "f") hasFormula = true;
      else item.open(name);
    },
    text(piece) {
      if (inValue) value += piece;
      else item.text(piece);
    },
    close(name) {
      if (name === "v") inValue = false;
      else item.close(name);
    },
    end() {
      isOpen = false;
    },
    get isEmpty() {
      return value === "" && type !== "inlineStr";
    },
    get isUncomputed() {
      return hasFormula && value === "" && type !== "str";
    },
    shown() {
      if (type === "s") return sharedStrings[Number(value)] ?? "";
      if (type === "inlineStr") return item.value();
      if (type === "b") return truth[value.trim()] ?? value;
      if (type === "d") return value.replace("T00:00:00", "").replace("T", " ");
      const number = Number(value);
      if (type === "n" && value.trim() !== "" && Number.isFinite(number))
        return formatNumber(number, formats[style] ?? 0);
      return unescaped(value);
    },
  };
}

const truth: Readonly<Record<string, string>> = { "0": "FALSE", "1": "TRUE" };
