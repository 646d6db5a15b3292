import { childElements, descend, elementsNamed, type XmlElement } from "../xml/tree.ts";
import { attribute } from "../xml/walk.ts";
import type { BookPaths } from "./paths.ts";

export interface SpineItem {
  /** 1-based place in the book. */
  readonly number: number;
  /** As the book writes it. */
  readonly href: string;
  /** Null when the file is missing. */
  readonly entry: string | null;
  readonly mediaType: string;
}

export interface PackageDocument {
  readonly metadata: XmlElement | null;
  /** In the order of reading. */
  readonly spine: readonly SpineItem[];
  /** Entries with the table of contents: that of EPUB 3, that of EPUB 2. */
  readonly nav: string | null;
  readonly ncx: string | null;
  /** Entries that are said to be covers or tables of contents. */
  readonly covers: ReadonlySet<string>;
  readonly tables: ReadonlySet<string>;
}

interface ManifestItem {
  readonly href: string;
  readonly entry: string | null;
  readonly mediaType: string;
  readonly properties: readonly string[];
  readonly fallback: string | undefined;
}

const NCX_TYPE = "application/x-dtbncx+xml";
/** Files that stand in for others that stand in for others. */
const MAX_FALLBACKS = 10;

/** `root` is the tree of the package document, `path` its entry. */
export function packageDocument(root: XmlElement, path: string, paths: BookPaths): PackageDocument {
  const [outer] = elementsNamed(root, "package");
  const manifest = manifestOf(outer ?? root, path, paths);
  const spine = descend(outer ?? root, "spine");
  const items = [...manifest.values()];
  const guide = guideOf(outer ?? root, path, paths);
  const toc = manifest.get(spine?.attributes["toc"] ?? "");
  return {
    metadata: descend(outer ?? root, "metadata"),
    spine: (spine === null ? [] : childElements(spine, "itemref")).map((reference, index) =>
      spineItem(reference.attributes["idref"] ?? "", index + 1, manifest),
    ),
    nav: items.find(({ properties }) => properties.includes("nav"))?.entry ?? null,
    ncx: toc?.entry ?? items.find(({ mediaType }) => mediaType === NCX_TYPE)?.entry ?? null,
    covers: guide.covers,
    tables: guide.tables,
  };
}

function manifestOf(outer: XmlElement, path: string, paths: BookPaths): Map<string, ManifestItem> {
  const items = new Map<string, ManifestItem>();
  const manifest = descend(outer, "manifest");
  for (const { attributes } of manifest === null ? [] : childElements(manifest, "item")) {
    const href = attributes["href"] ?? "";
    items.set(attributes["id"] ?? "", {
      href,
      entry: href === "" ? null : paths.resolve(path, href),
      mediaType: (attributes["media-type"] ?? "").trim().toLowerCase(),
      properties: (attributes["properties"] ?? "").split(/\s+/),
      fallback: attributes["fallback"],
    });
  }
  return items;
}

function spineItem(id: string, number: number, manifest: ReadonlyMap<string, ManifestItem>): SpineItem {
  let item = manifest.get(id);
  for (let step = 0; step < MAX_FALLBACKS && item !== undefined && !isReadable(item.mediaType); step++) {
    item = item.fallback === undefined ? undefined : manifest.get(item.fallback);
  }
  item ??= manifest.get(id);
  return { number, href: item?.href ?? id, entry: item?.entry ?? null, mediaType: item?.mediaType ?? "" };
}

/** What it holds may be text. */
export function isReadable(mediaType: string): boolean {
  return (
    mediaType === "image/svg+xml" || !/^(?:image|audio|video|font)\/|pdf$|css$|javascript$/.test(mediaType)
  );
}

/** EPUB 2 names special pages. */
function guideOf(
  outer: XmlElement,
  path: string,
  paths: BookPaths,
): { covers: Set<string>; tables: Set<string> } {
  const covers = new Set<string>();
  const tables = new Set<string>();
  const guide = descend(outer, "guide");
  for (const reference of guide === null ? [] : childElements(guide, "reference")) {
    const type = (reference.attributes["type"] ?? "").toLowerCase();
    const entry = paths.resolve(path, attribute(reference.attributes, "href") ?? "");
    if (entry === null) continue;
    if (type === "cover") covers.add(entry);
    if (type === "toc") tables.add(entry);
  }
  return { covers, tables };
}
