import { createHash } from "node:crypto";
import type { Database } from "../sqlite.ts";

/** One row of a text that has several. Offsets and lines are of the whole document; lines count from 1. */
export interface SegmentRow {
  readonly seq: number;
  readonly content_hash: string;
  readonly char_start: number;
  readonly chars: number;
  readonly line_start: number;
  /** The index of its first unit, or of the next segment's when it has none. */
  readonly unit_start: number;
}

/** The hash of a document is over those of its segments: its whole text is never at hand. */
export function documentHash(segmentHashes: Iterable<string>): string {
  const hash = createHash("sha256").update("segments");
  for (const one of segmentHashes) hash.update(`\n${one}`);
  return hash.digest("hex");
}

/** In their order. A document of a gigabyte has about a thousand. */
export function segmentsOf(db: Database, materialId: string): SegmentRow[] {
  return db.statement(SEGMENTS).all(materialId) as SegmentRow[];
}

export function hasSegments(db: Database, materialId: string): boolean {
  return (
    db.statement("SELECT 1 FROM content_segment WHERE material_id = ? LIMIT 1").get(materialId) !== undefined
  );
}

export function putSegment(db: Database, materialId: string, row: SegmentRow): void {
  const { seq, content_hash, char_start, chars, line_start, unit_start } = row;
  db.statement(PUT).run(materialId, seq, content_hash, char_start, chars, line_start, unit_start);
}

export function moveSegments(db: Database, from: string, to: string): void {
  db.statement("UPDATE content_segment SET material_id = ? WHERE material_id = ?").run(to, from);
}

/** What the document is as a whole, from its segments. */
export function putDocument(db: Database, materialId: string): { contentHash: string; first: string } | null {
  const segments = segmentsOf(db, materialId);
  const [first] = segments;
  if (!first) return null;
  const contentHash = documentHash(segments.map((segment) => segment.content_hash));
  const chars = segments.reduce((sum, segment) => sum + segment.chars, 0);
  db.statement(PUT_DOCUMENT).run(materialId, contentHash, chars);
  return { contentHash, first: first.content_hash };
}

/** Takes one segment away, answers the hash of its text; null when there is none left. */
export function takeSegment(db: Database, materialId: string): string | null {
  return (db.statement(TAKE).pluck().get(materialId, materialId) as string | undefined) ?? null;
}

export function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

const SEGMENTS = `
  SELECT seq, content_hash, char_start, chars, line_start, unit_start FROM content_segment
  WHERE material_id = ? ORDER BY seq`;
const PUT = `
  INSERT INTO content_segment (material_id, seq, content_hash, char_start, chars, line_start, unit_start)
  VALUES (?, ?, ?, ?, ?, ?, ?)`;
const PUT_DOCUMENT = `
  INSERT INTO segmented_material (material_id, document_hash, chars) VALUES (?, ?, ?)
  ON CONFLICT (material_id) DO UPDATE SET document_hash = excluded.document_hash, chars = excluded.chars`;
const TAKE = `
  DELETE FROM content_segment WHERE material_id = ? AND seq = (
    SELECT min(seq) FROM content_segment WHERE material_id = ?) RETURNING content_hash`;
