import type { MethodSpec } from "../../rpc/contract/define.ts";
import { mayCall, outOfScope, type Scope } from "../runtime/scope.ts";
import type { Catalog } from "../storage/catalog/contract.ts";

interface GateDeps {
  readonly catalog: {
    readonly items: Pick<Catalog["items"], "get" | "many">;
    readonly sources: Pick<Catalog["sources"], "get">;
    readonly jobs: Pick<Catalog["jobs"], "get">;
  };
}

/** A method's params as they are answered within a scope. Throws OUT_OF_SCOPE. */
export type ScopeGate = (
  spec: Pick<MethodSpec, "access" | "scope">,
  params: unknown,
  scope: Scope,
) => unknown;

/** The params whose values say what a call is about. A test holds the method table to these. */
interface Named {
  readonly baseId?: string;
  readonly baseIds?: readonly string[];
  readonly itemId?: string;
  readonly itemIds?: readonly string[];
  readonly sourceId?: string;
  readonly jobId?: number;
}

/**
 * The one place that every call passes before its method. What is not in the scope is answered in one way, whether it is there
 * or not.
 */
export function createScopeGate({ catalog }: GateDeps): ScopeGate {
  return (spec, params, scope) => {
    if (scope.isOwner) return params;
    if (!mayCall(spec, scope)) throw outOfScope({ access: spec.access });
    if (scope.kind !== "restricted" || spec.scope === "open") return params;
    const named = params as Named;
    const bases = basesNamed(catalog, named, spec.scope === "own");
    if (bases.some((baseId) => baseId === undefined || !scope.has(baseId))) throw outOfScope(idsOf(named));
    if (spec.scope === "named" && bases.length === 0) throw outOfScope();
    if (spec.scope === "bases" && named.baseIds === undefined) return { ...named, baseIds: scope.baseIds };
    return params;
  };
}

/** The base of each thing that is named; undefined for what is not there. `own`: the method looks at items itself. */
function basesNamed(
  { items, sources, jobs }: GateDeps["catalog"],
  { baseId, baseIds = [], itemId, itemIds = [], sourceId, jobId }: Named,
  own: boolean,
): (string | undefined)[] {
  const wanted = own ? [] : [...itemIds, ...(itemId === undefined ? [] : [itemId])];
  const found = items.many(wanted);
  return [
    ...(baseId === undefined ? [] : [baseId]),
    ...baseIds,
    ...wanted.map((id) => found.get(id)?.baseId),
    ...(sourceId === undefined ? [] : [sources.get(sourceId)?.baseId]),
    ...(jobId === undefined ? [] : [jobs.get(jobId)?.baseId]),
  ];
}

function idsOf({ baseId, baseIds, itemId, sourceId, jobId }: Named): Readonly<Record<string, unknown>> {
  const given = { baseId, baseIds, itemId, sourceId, jobId };
  return Object.fromEntries(Object.entries(given).filter(([, id]) => id !== undefined));
}
