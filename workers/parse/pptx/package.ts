import type { Archive } from "../archive/zip.ts";
import { ReadProblem } from "../reader.ts";
import { attribute } from "../xml/walk.ts";
import { elementsNamed, type XmlElement, xmlTree } from "../xml/tree.ts";

export interface Relationship {
  readonly id: string;
  /** The last segment of its type: `slide`, `notesSlide`, `image`. */
  readonly kind: string;
  /** Name of the part it leads to; null when that is outside of the file or missing in it. */
  readonly part: string | null;
  /** As it is written. */
  readonly target: string;
}

/** The parts of an Office package, found whatever the case and the slashes of their names. */
export interface OfficePackage {
  readonly partNames: readonly string[];
  /** What hangs on a part; "" is the package itself. */
  relationships(part: string): Promise<readonly Relationship[]>;
  /** A part as a tree; null when it is missing. `problem` says why the tree ends early or is empty. */
  tree(part: string): Promise<{ root: XmlElement; problem: string | null } | null>;
  bytes(part: string): Uint8Array | null;
}

export function openPackage(archive: Archive): OfficePackage {
  const names = new Map<string, string>();
  for (const name of archive.names) if (!names.has(keyOf(name))) names.set(keyOf(name), name);
  const partNames = [...names.values()].map((name) => name.replaceAll("\\", "/").replace(/^\/+/, ""));
  const tree = async (part: string): ReturnType<OfficePackage["tree"]> => {
    const name = names.get(keyOf(part));
    if (name === undefined) return null;
    try {
      const { root, problem } = await xmlTree((await archive.text(name)) ?? "");
      return { root, problem: problem?.message ?? null };
    } catch (error) {
      if (!(error instanceof ReadProblem) || error.failure === "needs_password") throw error;
      return { root: emptyElement, problem: error.message };
    }
  };
  return {
    partNames,
    tree,
    bytes: (part) => archive.bytes(names.get(keyOf(part)) ?? part),
    async relationships(part) {
      const slash = part.lastIndexOf("/");
      const folder = part.slice(0, slash + 1);
      const read = await tree(`${folder}_rels/${part.slice(slash + 1)}.rels`);
      return elementsNamed(read?.root ?? emptyElement, "Relationship").map((element) => {
        const target = attribute(element.attributes, "Target") ?? "";
        const external = attribute(element.attributes, "TargetMode") === "External";
        const path = resolvePart(folder, target);
        return {
          id: attribute(element.attributes, "Id") ?? "",
          kind: (attribute(element.attributes, "Type") ?? "").split("/").at(-1) ?? "",
          part: !external && names.has(keyOf(path)) ? path : null,
          target,
        };
      });
    },
  };
}

export const emptyElement: XmlElement = { name: "#root", attributes: {}, children: [] };

function keyOf(name: string): string {
  return name.replaceAll("\\", "/").replace(/^\/+/, "").toLowerCase();
}

function resolvePart(folder: string, target: string): string {
  const path = target.replaceAll("\\", "/");
  const segments: string[] = [];
  for (const segment of (path.startsWith("/") ? path : folder + path).split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(segment);
  }
  return segments.join("/");
}

/** The id by which an element names a relationship: `r:id`, `r:embed`; its own `id` is another. */
export function relationshipId(element: XmlElement, name = "id"): string | undefined {
  for (const [key, value] of Object.entries(element.attributes)) {
    const colon = key.indexOf(":");
    if (colon !== -1 && key.slice(colon + 1) === name) return value;
  }
  return undefined;
}
