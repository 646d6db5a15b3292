import type { Archive } from "../archive/zip.ts";
import { type Element, type Node, parseTree } from "../html/tree.ts";
import type { Styles } from "./styles.ts";

/**
 * A larger body is read by our own reader alone: the library builds several models of it and takes ten times as long.
 * Bytes; 1 MiB is some thirty pages.
 */
const MAX_BODY_BYTES = 1024 * 1024;
/** All that it is given; bytes. */
const MAX_BYTES = 8 * 1024 * 1024;
/** Names that need no quoting in its style map. */
const plainId = /^[A-Za-z][A-Za-z0-9-]*$/;
const noteId = /^(?:footnote|endnote)-/;

/**
 * The body as mammoth reads it; null where it fails. It is given an archive made of entries that were unpacked within
 * bounds: one that lies about its lengths never reaches it.
 */
export async function mammothBody(
  archive: Archive,
  names: readonly string[],
  main: string,
  styles: Styles,
): Promise<Element | null> {
  const entries: Record<string, Uint8Array> = {};
  let total = 0;
  for (const name of names) {
    const bytes = archive.bytes(name);
    if (bytes === null) continue;
    total += bytes.length;
    if (total > MAX_BYTES || (name === main && bytes.length > MAX_BODY_BYTES)) return null;
    entries[name] = bytes;
  }
  const { zipSync } = await import("fflate");
  const { default: mammoth } = await import("mammoth");
  try {
    const { value } = await mammoth.convertToHtml(
      { buffer: Buffer.from(zipSync(entries, { level: 0 })) },
      {
        styleMap: styleMap(styles),
        convertImage: mammoth.images.imgElement(() => Promise.resolve({ src: "" })),
        externalFileAccess: false,
      },
    );
    return withoutNotes(parseTree(value).root);
  } catch {
    // Whatever it stumbled over, our own reader reads the same entries.
    return null;
  }
}

function styleMap({ headings }: Styles): string[] {
  return headings
    .filter(([id]) => plainId.test(id))
    .map(([id, level]) => `p.${id} => h${Math.min(6, level)}:fresh`);
}

/** The list of notes at the end is left out, since they are read apart. */
function withoutNotes(root: Element): Element {
  return { ...root, children: root.children.filter((child) => !isNoteList(child)) };
}

function isNoteList(node: Node): boolean {
  if (typeof node === "string" || node.name !== "ol") return false;
  return node.children.every((item) => typeof item !== "string" && noteId.test(item.attributes["id"] ?? ""));
}
