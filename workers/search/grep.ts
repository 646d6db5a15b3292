import type { GrepTarget, PatternMatch, SearchTasks } from "./contract.ts";
import { documentText, onlyPiece, type TextPiece } from "./document-text.ts";
import type { IndexReader } from "./index-reader.ts";
import { compileLinePattern } from "./line-pattern.ts";
import { matchesIn } from "./piece-matches.ts";
import type { TextCache } from "./text-cache.ts";
import { createTurns } from "./turns.ts";

type Input = SearchTasks["index.grep"]["input"];
type Output = SearchTasks["index.grep"]["output"];

const PIECED = "EXISTS (SELECT 1 FROM segmented_material AS d WHERE d.material_id = m.material_id)";
const ALL = `
  SELECT material_id AS id, current_content_hash AS hash, ${PIECED} AS pieced FROM material AS m
  WHERE current_content_hash IS NOT NULL ORDER BY relative_path`;
const SOME = `
  SELECT m.material_id AS id, m.current_content_hash AS hash, ${PIECED} AS pieced
  FROM json_each(?) AS wanted JOIN material AS m ON m.material_id = wanted.value
  WHERE m.current_content_hash IS NOT NULL ORDER BY m.relative_path`;

interface Document {
  readonly id: string;
  readonly hash: string;
  /** 1: its text is stored in segments. */
  readonly pieced: 0 | 1;
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
  const turns = createTurns(deps.signal);
  for (const target of input.targets) {
    // Asked for again after each pause: another task may have closed the base's connection meanwhile.
    const readerOf = () => deps.readerOf(target);
    for (const document of documentsOf(readerOf(), target)) {
      const pieces = piecesOf(readerOf, document);
      if (pieces.length === 0) continue;
      const search = { readerOf, texts: deps.texts, turns };
      const found = await matchesIn(pieces, pattern, limit + 1 - matches.length, search);
      if (!found.complete && found.matches.length === 0) continue;
      documents++;
      for (const match of found.matches) matches.push({ materialId: document.id, ...match });
      if (matches.length > limit) return { matches: matches.slice(0, limit), documents, truncated: true };
    }
  }
  return { matches, documents, truncated: false };
}

function piecesOf(readerOf: () => IndexReader, { id, hash, pieced }: Document): readonly TextPiece[] {
  if (pieced === 0) return [onlyPiece(hash)];
  const reader = readerOf();
  return reader.snapshot(() => documentText(reader, id)?.pieces ?? []);
}

function documentsOf(reader: IndexReader, target: GrepTarget): Document[] {
  const rows =
    target.materialIds === null
      ? reader.statement(ALL).all()
      : reader.statement(SOME).all(JSON.stringify(target.materialIds));
  return rows as Document[];
}
