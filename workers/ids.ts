import { createHash } from "node:crypto";

/** Lower-case hex sha256 of bytes, or of a text's UTF-8. */
export function sha256(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}

/** What identifies a chunk (K7.6): the same material, text and cut give the same id, today and after a rebuild. */
export interface UnitIdentity {
  readonly materialId: string;
  readonly contentHash: string;
  readonly unitIndex: number;
  readonly charStart: number;
  readonly charEnd: number;
}

export function unitIdOf(unit: UnitIdentity): string {
  const { materialId, contentHash, unitIndex, charStart, charEnd } = unit;
  return sha256(JSON.stringify([materialId, contentHash, "chunk", unitIndex, charStart, charEnd]));
}

export function searchTextIdOf(unitId: string): string {
  return sha256(JSON.stringify(["search_unit", unitId, "body"]));
}
