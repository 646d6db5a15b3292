import type { Relationship } from "../pptx/package.ts";
import { ReadProblem } from "../reader.ts";
import { attribute, walkXml } from "../xml/walk.ts";

/** Where the cells of a sheet lead to outside of the file, by the name of the cell. The list stands behind the rows. */
export async function readLinks(
  xml: string,
  relationships: readonly Relationship[],
): Promise<ReadonlyMap<string, string>> {
  const links = new Map<string, string>();
  const targets = new Map(relationships.map(({ id, target }) => [id, target]));
  try {
    await walkXml(listOfLinks(xml) ?? "<none/>", {
      open(name, attributes) {
        if (name !== "hyperlink") return;
        const cell = /^[A-Z]+\d+/i.exec(attribute(attributes, "ref") ?? "")?.[0];
        const target = targets.get(attribute(attributes, "id") ?? "");
        const place = attribute(attributes, "location");
        if (cell !== undefined && target !== undefined)
          links.set(cell.toUpperCase(), place === undefined ? target : `${target}#${place}`);
      },
    });
  } catch (error) {
    // The list is damaged: the links before the damage are there, and the cells show their texts all the same.
    if (!(error instanceof ReadProblem)) throw error;
  }
  return links;
}

function listOfLinks(xml: string): string | null {
  const rowsEnd = Math.max(0, xml.lastIndexOf("sheetData"));
  const name = xml.indexOf("hyperlinks", rowsEnd);
  if (name === -1) return null;
  const end = xml.indexOf(">", xml.lastIndexOf("hyperlinks"));
  return end === -1 ? null : xml.slice(xml.lastIndexOf("<", name), end + 1);
}
