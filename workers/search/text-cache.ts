import { createIdleMemory } from "./idle-memory.ts";
import type { IndexReader } from "./index-reader.ts";

/** Whole texts by content hash, kept for a while after use. */
export interface TextCache {
  /** Null when the index has no such content any more. `readerOf` is asked when it is not at hand. */
  get(readerOf: () => IndexReader, contentHash: string): string | null;
  /**
   * Reads the next texts together, until they are many characters, and answers how many of the hashes it went through. What
   * has no room in the cache is at hand until it reads on.
   */
  ahead(reader: IndexReader, contentHashes: readonly string[]): number;
  clear(): void;
}

const TEXT = "SELECT text FROM content WHERE content_hash = ?";

/** Characters that are read ahead at once, but for the last text's: one or two milliseconds. */
const AHEAD_CHARS = 512 * 1024;

/** What is full takes nothing more in: a scan over more texts than fit would push out each just before it is used. */
export function createTextCache(maxBytes: number): TextCache {
  const texts = new Map<string, string>();
  /** What was read ahead and has no room. */
  let aside = new Map<string, string>();
  let bytes = 0;
  const idle = createIdleMemory(clear);

  function clear(): void {
    idle.stop();
    texts.clear();
    aside.clear();
    bytes = 0;
  }

  function read(reader: IndexReader, contentHash: string): string | null {
    const text = reader.statement(TEXT).pluck().get(contentHash) as string | undefined;
    if (text === undefined) return null;
    const size = memoryOf(text);
    if (bytes + size <= maxBytes) {
      texts.set(contentHash, text);
      bytes += size;
    }
    return text;
  }

  return {
    get(readerOf, contentHash) {
      idle.used();
      return texts.get(contentHash) ?? aside.get(contentHash) ?? read(readerOf(), contentHash);
    },
    ahead(reader, contentHashes) {
      idle.used();
      if (contentHashes.every((contentHash) => texts.has(contentHash))) return contentHashes.length;
      const before = aside;
      aside = new Map();
      let chars = 0;
      let passed = 0;
      // One transaction, where each text by itself would take and give back the locks of one.
      reader.snapshot(() => {
        for (; passed < contentHashes.length && chars < AHEAD_CHARS; passed++) {
          const contentHash = contentHashes[passed]!;
          if (texts.has(contentHash)) continue;
          const text = before.get(contentHash) ?? read(reader, contentHash);
          if (text !== null && !texts.has(contentHash)) aside.set(contentHash, text);
          chars += text?.length ?? 0;
        }
      });
      return passed;
    },
    clear,
  };
}

/** ASCII strings take a byte a character, others two. */
function memoryOf(text: string): number {
  return Buffer.byteLength(text) === text.length ? text.length : 2 * text.length;
}
