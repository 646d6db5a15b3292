import { passwordNeeded } from "../password.ts";
import { type Archive, openArchive } from "../archive/zip.ts";
import { documentFacts } from "../odp/open-document.ts";
import { type ParsedFile, type ReadInput, ReadProblem } from "../reader.ts";
import { type BookBounds, type BookWriter, createBookWriter } from "../spreadsheet/book-writer.ts";
import { createPartReader, type PartText } from "../spreadsheet/large-part.ts";
import { elementsNamed, xmlText, xmlTree } from "../xml/tree.ts";
import { walkXml } from "../xml/walk.ts";
import { createSheetsVisitor } from "./sheets-visitor.ts";

const MAX_CHARTS = 1000;
const objectPart = /^(Object[^/]*)\/content\.xml$/;

/** The sheets of an OpenDocument package in their order. @throws ReadProblem */
export async function readOds(input: ReadInput, bounds: BookBounds = {}): Promise<ParsedFile> {
  const archive = await openArchive(input.bytes);
  await refuseEncrypted(archive);
  const content = await createPartReader(archive, input.bytes).text("content.xml");
  if (content === null)
    throw new ReadProblem("corrupt", "It has no content.xml, which holds its sheets: it is damaged.");
  const book = createBookWriter(input, bounds);
  const charts = await chartTitles(archive);
  await writeSheets(content, book, charts);
  const meta = await optional(async () => {
    const xml = await archive.text("meta.xml");
    return xml === null ? null : (await xmlTree(xml)).root;
  });
  return book.end(documentFacts(meta));
}

/** A spreadsheet as one XML file. @throws ReadProblem */
export async function readFlatOds(input: ReadInput, xml: string): Promise<ParsedFile> {
  const book = createBookWriter(input);
  await writeSheets({ text: xml, cut: null }, book, new Map());
  const start = xml.indexOf("<office:meta");
  const end = xml.indexOf("</office:meta>");
  const meta = start === -1 || end < start ? null : `${xml.slice(start, end)}</office:meta>`;
  const tree = meta === null ? null : await optional(async () => (await xmlTree(meta)).root);
  return book.end(documentFacts(tree));
}

async function writeSheets(
  { text, cut }: PartText,
  book: BookWriter,
  charts: ReadonlyMap<string, string>,
): Promise<void> {
  const visitor = createSheetsVisitor(book, charts);
  try {
    await walkXml(text, visitor);
  } catch (error) {
    if (!(error instanceof ReadProblem) || error.failure === "too_complex") throw error;
    book.warn(`The sheets could not be read to their end: ${cut ?? error.message}`, error.failure);
  }
  visitor.end();
}

async function refuseEncrypted(archive: Archive): Promise<void> {
  let isEncrypted = false;
  await optional(async () =>
    walkXml((await archive.text("META-INF/manifest.xml")) ?? "<none/>", {
      open: (name) => {
        isEncrypted ||= name === "encryption-data";
      },
    }),
  );
  if (!isEncrypted) return;
  throw passwordNeeded();
}

/** By the folder of the chart. What a chart shows stands in the cells; its titles do not. */
async function chartTitles(archive: Archive): Promise<ReadonlyMap<string, string>> {
  const titles = new Map<string, string>();
  for (const part of archive.names.filter((name) => objectPart.test(name)).slice(0, MAX_CHARTS)) {
    const tree = await optional(async () => xmlTree((await archive.text(part)) ?? "<none/>"));
    const found = ["title", "subtitle"].flatMap((name) =>
      tree === null ? [] : elementsNamed(tree.root, name).map(xmlText),
    );
    const text = found.filter((title) => title.trim() !== "").join(" – ");
    if (text !== "") titles.set(objectPart.exec(part)?.[1] ?? "", text);
  }
  return titles;
}

/** What is beside the sheets does not cost them when it is damaged. */
async function optional<Value>(read: () => Promise<Value>): Promise<Value | null> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof ReadProblem)) throw error;
    return null;
  }
}
