import type { IndexReader } from "./index-reader.ts";

/** One row of a document's text. Offsets and lines are of the whole document; lines count from 1. */
export interface TextPiece {
  readonly contentHash: string;
  readonly charStart: number;
  /** Null for the only piece, whose length is known once it is read. */
  readonly chars: number | null;
  readonly lineStart: number;
}

/** A document as it is stored: in one piece, or where it is long in segments. */
export interface DocumentText {
  /** Of the whole. */
  readonly contentHash: string;
  readonly pieces: readonly TextPiece[];
}

/** Null when the index does not have the material, or not any more. Call it in a snapshot. */
export function documentText(reader: IndexReader, materialId: string): DocumentText | null {
  const row = reader.statement(DOCUMENT).get(materialId) as DocumentRow | undefined;
  if (!row) return null;
  if (row.document_hash === null) return { contentHash: row.hash, pieces: [onlyPiece(row.hash)] };
  return {
    contentHash: row.document_hash,
    pieces: reader.statement(PIECES).all(materialId) as TextPiece[],
  };
}

export function onlyPiece(contentHash: string): TextPiece {
  return { contentHash, charStart: 0, chars: null, lineStart: 1 };
}

interface DocumentRow {
  readonly hash: string;
  readonly document_hash: string | null;
}

const DOCUMENT = `
  SELECT current_content_hash AS hash, document_hash FROM material LEFT JOIN segmented_material USING (material_id)
  WHERE material_id = ? AND current_content_hash IS NOT NULL`;
const PIECES = `
  SELECT content_hash AS contentHash, char_start AS charStart, chars, line_start AS lineStart FROM content_segment
  WHERE material_id = ? ORDER BY seq`;
