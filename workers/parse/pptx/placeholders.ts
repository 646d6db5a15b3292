import type { Box } from "../slides/reading-order.ts";
import { descend, elementsNamed, type XmlElement } from "../xml/tree.ts";
import { type LevelMarks, levelMarks } from "./paragraphs.ts";

export interface Placeholder {
  readonly type: string;
  readonly idx: string;
}

/** A placeholder of a layout or master, as slides inherit it. */
interface Model {
  readonly placeholder: Placeholder;
  readonly box: Box | null;
  readonly marks: LevelMarks;
}

/** What a slide inherits from its layout and master. */
export interface SlideTheme {
  /** Placeholders of the layout, then of the master. */
  readonly sheets: readonly (readonly Model[])[];
  readonly styles: Readonly<Record<"title" | "body" | "other", LevelMarks>>;
}

export const bareTheme: SlideTheme = { sheets: [], styles: { title: [], body: [], other: [] } };

/** Placeholders of one layout that are looked at; a person makes a dozen. */
const MAX_MODELS = 200;

/** `layout` and `master` are the trees of their parts. */
export function slideTheme(layout: XmlElement | null, master: XmlElement | null): SlideTheme {
  const styles = master === null ? undefined : elementsNamed(master, "txStyles")[0];
  const marks = (name: string): LevelMarks => levelMarks(descend(styles ?? null, name));
  return {
    sheets: [layout, master].filter((sheet) => sheet !== null).map(modelsOf),
    styles: { title: marks("titleStyle"), body: marks("bodyStyle"), other: marks("otherStyle") },
  };
}

function modelsOf(sheet: XmlElement): Model[] {
  return elementsNamed(sheet, "sp")
    .flatMap((shape): Model[] => {
      const placeholder = placeholderOf(shape);
      if (placeholder === null) return [];
      return [{ placeholder, box: boxOf(shape), marks: levelMarks(descend(shape, "txBody", "lstStyle")) }];
    })
    .slice(0, MAX_MODELS);
}

/** Null for a shape that is no placeholder. */
export function placeholderOf(shape: XmlElement): Placeholder | null {
  const properties = shape.children.find(
    (child): child is XmlElement => typeof child !== "string" && child.name.startsWith("nv"),
  );
  const mark = descend(properties ?? null, "nvPr", "ph");
  if (mark === null) return null;
  return { type: mark.attributes["type"] ?? "obj", idx: mark.attributes["idx"] ?? "0" };
}

export function isTitle({ type }: Placeholder): boolean {
  return type === "title" || type === "ctrTitle";
}

export interface Inherited {
  /** Null when no sheet gives it a place. */
  readonly box: Box | null;
  /** Where marks of paragraphs come from, nearest first. */
  readonly marks: readonly LevelMarks[];
}

const nothingInherited: Inherited = { box: null, marks: [] };

/** What the same placeholder in the layout and in the master gives to one on a slide. */
export function inherit(placeholder: Placeholder | null, theme: SlideTheme): Inherited {
  if (placeholder === null) return nothingInherited;
  const models = theme.sheets.flatMap(
    (sheet, depth) => sheet.find((model) => matches(placeholder, model.placeholder, depth > 0)) ?? [],
  );
  const style = isTitle(placeholder) ? "title" : family(placeholder) === "body" ? "body" : "other";
  return {
    box: models.find(({ box }) => box !== null)?.box ?? null,
    marks: [...models.map(({ marks }) => marks), theme.styles[style]],
  };
}

/** A master has one placeholder of each family; a layout tells several by their index. */
function matches(wanted: Placeholder, candidate: Placeholder, inMaster: boolean): boolean {
  if (!inMaster && wanted.idx !== "0") return candidate.idx === wanted.idx;
  return family(candidate) === family(wanted);
}

function family(placeholder: Placeholder): string {
  if (isTitle(placeholder)) return "title";
  const { type } = placeholder;
  return type === "dt" || type === "ftr" || type === "sldNum" || type === "hdr" ? type : "body";
}

/** Where a shape says that it stands, in its own units; null when it does not. */
export function boxOf(shape: XmlElement): Box | null {
  const frame = descend(shape, "spPr", "xfrm") ?? descend(shape, "grpSpPr", "xfrm") ?? descend(shape, "xfrm");
  const offset = descend(frame, "off")?.attributes;
  const extent = descend(frame, "ext")?.attributes;
  const [x = NaN, y = NaN] = [offset?.["x"], offset?.["y"]].map(Number);
  const [width = NaN, height = NaN] = [extent?.["cx"], extent?.["cy"]].map(Number);
  if (![x, y, width, height].every(Number.isFinite) || (width <= 0 && height <= 0)) return null;
  return { x, y, width, height };
}
