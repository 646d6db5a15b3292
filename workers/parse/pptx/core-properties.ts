import { titleFrom } from "../title.ts";
import { childElements, xmlText } from "../xml/tree.ts";
import type { OfficePackage } from "./package.ts";

/** Elements of the core properties → the names they are kept under. */
const kept: Readonly<Record<string, string>> = {
  creator: "author",
  lastModifiedBy: "lastModifiedBy",
  created: "created",
  modified: "modified",
  language: "language",
  subject: "subject",
  keywords: "keywords",
  category: "category",
  description: "description",
};

/** What an Office file says of itself. */
export async function coreProperties(
  office: OfficePackage,
): Promise<{ title: string | null; metadata: Record<string, string> }> {
  const relationships = await office.relationships("");
  const part = relationships.find(({ kind }) => kind === "core-properties")?.part ?? "docProps/core.xml";
  const tree = await office.tree(part);
  const metadata: Record<string, string> = {};
  let title: string | null = null;
  for (const element of tree === null
    ? []
    : childElements(tree.root).flatMap((root) => childElements(root))) {
    const value = titleFrom(xmlText(element));
    if (value === null) continue;
    if (element.name === "title") title ??= value;
    const key = Object.hasOwn(kept, element.name) ? kept[element.name] : undefined;
    if (key !== undefined) metadata[key] ??= value;
  }
  return { title, metadata };
}
