import type { Database } from "../sqlite.ts";

/**
 * What a removal may have left without an owner. It is collected in the same transaction, by the hashes that were let go,
 * so the cost follows what was removed and not the size of the base.
 */
export interface Released {
  readonly contents: Set<string>;
  readonly vectors: Set<string>;
}

export function nothingReleased(): Released {
  return { contents: new Set(), vectors: new Set() };
}

/** Removes the released texts and vectors that nobody else uses (K8.5), one a step. */
export function* collectOrphans(db: Database, released: Released): Generator<undefined, void> {
  for (const hash of released.vectors) {
    db.statement(COLLECT_VECTOR).run(hash);
    yield;
  }
  for (const hash of released.contents) {
    db.statement(COLLECT_CONTENT).run(hash);
    yield;
  }
  released.vectors.clear();
  released.contents.clear();
}

const COLLECT_VECTOR = `
  DELETE FROM embedding WHERE embedding_text_hash = ? AND NOT EXISTS (
    SELECT 1 FROM search_text WHERE search_text.embedding_text_hash = embedding.embedding_text_hash)`;
const COLLECT_CONTENT = `
  DELETE FROM content WHERE content_hash = ?
    AND NOT EXISTS (SELECT 1 FROM material WHERE current_content_hash = content.content_hash)
    AND NOT EXISTS (SELECT 1 FROM search_unit WHERE search_unit.content_hash = content.content_hash)
    AND NOT EXISTS (SELECT 1 FROM content_segment WHERE content_segment.content_hash = content.content_hash)`;
