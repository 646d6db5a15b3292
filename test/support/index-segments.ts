import type { IndexRegistry, StagedSegment } from "../../daemon/storage/index/contract.ts";
import { searchTextIdOf, unitIdOf } from "../../workers/ids.ts";
import { shapeBody, shapeTitle } from "../../workers/words/shape.ts";
import { baseId, sha256, vectorFor, type RevisionOptions } from "./index-revision.ts";

/** What the worker host and the embedder make of a long document: a list of chunks a segment, one line each. */
export function segmentsFor(
  materialId: string,
  segments: readonly (readonly string[])[],
  options: RevisionOptions & { readonly title?: string } = {},
): StagedSegment[] {
  const { path = `${materialId}.log`, format = "text", headings = [], vectors = true } = options;
  const title = options.title ?? materialId;
  let unitIndex = 0;
  return segments.map((chunks) => {
    const text = chunks.map((chunk) => `${chunk}\n`).join("");
    const contentHash = sha256(text);
    let at = 0;
    const units = chunks.map((chunk) => {
      const place = { unitIndex: unitIndex++, charStart: at, charEnd: at + chunk.length };
      at = place.charEnd + 1;
      const unitId = unitIdOf({ materialId, contentHash, ...place });
      return {
        ...place,
        unitId,
        searchTextId: searchTextIdOf(unitId),
        textHash: sha256(chunk),
        title,
        headings,
        locator: { lineStart: place.unitIndex + 1 },
        wordsTitle: shapeTitle({ relativePath: path, title, headings, format }),
        wordsBody: shapeBody(chunk, format),
      };
    });
    const vectorOf = new Map(chunks.map((chunk) => [sha256(chunk), vectorFor(chunk)]));
    return { text, contentHash, units, vectors: vectors ? vectorOf : null };
  });
}

/** Stages and commits; answers the hash of the whole. */
export async function stageAll(
  registry: IndexRegistry,
  materialId: string,
  segments: readonly StagedSegment[],
  path = `${materialId}.log`,
): Promise<string> {
  const staging = await registry.stage(baseId, { materialId, relativePath: path, format: "text" });
  for (const segment of segments) await staging.add(segment);
  return (await staging.commit()).contentHash;
}
