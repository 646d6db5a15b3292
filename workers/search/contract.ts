/**
 * What the main process asks of the search host, which opens each base's index read-only.
 * Offsets are UTF-16 units, scores are said with their kind by the caller, vectors are float32.
 */
import type { Locator } from "../contract.ts";
import type { ModelFiles } from "../embed/word-meanings.ts";
import type { PackedTexts } from "../latent/packed-texts.ts";
import type { ExplainedFusion, ExplainedTerm } from "./explanation.ts";

/** Where an index stands and how it is searched. */
export interface IndexTarget {
  readonly baseId: string;
  readonly indexPath: string;
}

/** A text whose like is looked for, instead of what a query asks. */
export interface Likeness {
  readonly text: string;
  /** Not among the answers: the document or the unit that the text was taken from. */
  readonly exceptMaterial: string | null;
  readonly exceptUnit: string | null;
}

export interface LaneQuery extends IndexTarget {
  readonly query: string;
  /** Null and absent: the query is looked for. */
  readonly like?: Likeness | null;
  /** The query's vector from an HTTP provider; null lets the host embed it with `model`, if that is set. */
  readonly queryVector: Float32Array | null;
  /** The embedded model's files, for bases that use it; null with queryVector null is a search by words alone. */
  readonly model: ModelFiles | null;
  /** rrf: reciprocal rank fusion, k = 60. convex: a weighted sum of bm25/top and cosines (lane-weights.ts). */
  readonly fusion: { readonly kind: "rrf" } | { readonly kind: "convex"; readonly alpha: number };
  readonly candidates: number;
  /** Of the candidates only the first so many are answered; all of them by default. */
  readonly shown?: number;
  /** Only the best chunk of each document. */
  readonly perDocument?: boolean;
  /** With perDocument: so many chunks of a document, the best one included; 1 by default. */
  readonly passages?: number;
  readonly filters: UnitFilters | null;
  /** Phrases that a passage must hold. */
  readonly phrases?: readonly string[];
  /** Words and phrases that no passage may hold. */
  readonly excluded?: readonly string[];
}

/** A word that occurs nowhere in the base, and what was searched for in its place, the likeliest first. */
export interface Correction {
  readonly term: string;
  readonly used: readonly string[];
}

export interface UnitFilters {
  /** Only these materials; used for type, time and item filters, which the catalogue knows. */
  readonly materialIds: readonly string[] | null;
}

/** A unit as it is shown. */
export interface StoredUnit {
  readonly unitId: string;
  readonly materialId: string;
  readonly relativePath: string;
  readonly text: string;
  readonly title: string;
  readonly headings: string[];
  readonly locator: Locator | null;
  readonly charStart: number;
  readonly charEnd: number;
  readonly contentHash: string;
}

/** A unit's place in the ranked list. */
export interface RankedUnit {
  readonly unitId: string;
  /** −bm25 with what the document adds, or the fused score: `score` orders the list, highest first, ties by unit id. */
  readonly score: number;
  readonly bm25Rank: number | null;
  readonly vectorRank: number | null;
  readonly cosine: number | null;
  /** In the lane of the base's latent vectors, where it took part. */
  readonly latentRank: number | null;
  readonly latentCosine: number | null;
  /** Where the words were unsure and the passage was read: how near it is to what the query means, 0 to 1. */
  readonly meaning: number | null;
  /** Where passages are asked for: ids of the document's next best units, best first. */
  readonly passages?: readonly string[];
}

/** A unit as it is shown, with what matched the query's words in it. */
export interface ShownUnit extends StoredUnit {
  /** [start, end) in text. */
  readonly highlights: [number, number][];
}

export interface Candidate extends ShownUnit, Omit<RankedUnit, "passages"> {
  readonly passages?: readonly ShownUnit[];
}

/** A unit that a lane brought, with all that was found out about it. */
export interface ExplainedUnit extends RankedUnit {
  readonly materialId: string;
  /** By words, with and without what its document adds; null where the words do not rank it. */
  readonly bm25: number | null;
  readonly own: number | null;
  /** Beyond the candidates after fusion. */
  readonly cut: boolean;
  /** What it earns by each term that it holds: indexes into the terms. */
  readonly earned: readonly (readonly [term: number, score: number])[];
}

export interface Explanation extends ExplainedFusion {
  readonly mode: "bm25" | "hybrid";
  readonly degraded: string | null;
  readonly terms: readonly ExplainedTerm[];
  /** Every unit that a lane brought, in the order of the fused list. */
  readonly units: readonly ExplainedUnit[];
}

export interface PatternOptions {
  /** One of them is enough; of several that match at a place the first is preferred. */
  readonly patterns: readonly string[];
  /** The patterns are plain text. */
  readonly literal: boolean;
  /** null: when a pattern names a capital (smart case). */
  readonly caseSensitive: boolean | null;
  /** No word character stands before or behind a match. */
  readonly word: boolean;
  /** A match is all of its line. */
  readonly wholeLine: boolean;
  /** The lines without a match. */
  readonly invert: boolean;
}

export interface LineMatch {
  /** Counted from 1. */
  readonly line: number;
  readonly charStart: number;
  readonly charEnd: number;
  /** Cut at 2,000 characters, like the line. */
  readonly match: string;
  /** Of the line, 60 characters on either side at most. */
  readonly before: string;
  readonly after: string;
  readonly lineText: string;
  /** Lines around it, where they were asked for: each is listed once, and none that matches. */
  linesBefore?: string[];
  linesAfter?: string[];
}

export interface GrepOptions extends PatternOptions {
  /** counts: how many lines of each document match. documents: which documents have one. */
  readonly output: "matches" | "counts" | "documents";
  /** Of each line only the first match. */
  readonly perLine: boolean;
  /** Of a match only its line's number and a text are answered: with perLine its line, else what matched. Nothing around it. */
  readonly lean: boolean;
  /** Matching lines of a document at most. */
  readonly maxPerDocument: number;
  readonly linesBefore: number;
  readonly linesAfter: number;
}

/** Where a look through a base goes on. */
export interface GrepPlace {
  readonly materialId: string;
  readonly path: string;
  /** How many documents stand before it, as far as nothing has changed. */
  readonly index: number;
  /** Within the document, while it has this content; null at its beginning. */
  readonly inside: PlaceInside | null;
}

export interface PlaceInside {
  readonly contentHash: string;
  readonly piece: number;
  /** In the piece: where its next line begins, and the place in that line from which on matches are still to be told. */
  readonly lineStart: number;
  readonly from: number;
  /** Matching lines told so far, the one of `lineStart` included when `from` is behind its start. */
  readonly lines: number;
  /** In the document: up to where lines have been told, also as neighbours. */
  readonly toldTo: number;
}

/** Lists by document travel several times as fast as a list of documents, since no name of a field travels with each. */
export interface GrepBatch {
  /** In the order of their paths. A document goes on in the next batch when it has more. */
  readonly materialIds: readonly string[];
  /** Of each, its matching lines in this batch; with output "documents" 1. */
  readonly lines: readonly number[];
  /** Of each, matches that are told; 0 with other outputs. */
  readonly matches: readonly number[];
  /** Of each, a LineMatch[] or with `lean` LineColumns, as JSON in UTF-8 with a character for each byte; else empty. */
  readonly json: readonly string[];
  /** Documents that were looked through to their end. */
  readonly looked: number;
  /** Null when all have been looked through. */
  readonly next: GrepPlace | null;
}

export interface StoredChunk {
  readonly unitId: string;
  readonly unitIndex: number;
  readonly title: string;
  readonly headings: readonly string[];
  readonly locator: Locator | null;
  readonly charStart: number;
  readonly charEnd: number;
  readonly text: string;
}

export interface SearchTasks {
  "index.search": {
    input: LaneQuery;
    /**
     * `ranked`: all candidates, best first; `candidates`: the first of them with their texts. `complete`: a deeper search
     * would find no more.
     */
    output: {
      candidates: Candidate[];
      ranked: RankedUnit[];
      complete: boolean;
      mode: "bm25" | "hybrid";
      degraded: string | null;
      corrections: readonly Correction[];
    };
  };
  /** These units, in this order, with what the query matches in them; without those that are gone. */
  "index.units": {
    input: IndexTarget &
      Pick<LaneQuery, "query" | "phrases" | "like" | "model"> & { unitIds: readonly string[] };
    output: { units: ShownUnit[] };
  };
  /** What is known of a unit, or with unitId null of a material, to look for its like; null when it is gone. */
  "index.likeness": {
    input: IndexTarget & { materialId: string; unitId: string | null };
    output: { materialId: string; text: string; vector: Float32Array | null } | null;
  };
  /** How a search of the same input comes to its answer. */
  "index.explain": { input: LaneQuery; output: Explanation };
  /** The first unit of each of these materials that no excluded word stands in, in their order. */
  "index.first": {
    input: IndexTarget & Pick<LaneQuery, "excluded"> & { materialIds: readonly string[] };
    output: { units: { unitId: string; materialId: string }[] };
  };
  "index.window": {
    input: IndexTarget & { materialId: string; charStart: number; charEnd: number };
    output: { text: string; totalChars: number; contentHash: string } | null;
  };
  /** The matches in one text, with the hash and length of the very text that their offsets count in. */
  "index.find": {
    input: IndexTarget & { materialId: string; options: PatternOptions; limit: number };
    output: { matches: LineMatch[]; truncated: boolean; totalChars: number; contentHash: string } | null;
  };
  /** How often a text stands in another, and the place that is nearest to [charStart, charEnd), or lies in it. */
  "index.quoted": {
    input: IndexTarget & { materialId: string; text: string; charStart: number; charEnd: number };
    output: { nearest: number | null; places: number; totalChars: number; contentHash: string } | null;
  };
  "index.chunks": {
    input: IndexTarget & { materialId: string; afterIndex: number; limit: number };
    output: { chunks: StoredChunk[] } | null;
  };
  /** A part of a look through a base: what is found in some ten milliseconds, and where to go on. */
  "index.grep": {
    input: IndexTarget & {
      options: GrepOptions;
      /** Only these; null for all in the index. */
      materialIds: readonly string[] | null;
      from: GrepPlace | null;
      /** Names what is streamed: then the host looks on at once, for who asks next. */
      stream: string | null;
      /** Matches, or documents with other outputs, and characters of text that are answered at most, but for the last one's. */
      most: { readonly matches: number; readonly chars: number };
    };
    output: GrepBatch;
  };
  /** Loads what a first query of this base needs, so that it need not wait. */
  "index.warm": { input: IndexTarget & { model: LaneQuery["model"] }; output: { units: number } };
  /**
   * What latent vectors are made of: each unit's title, headings and text, in the order of their numbers. With a step above
   * 1 the first unit of each so many numbers. `next`: where to go on; null after the last, and then `newest` was the highest
   * number that there was.
   */
  "index.texts": {
    input: IndexTarget & { after: number; step: number; limit: number; maxCharacters: number };
    output: { numbers: number[]; page: PackedTexts; next: number | null; newest: number };
  };
  /** The base's index is about to be deleted or replaced: close the connection and forget its caches. */
  "index.close": { input: { baseId: string }; output: { closed: boolean } };
  ping: { input: Record<string, never>; output: { pid: number } };
}

export type SearchTaskName = keyof SearchTasks;
