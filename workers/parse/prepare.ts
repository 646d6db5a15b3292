import { type Chunk, type ChunkedText, chunkParts } from "../chunk/chunk.ts";
import type { ChunkSettings, PreparedDocument, PreparedUnit } from "../contract.ts";
import { searchTextIdOf, sha256, unitIdOf } from "../ids.ts";
import { shapeBody, shapeTitle } from "../words/shape.ts";
import type { ParsedDocument } from "./parse-bytes.ts";
import { ReadProblem } from "./reader.ts";
import { titleFromName } from "./title.ts";

export interface PrepareInput {
  readonly materialId: string;
  readonly relativePath: string;
  readonly chunking: ChunkSettings;
}

/** Cut and named, still to be shaped: as one document, or in segments where it is too long for one text. */
export interface ChunkedDocument {
  readonly chunked: ChunkedText;
  readonly head: Omit<UnitHead, "contentHash">;
}

/** @throws ReadProblem no_text when nothing is left to search (K4.5). */
export function chunkDocument(parsed: ParsedDocument, input: PrepareInput): ChunkedDocument {
  const chunked = chunkParts(parsed.parts, input.chunking);
  if (chunked.chunks.length === 0)
    throw new ReadProblem("no_text", "No extractable text: nothing in it is text to read.");
  const { materialId, relativePath } = input;
  const title = parsed.title ?? chunked.firstHeading ?? titleFromName(relativePath);
  const names = namesOf(title, parsed.metadata);
  return { chunked, head: { materialId, relativePath, title, names, format: parsed.format } };
}

export function prepareDocument(
  parsed: ParsedDocument,
  { chunked: { text, chunks }, head }: ChunkedDocument,
): PreparedDocument {
  const contentHash = sha256(text);
  const units = prepareUnits(text, chunks, { ...head, contentHash });
  return { ...aboutDocument(parsed, head), text, contentHash, units };
}

/** What is said of a document as a whole. */
export function aboutDocument(
  { format, parser, metadata, warnings }: ParsedDocument,
  { title, names = [] }: Pick<UnitHead, "title" | "names">,
): Omit<PreparedDocument, "text" | "contentHash" | "units"> {
  return { format, parser, title, names, metadata, warnings };
}

/** Characters of all tags and other names that a chunk is found by. */
const MAX_NAMES_CHARACTERS = 2000;

function namesOf(title: string, { tags, aliases }: Readonly<Record<string, unknown>>): string[] {
  const names = [title];
  let left = MAX_NAMES_CHARACTERS;
  for (const name of [tags, aliases].flatMap((list: unknown) =>
    Array.isArray(list) ? (list as unknown[]) : [],
  )) {
    if (typeof name !== "string" || names.includes(name)) continue;
    left -= name.length;
    if (left < 0) break;
    names.push(name);
  }
  return names;
}

export interface UnitHead extends Omit<PrepareInput, "chunking"> {
  /** Of the text that the chunks are slices of. */
  readonly contentHash: string;
  readonly title: string;
  readonly names?: readonly string[];
  readonly format: string;
}

export function prepareUnits(text: string, chunks: readonly Chunk[], head: UnitHead): PreparedUnit[] {
  const { materialId, relativePath, contentHash, title, names = [], format } = head;
  return chunks.map((chunk) => {
    const body = text.slice(chunk.charStart, chunk.charEnd);
    const unitId = unitIdOf({ materialId, contentHash, ...chunk });
    const { headings } = chunk;
    return {
      ...chunk,
      unitId,
      searchTextId: searchTextIdOf(unitId),
      textHash: sha256(body),
      title: headings.at(-1) ?? title,
      wordsTitle: shapeTitle({ relativePath, title, headings, names, format }),
      wordsBody: shapeBody(body, format),
    };
  });
}
