import type { PDFPageProxy } from "pdfjs-dist";

/** Text that the page draws in one go, in the upright frame of its direction: x along the line, y upwards. */
export interface Run {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  /** Height of the font in units of the page. */
  readonly size: number;
  /** Counts the page's runs as it draws them. */
  readonly order: number;
  readonly rightToLeft: boolean;
  /** White space was drawn in front of it. */
  readonly spaced: boolean;
}

/** All runs of one writing direction, with where the page ends in their frame. */
export interface Frame {
  /** Degrees, counter-clockwise; vertical writing is 270. */
  readonly angle: number;
  readonly runs: Run[];
  chars: number;
  readonly top: number;
  readonly bottom: number;
}

export interface PageRuns {
  /** The one with most text first. */
  readonly frames: readonly Frame[];
  readonly chars: number;
  /** The page draws more than is read. */
  readonly cut: boolean;
}

export interface PageBounds {
  readonly maxRuns: number;
  readonly maxChars: number;
  /** Called often while a page is read; throws to end it, answers false to leave it at what was read. */
  goOn(): Promise<boolean>;
}

interface TextItem {
  readonly str: string;
  readonly dir: string;
  readonly width: number;
  readonly height: number;
  readonly transform: readonly number[];
  readonly fontName: string;
}

interface Reading {
  readonly frames: Map<number, Frame>;
  readonly vertical: Set<string>;
  readonly view: readonly number[];
  runs: number;
  chars: number;
  space: boolean;
}

/** Reads what a page draws as text, and no more of it than the bounds allow. */
export async function readRuns(page: PDFPageProxy, bounds: PageBounds): Promise<PageRuns> {
  const reader = page.streamTextContent().getReader();
  const reading: Reading = {
    frames: new Map(),
    vertical: new Set(),
    view: page.view,
    runs: 0,
    chars: 0,
    space: false,
  };
  let cut = false;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    for (const [name, style] of Object.entries(value.styles as Record<string, { vertical: boolean }>)) {
      if (style.vertical) reading.vertical.add(name);
    }
    for (const item of value.items as TextItem[]) take(reading, item);
    if (reading.runs > bounds.maxRuns || reading.chars > bounds.maxChars || !(await bounds.goOn())) {
      cut = true;
      await reader.cancel(new Error("enough was read"));
      break;
    }
  }
  const frames = [...reading.frames.values()].sort((a, b) => b.chars - a.chars);
  return { frames, chars: reading.chars, cut };
}

function take(reading: Reading, item: TextItem): void {
  const { str } = item;
  if (str === "") return;
  if (/^\s*$/u.test(str)) {
    reading.space = true;
    return;
  }
  const [a = 0, b = 0, c = 0, d = 0, x = 0, y = 0] = item.transform;
  const upright = item.height > 0 || item.width > 0;
  if (!upright || ![a, b, c, d, x, y].every(Number.isFinite)) return;
  const vertical = reading.vertical.has(item.fontName);
  const frame = frameOf(reading, directionOf(a, b, c, d) - (vertical ? 90 : 0));
  const [alongX, alongY] = axis(frame.angle);
  frame.runs.push({
    text: str,
    x: x * alongX + y * alongY,
    y: y * alongX - x * alongY,
    width: vertical ? item.height : item.width,
    size: (vertical ? item.width : item.height) || Math.hypot(a, b),
    order: reading.runs,
    rightToLeft: item.dir === "rtl",
    spaced: reading.space,
  });
  frame.chars += str.length;
  reading.chars += str.length;
  reading.runs++;
  reading.space = false;
}

/** Degrees in [0, 360); nearly straight is straight. Mirrored text is told by its upward axis. */
function directionOf(a: number, b: number, c: number, d: number): number {
  const along = a === 0 && b === 0 ? Math.atan2(-c, d) : Math.atan2(b, a);
  const degrees = Math.round((along * 180) / Math.PI);
  const quarter = Math.round(degrees / 90) * 90;
  return Math.abs(degrees - quarter) <= 3 ? quarter : degrees;
}

function frameOf(reading: Reading, direction: number): Frame {
  const angle = ((direction % 360) + 360) % 360;
  const known = reading.frames.get(angle);
  if (known !== undefined) return known;
  const [alongX, alongY] = axis(angle);
  const [left = 0, low = 0, right = 0, high = 0] = reading.view;
  const heights = [left, right].flatMap((x) => [low, high].map((y) => y * alongX - x * alongY));
  const frame = { angle, runs: [], chars: 0, top: Math.max(...heights), bottom: Math.min(...heights) };
  reading.frames.set(angle, frame);
  return frame;
}

function axis(angle: number): [number, number] {
  const radians = (angle * Math.PI) / 180;
  return [Math.cos(radians), Math.sin(radians)];
}
