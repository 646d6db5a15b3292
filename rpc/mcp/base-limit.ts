import type { MethodSpec } from "../contract/define.ts";
import { RpcError } from "../client-errors.ts";
import { errorTable } from "../contract/errors.ts";
import { eachBase } from "./base-pages.ts";
import type { Link } from "./link.ts";

type Json = Readonly<Record<string, unknown>>;

/** The bases that a server was limited to, by name or id. */
export interface BaseLimit {
  /** Worked out anew for each call: a base may be renamed, deleted or made meanwhile. Never empty. */
  ids(): Promise<ReadonlySet<string>>;
}

export function limitTo(names: readonly string[], link: Link, log: (line: string) => void): BaseLimit {
  let missed = "";
  return {
    async ids() {
      const found = new Set<string>();
      const known = new Set<string>();
      for await (const { id, name } of eachBase(link)) {
        if (names.includes(id) || names.includes(name)) found.add(id);
        known.add(id).add(name);
      }
      const missing = names.filter((name) => !known.has(name)).join(", ");
      if (missing !== missed && missing !== "") log(`There is no base ${missing}.`);
      missed = missing;
      // An empty list would stand for all of them.
      if (found.size === 0) throw RpcError.ofTable("BASE_NOT_FOUND");
      return found;
    },
  };
}

/** The params of a call within the limit. Throws OUT_OF_SCOPE when they name another base. */
export function limitedParams(
  { params: takes, access }: MethodSpec,
  params: Json,
  ids: ReadonlySet<string>,
): Json {
  const { baseId, baseIds } = params;
  if (baseId !== undefined) demand(ids, baseId);
  if (Array.isArray(baseIds)) for (const id of baseIds) demand(ids, id);
  if (baseIds === undefined && takesParam(takes, "baseIds")) return { ...params, baseIds: [...ids] };
  if (access === "read" || baseId !== undefined) return params;
  // What is written can't be looked at afterwards, so the base is said beforehand.
  const [only, ...others] = ids;
  if (only === undefined || others.length > 0 || !takesParam(takes, "baseId"))
    throw new RpcError(errorTable.OUT_OF_SCOPE.code, "The base must be named: baseId is missing.");
  return { ...params, baseId: only };
}

function takesParam(params: MethodSpec["params"], name: string): boolean {
  return (
    "shape" in params && typeof params.shape === "object" && params.shape !== null && name in params.shape
  );
}

function demand(ids: ReadonlySet<string>, id: unknown): void {
  if (typeof id !== "string" || !ids.has(id)) throw RpcError.ofTable("OUT_OF_SCOPE");
}

/**
 * An answer without the entries of its lists that are of other bases. Throws OUT_OF_SCOPE when all of it is of one: an item
 * may be asked for by its id or path alone.
 */
export function limitedAnswer(answer: Json, ids: ReadonlySet<string>): Json {
  if (answer["baseId"] !== undefined) demand(ids, answer["baseId"]);
  const isWithin = (entry: unknown): boolean => {
    const baseId =
      typeof entry === "object" && entry !== null && "baseId" in entry ? entry.baseId : undefined;
    return baseId === undefined || (typeof baseId === "string" && ids.has(baseId));
  };
  return Object.fromEntries(
    Object.entries(answer).map(([key, value]) => [
      key,
      Array.isArray(value) ? value.filter(isWithin) : value,
    ]),
  );
}
