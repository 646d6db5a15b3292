import { type Archive, openArchive } from "../archive/zip.ts";
import { ReadProblem } from "../reader.ts";
import { attribute, walkXml } from "../xml/walk.ts";

/** What a part of the package points at. */
export interface Relation {
  readonly id: string;
  /** The last segment of its type: "header", "footnotes", "package". */
  readonly type: string;
  /** Name of the entry, from the root of the archive. */
  readonly target: string;
}

/** An open .docx package. */
export interface WordPackage {
  readonly archive: Archive;
  /** Name of the entry with the body. */
  readonly main: string;
  readonly relations: readonly Relation[];
}

const MAIN_PART = "word/document.xml";

/** @throws ReadProblem corrupt when there is no document in it. */
export async function openPackage(bytes: Uint8Array): Promise<WordPackage> {
  const archive = await openArchive(bytes);
  const root = await relationsOf(archive, "");
  const named = root.find(({ type, target }) => type === "officeDocument" && archive.has(target));
  const main = named?.target ?? MAIN_PART;
  if (!archive.has(main))
    throw new ReadProblem("corrupt", "It is a ZIP archive that holds no Word document.");
  return { archive, main, relations: await relationsOf(archive, main) };
}

/** What the part points at within the archive; empty when its list is missing or damaged: then the usual names serve. */
async function relationsOf(archive: Archive, part: string): Promise<Relation[]> {
  const slash = part.lastIndexOf("/") + 1;
  const folder = part.slice(0, slash);
  const relations: Relation[] = [];
  try {
    const xml = await archive.text(`${folder}_rels/${part.slice(slash)}.rels`);
    await walkXml(xml ?? "<none/>", {
      open(name, attributes) {
        if (name !== "Relationship" || attribute(attributes, "TargetMode") === "External") return;
        const type = attribute(attributes, "Type") ?? "";
        const target = attribute(attributes, "Target") ?? "";
        relations.push({
          id: attribute(attributes, "Id") ?? "",
          type: type.slice(type.lastIndexOf("/") + 1),
          target: resolve(folder, target),
        });
      },
    });
  } catch (error) {
    if (!(error instanceof ReadProblem) || error.failure === "too_complex") throw error;
  }
  return relations;
}

function resolve(folder: string, target: string): string {
  const path: string[] = [];
  for (const segment of (target.startsWith("/") ? target : folder + target).split("/")) {
    if (segment === "..") path.pop();
    else if (segment !== "" && segment !== ".") path.push(segment);
  }
  return path.join("/");
}

/** Entries of a type, each once; by its usual name where the package does not point at it. */
export function partsOfType(
  { archive, relations, main }: WordPackage,
  type: string,
  usual: RegExp,
): string[] {
  const named = relations.filter((relation) => relation.type === type).map(({ target }) => target);
  const folder = main.slice(0, main.lastIndexOf("/") + 1);
  const found =
    named.length > 0
      ? named
      : archive.names.filter((name) => name.startsWith(folder) && usual.test(name.slice(folder.length)));
  return [...new Set(found)].filter((name) => archive.has(name));
}
