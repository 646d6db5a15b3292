import type { IndexReader } from "./index-reader.ts";

/** Whole texts by content hash, kept for a while after use. */
export interface TextCache {
  /** Null when the index has no such content any more. */
  get(reader: IndexReader, contentHash: string): string | null;
  clear(): void;
}

/** Without use for this long, the memory goes back. */
const IDLE_MS = 30_000;
const TEXT = "SELECT text FROM content WHERE content_hash = ?";

/** What is full takes nothing more in: a scan over more texts than fit would push out each just before it is used. */
export function createTextCache(maxBytes: number): TextCache {
  const texts = new Map<string, string>();
  let bytes = 0;
  let idle: NodeJS.Timeout | undefined;

  function clear(): void {
    clearTimeout(idle);
    idle = undefined;
    texts.clear();
    bytes = 0;
  }

  function touch(): void {
    if (idle) idle.refresh();
    else idle = setTimeout(clear, IDLE_MS).unref();
  }

  return {
    get(reader, contentHash) {
      touch();
      const known = texts.get(contentHash);
      if (known !== undefined) return known;
      const text = reader.statement(TEXT).pluck().get(contentHash) as string | undefined;
      if (text === undefined) return null;
      const size = memoryOf(text);
      if (bytes + size <= maxBytes) {
        texts.set(contentHash, text);
        bytes += size;
      }
      return text;
    },
    clear,
  };
}

/** ASCII strings take a byte a character, others two. */
function memoryOf(text: string): number {
  return Buffer.byteLength(text) === text.length ? text.length : 2 * text.length;
}
