import type { DocumentRuns } from "./document-runs.ts";
import type { UnitSet } from "./hidden-units.ts";
import type { IndexReader } from "./index-reader.ts";
import { numbersOf } from "./units.ts";

/** A search waits this long to learn which units make up which document; then the index is asked. */
const LOADING_MS = 20;

/**
 * The units of these materials. Where all documents are known they are marked in a map of bytes, one a unit: 50,000
 * documents take 10 ms, where the index would need half a second.
 */
export function unitsOfMaterials(
  { reader, documents }: { readonly reader: IndexReader; readonly documents: DocumentRuns },
  materialIds: readonly string[],
): UnitSet {
  if (materialIds.length <= FEW) return numbersOf(reader, materialIds);
  documents.refresh(LOADING_MS);
  const marked = documents.unitsOf(new Set(materialIds));
  if (!marked) return numbersOf(reader, materialIds);
  return { size: marked.size, has: (number) => marked.units[number] === 1 };
}

/** So few are looked up sooner. */
const FEW = 100;
