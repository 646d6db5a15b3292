import { type OfficePackage, type Relationship, relationshipId } from "../pptx/package.ts";
import { ReadProblem } from "../reader.ts";
import { binaryWorkbook } from "../xlsb/book-parts.ts";
import { elementsNamed, type XmlElement } from "../xml/tree.ts";

export interface SheetEntry {
  readonly name: string;
  /** Null when the file has none of that name. */
  readonly part: string | null;
  readonly isHidden: boolean;
}

/** What a workbook says of itself, with the names of the parts that its sheets need. */
export interface Workbook {
  readonly sheets: readonly SheetEntry[];
  readonly date1904: boolean;
  readonly sharedStrings: string | null;
  readonly styles: string | null;
  /** Who wrote the newer notes. */
  readonly people: string | null;
}

/** Macro sheets hold commands, dialog sheets buttons of old programs. */
const shown: ReadonlySet<string> = new Set(["worksheet", "chartsheet"]);

/** @throws ReadProblem corrupt when there is neither a workbook nor a sheet in it. */
export async function openWorkbook(office: OfficePackage): Promise<Workbook> {
  const root = await relationshipsOf(office, "");
  const usualMain = office.partNames.find((name) => /^xl\/workbook\.(?:xml|bin)$/i.test(name));
  const main = root.find(({ kind }) => kind === "officeDocument")?.part ?? usualMain ?? "xl/workbook.xml";
  const relationships = await relationshipsOf(office, main);
  const partOf = (kind: string, usual: RegExp): string | null =>
    relationships.find((relationship) => relationship.kind === kind)?.part ??
    office.partNames.find((name) => usual.test(name)) ??
    null;
  const { sheets, date1904 } = main.endsWith(".bin")
    ? binarySheets(office, main, relationships)
    : await listedSheets(office, main, relationships);
  const found = sheets.length > 0 ? sheets : unlistedSheets(office);
  if (found.length === 0) throw new ReadProblem("corrupt", "There is no sheet in its archive.");
  return {
    sheets: found,
    date1904,
    sharedStrings: partOf("sharedStrings", /^xl\/sharedStrings\.(?:xml|bin)$/i),
    styles: partOf("styles", /^xl\/styles\.(?:xml|bin)$/i),
    people: partOf("person", /^xl\/persons\/person\d*\.xml$/i),
  };
}

interface SheetList {
  readonly sheets: readonly SheetEntry[];
  readonly date1904: boolean;
}

async function listedSheets(
  office: OfficePackage,
  main: string,
  relationships: readonly Relationship[],
): Promise<SheetList> {
  const tree = await office.tree(main);
  if (tree === null) return { sheets: [], date1904: false };
  const properties = elementsNamed(tree.root, "workbookPr")[0];
  const date1904 = /^(?:1|true|on)$/.test(properties?.attributes["date1904"] ?? "");
  return { sheets: sheetsOf(tree.root, relationships), date1904 };
}

function binarySheets(
  office: OfficePackage,
  main: string,
  relationships: readonly Relationship[],
): SheetList {
  const { sheets, date1904 } = binaryWorkbook(office.bytes(main) ?? new Uint8Array());
  const entries = sheets.flatMap(({ name, relationship, isHidden }): SheetEntry[] => {
    const target = relationships.find(({ id }) => id === relationship);
    if (target !== undefined && !shown.has(target.kind)) return [];
    return [{ name, part: target?.part ?? null, isHidden }];
  });
  return { sheets: entries, date1904 };
}

/** A list that is damaged is as good as none: then the usual names serve. */
async function relationshipsOf(office: OfficePackage, part: string): Promise<readonly Relationship[]> {
  try {
    return await office.relationships(part);
  } catch (error) {
    if (!(error instanceof ReadProblem)) throw error;
    return [];
  }
}

function sheetsOf(root: XmlElement, relationships: readonly Relationship[]): SheetEntry[] {
  const entries: SheetEntry[] = [];
  for (const [index, element] of elementsNamed(root, "sheet").entries()) {
    const id = relationshipId(element);
    const target = relationships.find((relationship) => relationship.id === id);
    if (target !== undefined && !shown.has(target.kind)) continue;
    entries.push({
      name: element.attributes["name"] ?? `Sheet ${index + 1}`,
      part: target?.part ?? null,
      isHidden: /hidden/i.test(element.attributes["state"] ?? ""),
    });
  }
  return entries;
}

function unlistedSheets(office: OfficePackage): SheetEntry[] {
  const numberOf = (name: string): number => Number(/(\d+)\.\w+$/.exec(name)?.[1] ?? 0);
  return office.partNames
    .filter((name) => /^xl\/worksheets\/sheet\d+\.(?:xml|bin)$/i.test(name))
    .sort((a, b) => numberOf(a) - numberOf(b))
    .map((part) => ({ name: `Sheet ${numberOf(part)}`, part, isHidden: false }));
}
