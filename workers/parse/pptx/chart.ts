import { type Block, oneLine, paragraphsBlock } from "../slides/slide.ts";
import { childElements, descend, elementsNamed, type XmlElement, xmlText } from "../xml/tree.ts";

/** Points of one chart that are written down; a person reads no more off it. */
const MAX_POINTS = 1000;
const MAX_SERIES = 100;
const MAX_LEVELS = 5;
/** Days from the first of Excel's to 1970. */
const EPOCH_DAY = 25_569;
const DAY_MS = 86_400_000;

interface Series {
  readonly name: string;
  readonly labels: ReadonlyMap<number, string>;
  readonly values: ReadonlyMap<number, string>;
}

/** A chart's titles and, as a table, what it shows. `root` is its part. */
export function chartBlocks(root: XmlElement): Block[] {
  const chart = elementsNamed(root, "chart")[0] ?? root;
  const plot = descend(chart, "plotArea") ?? chart;
  const titles = [descend(chart, "title"), ...axisTitles(plot)].map(richText).filter((text) => text !== "");
  const blocks: Block[] = titles.length === 0 ? [] : [paragraphsBlock(titles.join(" – "))];
  const series = elementsNamed(plot, "ser").slice(0, MAX_SERIES).map(seriesOf);
  if (series.length > 0) blocks.push({ kind: "table", rows: tableOf(series) });
  else blocks.push(...newerChart(chart, root));
  return blocks;
}

function axisTitles(plot: XmlElement): (XmlElement | null)[] {
  return childElements(plot)
    .filter(({ name }) => name.endsWith("Ax"))
    .map((axis) => descend(axis, "title"));
}

function richText(title: XmlElement | null): string {
  if (title === null) return "";
  const runs = elementsNamed(title, "t");
  return oneLine((runs.length > 0 ? runs : elementsNamed(title, "v")).map(xmlText).join(""));
}

function seriesOf(element: XmlElement): Series {
  const name = descend(element, "tx");
  const cells = name === null ? [] : elementsNamed(name, "v");
  return {
    name: oneLine(cells.map(xmlText).join(" ")),
    labels: pointsOf(descend(element, "cat") ?? descend(element, "xVal")),
    values: pointsOf(descend(element, "val") ?? descend(element, "yVal")),
  };
}

/** Index → text. Of labels on several levels the outer ones stand before the inner. */
function pointsOf(source: XmlElement | null): Map<number, string> {
  const points = new Map<number, string>();
  if (source === null) return points;
  const levels = elementsNamed(source, "lvl").slice(0, MAX_LEVELS);
  const dated = /[yd]/i.test(
    xmlText(elementsNamed(source, "formatCode")[0] ?? null).replace(/^general$/i, ""),
  );
  for (const level of levels.length > 0 ? levels : [source]) {
    for (const point of elementsNamed(level, "pt")) {
      const index = Number(point.attributes["idx"]);
      if (!Number.isInteger(index) || index < 0 || index >= MAX_POINTS) continue;
      const text = readable(oneLine(xmlText(descend(point, "v"))), dated);
      const inner = points.get(index);
      points.set(index, inner === undefined ? text : `${text} ${inner}`);
    }
  }
  return points;
}

/** Numbers as short as they are exact; the days of a date axis as dates. */
function readable(text: string, dated: boolean): string {
  const number = Number(text);
  if (text === "" || !Number.isFinite(number)) return text;
  const day = (number - EPOCH_DAY) * DAY_MS;
  return dated && Math.abs(day) < 4e12 ? new Date(day).toISOString().slice(0, 10) : String(number);
}

function tableOf(series: readonly Series[]): string[][] {
  const indexes = new Set<number>();
  for (const { labels, values } of series)
    for (const index of [...labels.keys(), ...values.keys()]) indexes.add(index);
  const labelled = series.find(({ labels }) => labels.size > 0)?.labels ?? new Map<number, string>();
  const rows = [...indexes]
    .sort((a, b) => a - b)
    .map((index) => [labelled.get(index) ?? "", ...series.map(({ values }) => values.get(index) ?? "")]);
  return [["", ...series.map(({ name }) => name)], ...rows];
}

/** Waterfall, funnel, map and others: their data stands apart from the plot. */
function newerChart(chart: XmlElement, root: XmlElement): Block[] {
  const names = elementsNamed(chart, "txData").map((data) => oneLine(xmlText(descend(data, "v"))));
  const columns = [...elementsNamed(root, "strDim"), ...elementsNamed(root, "numDim")]
    .slice(0, MAX_SERIES)
    .map(dimensionTexts);
  const longest = columns.reduce((most, column) => Math.max(most, column.length), 0);
  const rows = Array.from({ length: longest }, (_, index) => columns.map((column) => column[index] ?? ""));
  const head = columns.map((_, index) => names[index - 1] ?? "");
  return rows.length === 0 ? [] : [{ kind: "table", rows: [head, ...rows] }];
}

function dimensionTexts(dimension: XmlElement): string[] {
  return elementsNamed(descend(dimension, "lvl") ?? dimension, "pt")
    .slice(0, MAX_POINTS)
    .map((point) => readable(oneLine(xmlText(point)), false));
}
