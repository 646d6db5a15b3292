import type { QueryUnit } from "../words/query.ts";
import type { ExplainedUnit, Explanation, LaneQuery } from "./contract.ts";
import type { OpenIndex } from "./readers.ts";
import { depthOf, fuseLanes, rankedUnit } from "./search-index.ts";
import type { Tokenizer } from "./tokenizer.ts";
import { materialOf } from "./units.ts";
import { worthOfUnits } from "./ranking/word-lane.ts";

/** What a search does and leaves no trace of: each lane's list, what was looked for, and what each unit earns by it. */
export function explainIndex(open: OpenIndex, tokenizer: Tokenizer, query: LaneQuery): Explanation {
  return open.reader.snapshot(() => {
    const candidates = depthOf(query);
    const asSearched = { ...query, candidates };
    const { mode, degraded, units, lanes, fused } = fuseLanes(open, tokenizer, asSearched, Infinity);
    const numbers = new Set(fused.map(({ number }) => number));
    const worth = units.length > 0 ? worthOfUnits(open, tokenizer, units, numbers) : [];
    const byWords = new Map(lanes.byWords.map((hit) => [hit.number, hit]));
    const explained = fused.flatMap((entry, at): ExplainedUnit[] => {
      const materialId = materialOf(open.reader, entry.number);
      if (materialId === undefined) return [];
      const hit = byWords.get(entry.number);
      return [
        {
          ...rankedUnit(entry),
          materialId,
          bm25: hit?.score ?? null,
          own: hit?.own ?? null,
          cut: at >= candidates,
          earned: worth.flatMap(({ earned }, term) => {
            const score = earned.get(entry.number);
            return score === undefined ? [] : [[term, score] as const];
          }),
        },
      ];
    });
    const terms = worth.map(({ unit, frequency }) => ({
      text: textOf(unit),
      kind: unit.kind,
      units: frequency,
    }));
    const { weights = null, reading } = lanes;
    return { mode, degraded, weights, meaning: reading?.share ?? 0, terms, units: explained };
  });
}

function textOf({ kind, tokens }: QueryUnit): string {
  return `${tokens.join(" ")}${kind === "prefix" ? "*" : ""}`;
}
