import type { Relationship } from "../pptx/package.ts";
import type { CellNote } from "../spreadsheet/cell-text.ts";
import type { PartReader } from "../spreadsheet/large-part.ts";
import { binaryNotes } from "../xlsb/book-parts.ts";
import { attribute, walkXml } from "../xml/walk.ts";
import { createStringItem } from "./string-item.ts";

/** By the name of the cell, upper case. */
export type Notes = ReadonlyMap<string, readonly CellNote[]>;

/** The notes on a sheet's cells. Newer ones, with answers, stand in place of what older programs are shown. */
export async function readNotes(
  relationships: readonly Relationship[],
  people: string | null,
  parts: PartReader,
): Promise<Notes> {
  const text = async (part: string): Promise<string | null> => (await parts.text(part))?.text ?? null;
  const notes = new Map<string, CellNote[]>();
  for (const part of partsOf(relationships, "comments")) {
    if (!part.endsWith(".bin")) await readOldNotes(await text(part), notes);
    else {
      const read = await parts.bytes(part);
      if (read !== null) binaryNotes(read.bytes, (cell, note) => add(notes, cell, note));
    }
  }
  const threads = partsOf(relationships, "threadedComment");
  if (threads.length === 0) return notes;
  const newer = new Map<string, CellNote[]>();
  const names = await readPeople(people === null ? null : await text(people));
  for (const part of threads) await readThreads(await text(part), names, newer);
  for (const [cell, said] of newer) notes.set(cell, said);
  return notes;
}

function partsOf(relationships: readonly Relationship[], kind: string): string[] {
  return relationships.flatMap(({ kind: found, part }) => (found === kind && part !== null ? [part] : []));
}

function add(notes: Map<string, CellNote[]>, cell: string, note: CellNote): void {
  const there = notes.get(cell.toUpperCase());
  if (there === undefined) notes.set(cell.toUpperCase(), [note]);
  else there.push(note);
}

async function readOldNotes(xml: string | null, notes: Map<string, CellNote[]>): Promise<void> {
  const authors: string[] = [];
  const item = createStringItem();
  let author: string | null = null;
  let cell = "";
  let inAuthor = false;
  await walkXml(xml ?? "<none/>", {
    open(name, attributes) {
      if (name === "author") {
        inAuthor = true;
        authors.push("");
      } else if (name === "comment") {
        cell = attribute(attributes, "ref") ?? "";
        author = authors[Number(attribute(attributes, "authorId"))] ?? null;
        item.clear();
      } else item.open(name);
    },
    text(piece) {
      if (inAuthor) authors.push((authors.pop() ?? "") + piece);
      else item.text(piece);
    },
    close(name) {
      if (name === "author") inAuthor = false;
      else if (name === "comment") add(notes, cell, { author, text: item.value() });
      else item.close(name);
    },
  });
}

async function readPeople(xml: string | null): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  await walkXml(xml ?? "<none/>", {
    open(name, attributes) {
      if (name === "person")
        names.set(attribute(attributes, "id") ?? "", attribute(attributes, "displayName") ?? "");
    },
  });
  return names;
}

async function readThreads(
  xml: string | null,
  people: ReadonlyMap<string, string>,
  notes: Map<string, CellNote[]>,
): Promise<void> {
  let cell = "";
  let author: string | null = null;
  let said = "";
  let inText = false;
  await walkXml(xml ?? "<none/>", {
    open(name, attributes) {
      if (name === "threadedComment") {
        cell = attribute(attributes, "ref") ?? "";
        author = people.get(attribute(attributes, "personId") ?? "") ?? null;
        said = "";
      } else if (name === "text") inText = true;
    },
    text(piece) {
      if (inText) said += piece;
    },
    close(name) {
      if (name === "text") inText = false;
      else if (name === "threadedComment") add(notes, cell, { author, text: said });
    },
  });
}
