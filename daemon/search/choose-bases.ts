import type { Base } from "../../rpc/contract/bases.ts";
import { KnowdError } from "../runtime/errors.ts";
import type { SearchDeps } from "./search-deps.ts";

export interface ChosenBases {
  readonly bases: readonly Base[];
  /** What a person should know about the answer: bases left out, sources that can't be read. */
  readonly warnings: readonly string[];
}

/**
 * The bases to look in: those that are named, else all. A failed one is left out with a warning. Throws BASE_NOT_FOUND for
 * an unknown one, BASE_FAILED when nothing but failed ones is left.
 */
export function chooseBases(
  deps: Pick<SearchDeps, "catalog" | "registry">,
  baseIds: readonly string[] | undefined,
): ChosenBases {
  const { catalog, registry } = deps;
  const wanted = baseIds ? [...new Set(baseIds)].map((id) => catalog.bases.require(id)) : catalog.bases.all();
  const bases = wanted.filter((base) => base.status === "completed");
  const [failed] = wanted.filter((base) => base.status === "failed");
  if (failed && bases.length === 0) {
    throw new KnowdError("BASE_FAILED", { baseId: failed.id, reason: failed.error });
  }
  const warnings = wanted.flatMap((base) => {
    if (base.status === "failed") return [`the base "${base.name}" can't be searched: ${base.error}`];
    const rebuilding = registry.state(base.id) === "rebuilding";
    return rebuilding
      ? [`the base "${base.name}" is being rebuilt: what is not in it again yet is missing`]
      : [];
  });
  const ids = new Set(bases.map((base) => base.id));
  for (const source of catalog.sources.all()) {
    if (source.state !== "unavailable" || !ids.has(source.baseId)) continue;
    warnings.push(
      `the source ${source.path} can't be read right now: what is found in it may be out of date`,
    );
  }
  return { bases, warnings };
}
