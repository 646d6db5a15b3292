import type { IndexTarget } from "./contract.ts";
import { createDocumentList, type DocumentList } from "./document-list.ts";
import { createDocumentRuns, type DocumentRuns } from "./document-runs.ts";
import { openIndexReader, type IndexReader } from "./index-reader.ts";
import { createLatentLane, type LatentLane } from "./vectors/latent-lane.ts";
import { createPostingCache, POSTING_BYTES, type PostingCache } from "./postings/posting-cache.ts";
import { createScanThread, type ScanThread } from "./vectors/scan-thread.ts";
import { createVectorLane, type VectorLane } from "./vectors/vector-lane.ts";
import { createVocabulary, VOCABULARY_BYTES, type Vocabulary } from "./spelling/vocabulary.ts";

/** An open base: its connection, and what is cached of it. */
export interface OpenIndex {
  readonly reader: IndexReader;
  readonly vectors: VectorLane;
  readonly latent: LatentLane;
  readonly documents: DocumentRuns;
  readonly postings: PostingCache;
  readonly vocabulary: Vocabulary;
  readonly list: DocumentList;
}

export interface Readers {
  /** Opens it when it is not open, or when another file stands at the path now. Throws SqliteError. */
  get(target: IndexTarget): OpenIndex;
  /** False when it was not open. */
  close(baseId: string): boolean;
  closeAll(): void;
}

/** Bases kept open at once: each holds a page cache and its vectors. */
const MAX_OPEN = 16;
/** What was used this recently is likely to be used again soon. */
const RECENT_MS = 60_000;

type Cache = Pick<VectorLane & PostingCache, "bytes" | "forget">;

interface Entry extends OpenIndex {
  usedAt: number;
}

/** `vectorCacheBytes` bounds the vectors of all bases together; the base in use keeps its own in any case. */
export function createReaders({ vectorCacheBytes }: { vectorCacheBytes: number }): Readers {
  // A Map keeps the order of insertion: the first entry was used the longest ago.
  const open = new Map<string, Entry>();
  const thread = createScanThread();

  function close(baseId: string): boolean {
    const entry = open.get(baseId);
    if (!entry) return false;
    open.delete(baseId);
    const { documents, postings, vocabulary, list } = entry;
    for (const cache of [vectorsOf(entry), documents, postings, vocabulary, list]) cache.forget();
    entry.reader.close();
    return true;
  }

  /**
   * The one that was used the longest ago gives way. When all are in use, as by a search of more bases than are kept open,
   * it is the latest instead: each would else be closed just before its turn comes again.
   */
  function makeRoom(): void {
    if (open.size < MAX_OPEN) return;
    const ids = [...open.keys()];
    const [oldest = ""] = ids;
    const inUse = performance.now() - (open.get(oldest)?.usedAt ?? 0) < RECENT_MS;
    close(inUse ? (ids.at(-1) ?? oldest) : oldest);
  }

  /** Those that were used the longest ago give way. */
  function bound(inUse: OpenIndex, cacheOf: (entry: Entry) => Cache, most: number): void {
    let bytes = [...open.values()].reduce((sum, entry) => sum + cacheOf(entry).bytes(), 0);
    for (const entry of open.values()) {
      if (bytes <= most) return;
      if (entry === inUse) continue;
      bytes -= cacheOf(entry).bytes();
      cacheOf(entry).forget();
    }
  }

  function boundCaches(inUse: OpenIndex): void {
    bound(inUse, vectorsOf, vectorCacheBytes);
    bound(inUse, (entry) => entry.postings, POSTING_BYTES);
    bound(inUse, (entry) => entry.vocabulary, VOCABULARY_BYTES);
  }

  return {
    get(target) {
      const known = open.get(target.baseId);
      if (known && known.reader.path === target.indexPath && known.reader.isCurrent()) {
        known.usedAt = performance.now();
        open.delete(target.baseId);
        open.set(target.baseId, known);
        boundCaches(known);
        return known;
      }
      close(target.baseId);
      const reader = openIndexReader(target.baseId, target.indexPath);
      makeRoom();
      const entry = { ...createCaches(reader, thread), usedAt: performance.now() };
      open.set(target.baseId, entry);
      boundCaches(entry);
      return entry;
    },
    close,
    closeAll() {
      [...open.keys()].forEach(close);
      thread.release();
    },
  };
}

function createCaches(reader: IndexReader, thread: ScanThread): OpenIndex {
  return {
    reader,
    vectors: createVectorLane(reader, thread),
    latent: createLatentLane(reader, { thread }),
    documents: createDocumentRuns(reader),
    postings: createPostingCache(reader),
    vocabulary: createVocabulary(reader),
    list: createDocumentList(reader),
  };
}

/** Both kinds of vectors count as one. */
function vectorsOf({ vectors, latent }: OpenIndex): Cache {
  return {
    bytes: () => vectors.bytes() + latent.bytes(),
    forget() {
      vectors.forget();
      latent.forget();
    },
  };
}
