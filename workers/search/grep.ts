import { setImmediate } from "node:timers/promises";
import type { GrepTarget, PatternMatch, SearchTasks } from "./contract.ts";
import type { IndexReader } from "./index-reader.ts";
import { compileLinePattern } from "./line-pattern.ts";
import type { TextCache } from "./text-cache.ts";

type Input = SearchTasks["index.grep"]["input"];
type Output = SearchTasks["index.grep"]["output"];

/** After this long other tasks get their turn, and a cancel is heard. One expression on one line can't be interrupted. */
const SLICE_MS = 15;

const ALL = `
  SELECT material_id AS id, current_content_hash AS hash FROM material
  WHERE current_content_hash IS NOT NULL ORDER BY relative_path`;
const SOME = `
  SELECT m.material_id AS id, m.current_content_hash AS hash
  FROM json_each(?) AS wanted JOIN material AS m ON m.material_id = wanted.value
  WHERE m.current_content_hash IS NOT NULL ORDER BY m.relative_path`;

interface Document {
  readonly id: string;
  readonly hash: string;
}

/** Looks through the documents of all targets in the order of their paths, until `limit` matches are found. */
export async function grep(
  input: Input,
  deps: { readerOf(target: GrepTarget): IndexReader; texts: TextCache; signal: AbortSignal },
): Promise<Output> {
  const pattern = compileLinePattern(input.options);
  const { limit } = input.options;
  const matches: PatternMatch[] = [];
  let documents = 0;
  let started = performance.now();
  for (const target of input.targets) {
    for (const { id, hash } of documentsOf(deps.readerOf(target), target)) {
      if (performance.now() - started > SLICE_MS) {
        await setImmediate();
        deps.signal.throwIfAborted();
        started = performance.now();
      }
      // Asked for again after each pause: another task may have closed the base's connection meanwhile.
      const text = deps.texts.get(deps.readerOf(target), hash);
      if (text === null) continue;
      documents++;
      for (const match of pattern.find(text, limit + 1 - matches.length))
        matches.push({ materialId: id, ...match });
      if (matches.length > limit) return { matches: matches.slice(0, limit), documents, truncated: true };
    }
  }
  return { matches, documents, truncated: false };
}

function documentsOf(reader: IndexReader, target: GrepTarget): Document[] {
  const rows =
    target.materialIds === null
      ? reader.statement(ALL).all()
      : reader.statement(SOME).all(JSON.stringify(target.materialIds));
  return rows as Document[];
}
