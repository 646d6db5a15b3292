import type { Box } from "../slides/reading-order.ts";
import type { XmlElement } from "../xml/tree.ts";
import { attribute } from "../xml/walk.ts";

/** Units → centimetres. */
const units: Readonly<Record<string, number>> = {
  cm: 1,
  mm: 0.1,
  in: 2.54,
  pt: 2.54 / 72,
  pc: 2.54 / 6,
  px: 2.54 / 96,
};

/** Where a shape stands, in centimetres; null when it does not say. */
export function boxOf({ attributes }: XmlElement): Box | null {
  const length = (name: string): number | null => centimetres(attribute(attributes, name));
  const moved = /translate\s?\(([-\d.a-z]{1,20})[ ,]{1,3}([-\d.a-z]{1,20})\)/.exec(
    (attribute(attributes, "transform") ?? "").slice(0, 500),
  );
  const x = length("x") ?? centimetres(moved?.[1]) ?? minimum(length("x1"), length("x2"));
  const y = length("y") ?? centimetres(moved?.[2]) ?? minimum(length("y1"), length("y2"));
  if (x === null || y === null) return null;
  return { x, y, width: length("width") ?? 0, height: length("height") ?? 0 };
}

/** The smallest box around others. */
export function surround(boxes: readonly (Box | null)[]): Box | null {
  const known = boxes.filter((box) => box !== null);
  if (known.length === 0) return null;
  const edge = (pick: (box: Box) => number, best: (a: number, b: number) => number): number =>
    known.map(pick).reduce(best);
  const x = edge((box) => box.x, Math.min);
  const y = edge((box) => box.y, Math.min);
  const right = edge((box) => box.x + box.width, Math.max);
  const bottom = edge((box) => box.y + box.height, Math.max);
  return { x, y, width: right - x, height: bottom - y };
}

function centimetres(text: string | undefined): number | null {
  const [, figure, unit] = /^(-?[\d.]{1,20})([a-z]{2})$/.exec(text ?? "") ?? [];
  const factor = unit !== undefined && Object.hasOwn(units, unit) ? units[unit] : undefined;
  const value = Number(figure);
  return factor === undefined || !Number.isFinite(value) ? null : value * factor;
}

function minimum(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : Math.min(a, b);
}
