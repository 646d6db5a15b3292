import { decodeBasis, foldText, type LatentBasis } from "../../latent/basis.ts";
import { countTerms, TERMS_VERSION } from "../../latent/terms.ts";
import type { UnitSet } from "../hidden-units.ts";
import type { IndexReader } from "../index-reader.ts";
import type { Tokenizer } from "../tokenizer.ts";
import { unitCount } from "../units.ts";
import type { ScanThread } from "./scan-thread.ts";
import { createVectorLane, type LaneHit } from "./vector-lane.ts";
import type { VectorRow } from "./vector-run.ts";
import { NO_VECTOR, type VectorSource } from "./vector-source.ts";

/** A query in the base's latent basis. */
export interface LatentQuery {
  readonly vector: Float32Array;
  /** What share of the query's words, by weight, the basis knows. */
  readonly share: number;
  /** False while vectors are still being loaded. */
  readonly complete: boolean;
}

/** A base's latent vectors (workers/latent). Query and units are of one version: that of the snapshot that is searched. */
export interface LatentLane {
  /** Null where the base has no basis of this version of the terms, or the basis knows no word of the text. */
  ask(tokenizer: Tokenizer, text: string, budgetMs: number): LatentQuery | null;
  /** As of a lane of vectors. */
  lookAhead(query: LatentQuery, k: number): void;
  nearest(query: LatentQuery, k: number, accept: UnitSet | null): LaneHit[];
  cosines(query: LatentQuery, numbers: Iterable<number>): Map<number, number>;
  /** Whether this snapshot has a basis. */
  hasBasis(): boolean;
  loadAll(): Promise<void>;
  bytes(): number;
  forget(): void;
}

interface Loaded {
  readonly version: number;
  readonly basis: LatentBasis;
  readonly bytes: number;
  readonly source: VectorSource;
}

/**
 * Units whose latent vectors are kept in memory, at 126 bytes each: 50 MB. Beyond it they bring no candidates of their own
 * and weigh those of the other lanes alone, read from the index: else both kinds of vectors of a million chunks would take
 * 300 MB.
 */
const MOST_PACKED = 400_000;
const CURRENT = "SELECT version FROM latent_basis WHERE state = 'current' AND terms_version = ?";
const PARTS = "SELECT bytes FROM latent_basis_part WHERE version = ? ORDER BY seq";
const FOLDED_TO = "SELECT folded_to FROM latent_basis WHERE version = ?";
const AFTER =
  "SELECT number, vector FROM latent_vector WHERE number > ? AND version = ? ORDER BY number LIMIT ?";
const OF = `
  SELECT l.number, l.vector FROM json_each(?) AS wanted CROSS JOIN latent_vector AS l
  WHERE l.number = wanted.value AND l.version = ?`;

export function createLatentLane(
  reader: IndexReader,
  { mostPacked = MOST_PACKED, thread }: { mostPacked?: number; thread?: ScanThread } = {},
): LatentLane {
  const lane = createVectorLane(reader, thread);
  let loaded: Loaded | null = null;

  const isPacked = (): boolean => {
    const units = unitCount(reader);
    if (units > mostPacked) lane.forget();
    return units <= mostPacked;
  };

  const current = (): Loaded | null => {
    const version = reader.statement(CURRENT).pluck().get(TERMS_VERSION) as number | undefined;
    if (version === undefined) return null;
    if (loaded?.version === version) return loaded;
    const bytes = Buffer.concat(reader.statement(PARTS).pluck().all(version) as Buffer[]);
    const basis = decodeBasis(bytes);
    loaded = { version, basis, bytes: bytes.length, source: latentSource(reader, version, basis.dimensions) };
    return loaded;
  };

  return {
    hasBasis: () => reader.statement(CURRENT).get(TERMS_VERSION) !== undefined,
    ask(tokenizer, text, budgetMs) {
      const mine = current();
      if (!mine) return null;
      const { vector, share } = foldText(mine.basis, countTerms(tokenizer, text));
      const complete = !isPacked() || lane.refresh(mine.source, budgetMs).complete;
      return share > 0 ? { vector, share, complete } : null;
    },
    lookAhead: ({ vector }, k) => lane.lookAhead(vector, k),
    nearest: ({ vector }, k, accept) => lane.nearest(vector, k, accept),
    cosines: ({ vector }, numbers) =>
      loaded ? lane.cosines(loaded.source, vector, numbers) : new Map<number, number>(),
    async loadAll() {
      const mine = current();
      if (mine && isPacked()) await lane.loadAll(mine.source);
    },
    bytes: () => lane.bytes() + (loaded?.bytes ?? 0),
    forget() {
      lane.forget();
      loaded = null;
    },
  };
}

function latentSource(reader: IndexReader, version: number, dimensions: number): VectorSource {
  const rows = (found: [number, Uint8Array][]): VectorRow[] =>
    found.map(([number, blob]) => [number, blob.length === dimensions ? unpacked(blob) : NO_VECTOR]);
  return {
    key: `latent ${version}`,
    dimensions,
    newest: () => (reader.statement(FOLDED_TO).pluck().get(version) as number | undefined) ?? 0,
    after: (number, limit) =>
      rows(reader.statement(AFTER).raw().all(number, version, limit) as [number, Uint8Array][]),
    of: (numbers) =>
      rows(reader.statement(OF).raw().all(JSON.stringify(numbers), version) as [number, Uint8Array][]),
    packs: null,
  };
}

function unpacked({ buffer, byteOffset, byteLength }: Uint8Array): Float32Array {
  return new Float32Array(new Int8Array(buffer, byteOffset, byteLength));
}
