import { passwordNeeded } from "../password.ts";
import { type Archive, openArchive } from "../archive/zip.ts";
import { type ParsedFile, type ReadInput, ReadProblem } from "../reader.ts";
import { readProperties, type WordProperties } from "../word/properties.ts";
import { wordFile } from "../word/word-file.ts";
import { walkXml } from "../xml/walk.ts";
import { readObjects } from "./objects.ts";
import { TextWalker } from "./text-walker.ts";

/** An OpenDocument text in its archive. @throws ReadProblem. */
export async function readOdt(input: ReadInput, maxBlocks?: number): Promise<ParsedFile> {
  const archive = await openArchive(input.bytes);
  await refuseEncrypted(archive);
  const content = await archive.text("content.xml");
  if (content === null)
    throw new ReadProblem("corrupt", "It is a ZIP archive that holds no OpenDocument text.");
  const warnings: string[] = [];
  const { formulas, pictures } = await readObjects(archive);
  const walker = new TextWalker(formulas, maxBlocks);
  const styles = await entry(archive, "styles.xml", warnings);
  if (styles !== null) await walkPart(styles, walker, "styles.xml was read in part", warnings);
  input.signal?.throwIfAborted();
  await walkPart(content, walker, "The document is damaged and was read up to there", warnings);
  const properties = await readProperties(await entry(archive, "meta.xml", warnings));
  return assemble(walker, properties, warnings, {
    pictures,
    pictureCount: archive.names.filter((name) => name.startsWith("Pictures/")).length,
  });
}

/** An OpenDocument text as one file of XML. @throws ReadProblem. */
export async function readFlatOdt(xml: string): Promise<ParsedFile> {
  const warnings: string[] = [];
  const walker = new TextWalker(new Map());
  await walkPart(xml, walker, "The document is damaged and was read up to there", warnings);
  const head = xml.slice(0, Math.max(0, xml.indexOf("</office:meta>")));
  const meta = head.slice(Math.max(0, head.indexOf("<office:meta")));
  const properties = await readProperties(meta === "" ? null : `${meta}</office:meta>`);
  return assemble(walker, properties, warnings, { pictures: [], pictureCount: 0 });
}

function assemble(
  walker: TextWalker,
  { title, metadata }: WordProperties,
  warnings: readonly string[],
  pictures: Pick<Parameters<typeof wordFile>[0], "pictures" | "pictureCount">,
): ParsedFile {
  const body = walker.frames.finish();
  const { notes, comments, headers, footers } = walker.frames;
  return wordFile({
    title,
    metadata,
    body,
    headers,
    footers,
    notes,
    comments,
    warnings,
    budget: walker.frames.budget,
    children: [],
    ...pictures,
  });
}

async function refuseEncrypted(archive: Archive): Promise<void> {
  const manifest = await archive.text("META-INF/manifest.xml");
  if (manifest === null) return;
  let encrypted = false;
  try {
    await walkXml(manifest, { open: (name) => (encrypted ||= name === "encryption-data") });
  } catch (error) {
    // A damaged list of files: the files themselves will tell.
    if (!(error instanceof ReadProblem)) throw error;
  }
  if (encrypted) {
    throw passwordNeeded();
  }
}

async function entry(archive: Archive, name: string, warnings: string[]): Promise<string | null> {
  try {
    return await archive.text(name);
  } catch (error) {
    if (!(error instanceof ReadProblem)) throw error;
    warnings.push(`${name} could not be read: ${error.message}`);
    return null;
  }
}

async function walkPart(xml: string, walker: TextWalker, what: string, warnings: string[]): Promise<void> {
  try {
    await walkXml(xml, walker);
  } catch (error) {
    if (!(error instanceof ReadProblem) || error.failure === "too_complex") throw error;
    warnings.push(`${what}: ${error.message}`);
  }
}
