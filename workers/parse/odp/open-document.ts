import { passwordNeeded } from "../password.ts";
import { type Archive, openArchive } from "../archive/zip.ts";
import { ReadProblem } from "../reader.ts";
import { titleFrom } from "../title.ts";
import { childElements, elementsNamed, type XmlElement, xmlText, xmlTree } from "../xml/tree.ts";
import { attribute } from "../xml/walk.ts";

/** The XML files of an OpenDocument package, each as its root element. */
export interface OpenDocument {
  readonly content: XmlElement;
  readonly styles: XmlElement | null;
  readonly meta: XmlElement | null;
  /** The content of an embedded object; null when there is none that can be read. */
  object(path: string): Promise<XmlElement | null>;
  readonly warnings: readonly string[];
}

/** @throws ReadProblem needs_password, corrupt, too_complex. */
export async function openPackage(bytes: Uint8Array): Promise<OpenDocument> {
  const archive = await openArchive(bytes);
  await refuseEncrypted(archive);
  const warnings: string[] = [];
  const part = async (name: string): Promise<XmlElement | null> => {
    try {
      const xml = await archive.text(name);
      if (xml === null) return null;
      const { root, problem } = await xmlTree(xml);
      if (problem !== null) warnings.push(`${name} is damaged: ${problem.message}`);
      return root;
    } catch (error) {
      if (!(error instanceof ReadProblem) || name === "content.xml") throw error;
      warnings.push(`${name} could not be read: ${error.message}`);
      return null;
    }
  };
  const content = await part("content.xml");
  if (content === null)
    throw new ReadProblem("corrupt", "It has no content.xml, which holds its text: it is damaged.");
  const object = (path: string): Promise<XmlElement | null> =>
    part(`${path.replace(/^\.\//, "")}/content.xml`);
  return { content, styles: await part("styles.xml"), meta: await part("meta.xml"), object, warnings };
}

/** One XML file that holds all. */
export async function openFlat(xml: string): Promise<OpenDocument> {
  const { root, problem } = await xmlTree(xml);
  const warnings = problem === null ? [] : [`It is damaged: ${problem.message}`];
  return { content: root, styles: null, meta: root, object: () => Promise.resolve(null), warnings };
}

async function refuseEncrypted(archive: Archive): Promise<void> {
  let manifest: string | null = null;
  try {
    manifest = await archive.text("META-INF/manifest.xml");
  } catch (error) {
    if (!(error instanceof ReadProblem)) throw error;
    // Without it the content itself tells.
  }
  if (manifest === null) return;
  const { root } = await xmlTree(manifest);
  const encrypted = elementsNamed(root, "file-entry").some((entry) => {
    const path = attribute(entry.attributes, "full-path");
    const covers = path === "content.xml" || path === "encrypted-package";
    return covers && childElements(entry, "encryption-data").length > 0;
  });
  if (encrypted) throw passwordNeeded();
}

/** Elements of the meta data → the names they are kept under. */
const kept: Readonly<Record<string, string>> = {
  "initial-creator": "author",
  creator: "lastModifiedBy",
  "creation-date": "created",
  date: "modified",
  language: "language",
  subject: "subject",
  description: "description",
};

/** What the file says of itself. */
export function documentFacts(meta: XmlElement | null): {
  title: string | null;
  metadata: Record<string, unknown>;
} {
  const metadata: Record<string, unknown> = {};
  const keywords: string[] = [];
  let title: string | null = null;
  const [facts] = meta === null ? [] : elementsNamed(meta, "meta");
  for (const element of facts === undefined ? [] : childElements(facts)) {
    const value = titleFrom(xmlText(element));
    if (value === null) continue;
    if (element.name === "title") title ??= value;
    if (element.name === "keyword" && keywords.length < 100) keywords.push(value);
    const key = Object.hasOwn(kept, element.name) ? kept[element.name] : undefined;
    if (key !== undefined) metadata[key] ??= value;
  }
  if (metadata["author"] === undefined && metadata["lastModifiedBy"] !== undefined) {
    metadata["author"] = metadata["lastModifiedBy"];
  }
  return { title, metadata: keywords.length === 0 ? metadata : { ...metadata, keywords } };
}
