import type { IndexRegistry, MaterialRevision } from "../../daemon/storage/index/contract.ts";
import { openIndexReader, type IndexReader } from "../../workers/search/index-reader.ts";
import { createVectorLane, type VectorLane } from "../../workers/search/vectors/vector-lane.ts";
import { embeddingSource, type VectorSource } from "../../workers/search/vectors/vector-source.ts";
import { onTestFinished } from "vitest";
import { baseId, chunksOf, revision } from "./index-revision.ts";
import { createRandom } from "./random.ts";

/** So many that a few hundred vectors make a pack. */
export const WIDE = 512;
/** Units of such a pack. */
export const PACK_UNITS = 256;

/** A document of so many chunks, with or without vectors; those of another seed come from another model. */
export function wideRevision(
  id: string,
  count: number,
  options: { seed?: number; vectors?: boolean } = {},
): MaterialRevision {
  const { seed = 1, vectors = true } = options;
  const made = revision(id, chunksOf(id, count, 2), { vectors });
  if (made.vectors === null) return made;
  return {
    ...made,
    vectors: new Map([...made.vectors.keys()].map((hash) => [hash, wideVector(hash, seed)])),
  };
}

/** Of a hash in hexadecimal, and a seed; one in sixteen has no direction. */
export function wideVector(hash: string, seed = 1): Float32Array {
  const random = createRandom(Number.parseInt(hash.slice(0, 8), 16) + seed);
  return new Float32Array(WIDE).map(() => (hash.startsWith("0") ? 0 : random() - 0.5));
}

export async function packAll(registry: IndexRegistry): Promise<void> {
  while (await registry.merge(baseId));
}

export interface Loaded {
  readonly lane: VectorLane;
  readonly source: VectorSource;
}

/** The vectors of an index, as searches load them: from packs as far as there are, or one by one alone. */
export function loadVectors(reader: IndexReader, options: { packs: boolean }): Loaded {
  const source = embeddingSource(reader, WIDE);
  const lane = createVectorLane(reader);
  return { lane, source: options.packs ? source : { ...source, packs: null } };
}

/** All that searches ask of them, once everything is loaded. */
export function askVectors(reader: IndexReader, { lane, source }: Loaded) {
  return reader.snapshot(() => {
    const loaded = lane.refresh(source, 60_000);
    return ["0", "a", "b", "c"].map((name) => {
      const query = wideVector(name);
      const near = lane.nearest(query, 40, null);
      const numbers = near.map(({ number }) => number);
      return { loaded, near, cosines: [...lane.cosines(source, query, numbers)], spread: lane.spread(query) };
    });
  });
}

export function readIndex(registry: IndexRegistry): IndexReader {
  const reader = openIndexReader(baseId, registry.indexPath(baseId));
  onTestFinished(() => reader.close());
  return reader;
}
