import type { Base } from "../../rpc/contract/bases.ts";
import type { Params, Result } from "../../rpc/contract/index.ts";
import type { PatternMatch } from "../../workers/search/contract.ts";
import { toKnowdError, type KnowdError } from "../runtime/errors.ts";
import { chooseBases } from "./choose-bases.ts";
import { ofPath, visibleOf } from "./filters.ts";
import { askHost, createBudget, type Budget } from "./host-call.ts";
import type { SearchDeps } from "./search-deps.ts";

type GrepParams = Params<"kb.grep">;
type GrepResult = Result<"kb.grep">;

/** Errors that say something about the call and not about one base. */
const OF_THE_CALL: ReadonlySet<string> = new Set([
  "PATTERN_INVALID",
  "DEADLINE",
  "CANCELLED",
  "STOPPING",
  "OVERLOADED",
]);

/** Finds a pattern in the documents of the bases, one base after the other, until `limit` matches are found. */
export async function grepBases(
  deps: SearchDeps,
  params: GrepParams,
  signal: AbortSignal,
): Promise<GrepResult> {
  const { bases, warnings } = chooseBases(deps, params.baseIds);
  const budget = createBudget(params.deadlineMs ?? deps.settings.deadlineMs, signal);
  const result: GrepResult = { matches: [], documents: 0, truncated: false, warnings: [...warnings] };
  const failures: KnowdError[] = [];
  for (const base of bases) {
    try {
      // Of what follows a full answer it is enough to know that there is more.
      const left = params.limit - result.matches.length;
      const found = await grepBase(deps, base, { ...params, limit: Math.max(1, left) }, budget);
      if (left === 0) found.truncated ||= found.matches.length > 0;
      else result.matches.push(...found.matches);
      result.documents += found.documents;
      result.truncated ||= found.truncated;
    } catch (thrown) {
      const error = toKnowdError(thrown);
      if (OF_THE_CALL.has(error.errorName)) throw error;
      failures.push(error);
      result.warnings.push(`the base "${base.name}" could not be looked through: ${error.message}`);
    }
    if (result.truncated) break;
  }
  if (failures[0] && failures.length === bases.length) throw failures[0];
  return result;
}

async function grepBase(deps: SearchDeps, base: Base, params: GrepParams, budget: Budget) {
  const { catalog, registry, host } = deps;
  const { pattern, literal, word, limit } = params;
  const caseSensitive = params.caseSensitive ?? hasCapital(pattern, literal);
  const options = { pattern, literal, word, limit, caseSensitive };
  const look = async (materialIds: readonly string[] | null) => {
    const target = { baseId: base.id, indexPath: registry.indexPath(base.id), materialIds };
    const found = await askHost(host, "index.grep", { targets: [target], options }, budget);
    const matches = shown(catalog, base.id, found.matches);
    return { ...found, matches, hidden: found.matches.length - matches.length };
  };
  if (params.glob !== undefined)
    return look(await ofPath(catalog, params.glob, visibleOf(catalog, base.id), budget.signal));
  const found = await look(null);
  // Documents that are away for a while must not take the places of those that are there.
  return found.truncated && found.hidden > 0 ? look(visibleOf(catalog, base.id)) : found;
}

/** Smart case. Letters of escapes such as \S are no capitals. */
function hasCapital(pattern: string, literal: boolean): boolean {
  return /\p{Lu}/u.test(literal ? pattern : pattern.replace(/\\[pP]\{[^}]*\}|\\[\s\S]/g, ""));
}

function shown({ items }: SearchDeps["catalog"], baseId: string, matches: readonly PatternMatch[]) {
  const visible = items.visible(baseId, [...new Set(matches.map((match) => match.materialId))]);
  return matches.flatMap(({ materialId, ...match }) => {
    const item = visible.get(materialId);
    return item ? [{ ...match, baseId, itemId: item.id, conceptId: item.conceptId, path: item.path }] : [];
  });
}
