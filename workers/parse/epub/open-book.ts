import type { Archive } from "../archive/zip.ts";
import { ReadProblem } from "../reader.ts";
import { elementsNamed, xmlTree } from "../xml/tree.ts";
import { attribute } from "../xml/walk.ts";
import { bookFacts } from "./book-facts.ts";
import { type ContentsEntry, landmarks, navContents, ncxContents } from "./contents.ts";
import { type PackageDocument, packageDocument, type SpineItem } from "./package-document.ts";
import type { BookPaths } from "./paths.ts";

export interface Book {
  readonly title: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly spine: readonly SpineItem[];
  readonly contents: readonly ContentsEntry[];
  readonly covers: ReadonlySet<string>;
  /** Files that are nothing but the table of contents. */
  readonly tables: ReadonlySet<string>;
  readonly warnings: readonly string[];
}

/** What the book's own files say of its build. Where they are damaged, the files stand in the order of their names. */
export async function openBook(archive: Archive, paths: BookPaths): Promise<Book> {
  const warnings: string[] = [];
  const path = await packagePath(archive, paths);
  const xml = path === null ? null : await soft(archive, path, warnings);
  const tree = xml === null ? null : await xmlTree(xml);
  const outline = tree === null || path === null ? null : packageDocument(tree.root, path, paths);
  if (tree !== null && tree.problem !== null)
    warnings.push(`Its package document is damaged: ${tree.problem.message}`);
  const listed = outline?.spine ?? [];
  const spine = listed.length > 0 ? listed : filesByName(archive);
  if (listed.length === 0) {
    warnings.push(
      "It does not say in which order it is read: its chapters stand in the order of their files' names.",
    );
  }
  const facts = bookFacts(outline?.metadata ?? null);
  const tables = new Set(outline?.tables);
  if (outline?.nav != null) tables.add(outline.nav);
  const covers = new Set(outline?.covers);
  const contents = outline === null ? [] : await contentsOf(outline, archive, paths, warnings, covers);
  return { ...facts, spine, contents, covers, tables, warnings };
}

/** Null where the book names none and holds none. */
async function packagePath(archive: Archive, paths: BookPaths): Promise<string | null> {
  const container = paths.resolve("", "META-INF/container.xml");
  const xml = container === null ? null : await soft(archive, container, []);
  const roots = xml === null ? [] : elementsNamed((await xmlTree(xml)).root, "rootfile");
  for (const { attributes } of roots) {
    const entry = paths.resolve("", attribute(attributes, "full-path") ?? "");
    if (entry !== null && entry !== "") return entry;
  }
  return archive.names.find((name) => /\.opf$/i.test(name) && !/(?:^|\/)\._/.test(name)) ?? null;
}

/** Null, with a warning, for what is damaged. */
async function soft(archive: Archive, name: string, warnings: string[]): Promise<string | null> {
  try {
    return await archive.text(name);
  } catch (error) {
    if (!(error instanceof ReadProblem) || error.failure === "needs_password") throw error;
    warnings.push(`${name} could not be read: ${error.message}`);
    return null;
  }
}

async function contentsOf(
  { nav, ncx }: PackageDocument,
  archive: Archive,
  paths: BookPaths,
  warnings: string[],
  covers: Set<string>,
): Promise<ContentsEntry[]> {
  const xhtml = nav === null ? null : await soft(archive, nav, warnings);
  if (xhtml !== null && nav !== null) {
    const place = { path: nav, paths };
    for (const cover of landmarks(xhtml, "cover", place)) covers.add(cover);
    const entries = navContents(xhtml, place);
    if (entries.length > 0) return entries;
  }
  const xml = ncx === null ? null : await soft(archive, ncx, warnings);
  return xml === null || ncx === null ? [] : ncxContents((await xmlTree(xml)).root, { path: ncx, paths });
}

function filesByName(archive: Archive): SpineItem[] {
  const collator = new Intl.Collator("en", { numeric: true });
  return archive.names
    .filter((name) => /\.x?html?$/i.test(name) && !/(?:^|\/)(?:\._|__MACOSX\/)/.test(name))
    .sort(collator.compare)
    .map((name, index) => ({
      number: index + 1,
      href: name,
      entry: name,
      mediaType: "application/xhtml+xml",
    }));
}
