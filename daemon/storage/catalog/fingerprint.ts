import type { Base } from "../../../rpc/contract/bases.ts";

/** Rises when the same settings begin to give other chunks. */
const CHUNKER_VERSION = 1;

/** The settings of a base that decide how its text is cut. */
export type ChunkingBase = Pick<
  Base,
  "chunkSize" | "chunkOverlap" | "chunkStrategy" | "chunkSeparator" | "chunkHard"
>;

/**
 * K3.3: names the chunk settings in force. An item keeps the one it was made with; another one on its base makes it
 * stale. What the strategy does not read is left out, so that changing it makes nothing stale.
 */
export function chunkFingerprint(base: ChunkingBase): string {
  const sizes = `${CHUNKER_VERSION}:${base.chunkStrategy}:${base.chunkSize}:${base.chunkOverlap}`;
  if (base.chunkStrategy === "structured") return sizes;
  return `${sizes}:${base.chunkHard ? "hard" : "soft"}:${JSON.stringify(base.chunkSeparator)}`;
}
