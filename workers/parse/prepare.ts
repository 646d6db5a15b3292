import { type Chunk, chunkParts } from "../chunk/chunk.ts";
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

/** Cuts, names and shapes what a reader gave. @throws ReadProblem no_text when nothing is left to search (K4.5). */
export function prepareDocument(parsed: ParsedDocument, input: PrepareInput): PreparedDocument {
  const { text, chunks, firstHeading } = chunkParts(parsed.parts, input.chunking);
  if (chunks.length === 0)
    throw new ReadProblem("no_text", "No extractable text: nothing in it is text to read.");
  const contentHash = sha256(text);
  const title = parsed.title ?? firstHeading ?? titleFromName(input.relativePath);
  const head = { ...input, contentHash, title, format: parsed.format };
  return {
    format: parsed.format,
    parser: parsed.parser,
    title,
    text,
    contentHash,
    metadata: parsed.metadata,
    warnings: parsed.warnings,
    units: prepareUnits(text, chunks, head),
  };
}

export interface UnitHead extends Omit<PrepareInput, "chunking"> {
  /** Of the text that the chunks are slices of. */
  readonly contentHash: string;
  readonly title: string;
  readonly format: string;
}

export function prepareUnits(text: string, chunks: readonly Chunk[], head: UnitHead): PreparedUnit[] {
  const { materialId, relativePath, contentHash, title, format } = head;
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
      wordsTitle: shapeTitle({ relativePath, title, headings, format }),
      wordsBody: shapeBody(body, format),
    };
  });
}
