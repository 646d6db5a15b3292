import { type Block, oneLine, type Paragraph, type Slide, type SlideComment } from "../slides/slide.ts";
import { childElements } from "../xml/tree.ts";
import { chartBlocks } from "./chart.ts";
import { commentsOf } from "./comments.ts";
import { diagramParagraphs } from "./diagram.ts";
import { emptyElement, type OfficePackage, type Relationship } from "./package.ts";
import { bareTheme, type SlideTheme, slideTheme } from "./placeholders.ts";
import type { SlideEntry } from "./presentation.ts";
import { type ShapeContext, shapeTexts } from "./shapes.ts";

/** A layout with its master, as slides that use it need it. */
export interface Layout {
  readonly theme: SlideTheme;
  /** Texts that stand on each of its slides. */
  readonly texts: readonly string[];
}

export const bareLayout: Layout = { theme: bareTheme, texts: [] };

export interface SlideSources {
  readonly office: OfficePackage;
  readonly authors: ReadonlyMap<string, string>;
  /** Kept: many slides use one. */
  readonly layouts: Map<string, Layout>;
}

export interface ReadSlide {
  readonly slide: Slide;
  readonly embedded: readonly string[];
  readonly warnings: readonly string[];
}

const nothing: ShapeContext = { theme: bareTheme, placeholders: true, graphic: () => [] };

/** Takes the name of what is missing. */
type Warn = (name: string) => void;

/** One slide with its notes, comments, charts and diagrams. @throws ReadProblem too_complex. */
export async function readSlide(entry: SlideEntry, part: string, sources: SlideSources): Promise<ReadSlide> {
  const { office } = sources;
  const tree = await office.tree(part);
  const root = tree?.root ?? emptyElement;
  const relationships = await office.relationships(part);
  const layout = await layoutOf(relationships, sources);
  const warnings = tree?.problem == null ? [] : [`Slide ${entry.number} is damaged: ${tree.problem}`];
  const warn = (name: string): void => {
    warnings.push(`Slide ${entry.number}: ${name} could not be read whole.`);
  };
  const graphics = await graphicsOf(relationships, office, warn);
  const texts = shapeTexts(root, {
    theme: layout.theme,
    placeholders: true,
    graphic: (id) => {
      const blocks = graphics.get(id) ?? [];
      // Shown twice by one slide, it is written once.
      graphics.delete(id);
      return blocks;
    },
  });
  const properties = childElements(root)[0]?.attributes ?? {};
  const slide: Slide = {
    number: entry.number,
    title: texts.title,
    hidden: isFalse(properties["show"]),
    section: entry.section,
    blocks: texts.blocks,
    footers: [...texts.footers, ...(isFalse(properties["showMasterSp"]) ? [] : layout.texts)],
    comments: await commentsOn(relationships, sources),
    notes: await notesOf(relationships, office, warn),
  };
  const parts = new Map(relationships.map((link) => [link.id, link.part]));
  const embedded = texts.embedded.flatMap((id) => parts.get(id) ?? []);
  return { slide, embedded, warnings };
}

function isFalse(value: string | undefined): boolean {
  return value === "0" || value === "false" || value === "off";
}

async function layoutOf(
  relationships: readonly Relationship[],
  { office, layouts }: SlideSources,
): Promise<Layout> {
  const part = relationships.find(({ kind }) => kind === "slideLayout")?.part ?? null;
  if (part === null) return bareLayout;
  const known = layouts.get(part);
  if (known !== undefined) return known;
  const read = await readLayout(part, office);
  layouts.set(part, read);
  return read;
}

async function readLayout(part: string, office: OfficePackage): Promise<Layout> {
  const own = await office.tree(part);
  const masterPart = (await office.relationships(part)).find(({ kind }) => kind === "slideMaster")?.part;
  const master = masterPart === undefined || masterPart === null ? null : await office.tree(masterPart);
  const sheets = [own?.root, master?.root].filter((root) => root !== undefined);
  const withoutMaster = isFalse(childElements(own?.root ?? emptyElement)[0]?.attributes["showMasterSp"]);
  const shown = sheets.filter((root) => root === own?.root || !withoutMaster);
  const texts = shown.flatMap((root) => shapeTexts(root, { ...nothing, placeholders: false }).blocks);
  return {
    theme: slideTheme(own?.root ?? null, master?.root ?? null),
    texts: texts.flatMap(textsOfBlock).filter((text) => text !== ""),
  };
}

function textsOfBlock(block: Block): string[] {
  return block.kind === "paragraphs" ? block.paragraphs.map(({ text }) => oneLine(text)) : [];
}

async function graphicsOf(
  relationships: readonly Relationship[],
  office: OfficePackage,
  warn: Warn,
): Promise<Map<string, Block[]>> {
  const graphics = new Map<string, Block[]>();
  const seen = new Set<string | null>();
  for (const { id, kind, part, target } of relationships) {
    const isChart = kind === "chart" || kind === "chartEx";
    if ((!isChart && kind !== "diagramData") || seen.has(part)) continue;
    seen.add(part);
    const tree = part === null ? null : await office.tree(part);
    if (tree === null || tree.problem !== null) warn(target);
    if (tree === null) continue;
    if (isChart) graphics.set(id, chartBlocks(tree.root));
    else graphics.set(id, [{ kind: "paragraphs", paragraphs: diagramParagraphs(tree.root) }]);
  }
  return graphics;
}

async function notesOf(
  relationships: readonly Relationship[],
  office: OfficePackage,
  warn: Warn,
): Promise<Paragraph[]> {
  const link = relationships.find(({ kind }) => kind === "notesSlide");
  if (link === undefined) return [];
  const tree = link.part === null ? null : await office.tree(link.part);
  if (tree === null || tree.problem !== null) warn("its notes");
  if (tree === null) return [];
  return shapeTexts(tree.root, nothing).blocks.flatMap((block) =>
    block.kind === "paragraphs" ? [...block.paragraphs] : [],
  );
}

async function commentsOn(
  relationships: readonly Relationship[],
  { office, authors }: SlideSources,
): Promise<SlideComment[]> {
  const comments: SlideComment[] = [];
  const parts = relationships.flatMap(({ kind, part }) =>
    kind === "comments" && part !== null ? [part] : [],
  );
  for (const part of new Set(parts)) {
    const tree = await office.tree(part);
    if (tree !== null) comments.push(...commentsOf(tree.root, authors));
  }
  return comments;
}
