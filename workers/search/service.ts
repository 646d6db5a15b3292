import { setImmediate } from "node:timers/promises";
import { loadStaticModel } from "../embed/static-model.ts";
import type { SearchTaskName, SearchTasks } from "./contract.ts";
import { explainIndex } from "./explain-index.ts";
import { grep } from "./grep/grep.ts";
import { createGrepAhead } from "./grep/grep-ahead.ts";
import { likenessOf } from "./likeness.ts";
import { createPatternCache } from "./grep/pattern-cache.ts";
import { createReaders } from "./readers.ts";
import { firstUnits } from "./first-units.ts";
import { searchIndex } from "./search-index.ts";
import { quotedIn } from "./quoted-text.ts";
import { showUnits } from "./show-units.ts";
import { createTextCache } from "./text-cache.ts";
import { createTokenizer } from "./tokenizer.ts";
import { textPage } from "./text-page.ts";
import { embeddingSource } from "./vectors/vector-source.ts";
import { chunksOf } from "./units.ts";
import { findIn, windowOf } from "./whole-text.ts";

type Handlers = {
  readonly [T in SearchTaskName]: (
    input: SearchTasks[T]["input"],
    signal: AbortSignal,
  ) => SearchTasks[T]["output"] | Promise<SearchTasks[T]["output"]>;
};

export interface SearchService {
  run(task: string, input: unknown, signal: AbortSignal): Promise<unknown>;
  close(): void;
}

export interface SearchServiceOptions {
  /** Memory for whole texts (reading and grep), and for vectors. */
  readonly contentCacheBytes: number;
  readonly vectorCacheBytes: number;
}

/** All that the search host does, without the process around it. */
export function createSearchService(options: SearchServiceOptions): SearchService {
  const readers = createReaders(options);
  const texts = createTextCache(options.contentCacheBytes);
  const patterns = createPatternCache();
  const tokenizer = createTokenizer();
  const ahead = createGrepAhead((input, signal) =>
    grep(input, { open: () => readers.get(input), texts, patterns, signal }),
  );

  const handlers: Handlers = {
    "index.search": (query) => searchIndex(readers.get(query), tokenizer, query),
    "index.likeness": (input) => likenessOf(readers.get(input).reader, input),
    "index.explain": (query) => explainIndex(readers.get(query), tokenizer, query),
    "index.first": (input) => firstUnits(readers.get(input), tokenizer, input),
    "index.units": (input) => showUnits(readers.get(input), tokenizer, input),
    "index.window": (input) => windowOf(readers.get(input).reader, texts, input),
    "index.find": (input, signal) => findIn(() => readers.get(input).reader, texts, input, signal),
    "index.quoted": (input, signal) => quotedIn(() => readers.get(input).reader, texts, input, signal),
    "index.chunks": (input) => {
      const chunks = chunksOf(readers.get(input).reader, input);
      return chunks && { chunks };
    },
    "index.grep": (input, signal) => ahead.run(input, signal),
    "index.warm": async (input) => {
      const { reader, vectors, latent, documents, postings } = readers.get(input);
      reader.snapshot(() => postings.refresh());
      const units = reader.statement("SELECT count(*) FROM unit_number").pluck().get() as number;
      await documents.loadAll();
      if (input.model) {
        await vectors.loadAll(embeddingSource(reader, loadStaticModel(input.model).dimensions));
        await latent.loadAll();
      }
      return { units };
    },
    "index.texts": (input) => textPage(readers.get(input).reader, input),
    "index.close"({ baseId }) {
      ahead.drop(baseId);
      return { closed: readers.close(baseId) };
    },
    ping: () => ({ pid: process.pid }),
  };

  return {
    async run(task, input, signal) {
      // A turn of the loop between two tasks lets a cancel that has arrived be heard.
      await setImmediate();
      signal.throwIfAborted();
      if (!Object.hasOwn(handlers, task)) throw new Error(`the search host has no task ${task}`);
      const handler = handlers[task as SearchTaskName] as (input: unknown, signal: AbortSignal) => unknown;
      return handler(input, signal);
    },
    close() {
      ahead.clear();
      readers.closeAll();
      texts.clear();
      patterns.clear();
      tokenizer.close();
    },
  };
}
