import type { Base } from "../../../rpc/contract/bases.ts";

/** A base as its row reads. */
export interface BaseRow extends Omit<Base, "chunkHard" | "substring"> {
  readonly chunkHard: 0 | 1;
  readonly substring: 0 | 1;
}

export const BASE_COLUMNS = `id, name, embedding_model_id AS embeddingModelId, dimensions, status, error,
  chunk_size AS chunkSize, chunk_overlap AS chunkOverlap, chunk_strategy AS chunkStrategy,
  chunk_separator AS chunkSeparator, chunk_hard AS chunkHard, threshold, document_count AS documentCount,
  rerank_model_id AS rerankModelId, file_processor_id AS fileProcessorId, group_id AS groupId, substring,
  created_at AS createdAt, updated_at AS updatedAt`;

export const INSERT_BASE = `INSERT INTO base (id, name, embedding_model_id, dimensions, status, error, chunk_size,
  chunk_overlap, chunk_strategy, chunk_separator, chunk_hard, threshold, document_count, rerank_model_id,
  file_processor_id, group_id, substring, fingerprint, created_at, updated_at)
VALUES (:id, :name, :embeddingModelId, :dimensions, :status, :error, :chunkSize, :chunkOverlap, :chunkStrategy,
  :chunkSeparator, :chunkHard, :threshold, :documentCount, :rerankModelId, :fileProcessorId, :groupId, :substring,
  :fingerprint, :createdAt, :updatedAt)`;

export const UPDATE_BASE = `UPDATE base SET name = :name, embedding_model_id = :embeddingModelId,
  dimensions = :dimensions, status = :status, error = :error, chunk_size = :chunkSize,
  chunk_overlap = :chunkOverlap, chunk_strategy = :chunkStrategy, chunk_separator = :chunkSeparator,
  chunk_hard = :chunkHard, threshold = :threshold, document_count = :documentCount,
  rerank_model_id = :rerankModelId, file_processor_id = :fileProcessorId, group_id = :groupId,
  substring = :substring, fingerprint = :fingerprint, updated_at = :updatedAt
WHERE id = :id`;

export function toBase(row: BaseRow): Base {
  return { ...row, chunkHard: row.chunkHard === 1, substring: row.substring === 1 };
}

export function toBaseRow(base: Base): BaseRow {
  return { ...base, chunkHard: base.chunkHard ? 1 : 0, substring: base.substring ? 1 : 0 };
}
