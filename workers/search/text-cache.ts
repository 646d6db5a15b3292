import { createIdleMemory } from "./idle-memory.ts";
import type { IndexReader } from "./index-reader.ts";

/** Whole texts by content hash, kept for a while after use. */
export interface TextCache {
  /** Null when the index has no such content any more. `readerOf` is asked when it is not at hand. */
  get(readerOf: () => IndexReader, contentHash: string): string | null;
  clear(): void;
}

const TEXT = "SELECT text FROM content WHERE content_hash = ?";

/** What is full takes nothing more in: a scan over more texts than fit would push out each just before it is used. */
export function createTextCache(maxBytes: number): TextCache {
  const texts = new Map<string, string>();
  let bytes = 0;
  const idle = createIdleMemory(clear);

  function clear(): void {
    idle.stop();
    texts.clear();
    bytes = 0;
  }

  return {
    get(readerOf, contentHash) {
      idle.used();
      const known = texts.get(contentHash);
      if (known !== undefined) return known;
      const text = readerOf().statement(TEXT).pluck().get(contentHash) as string | undefined;
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
