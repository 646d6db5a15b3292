import { realpath } from "node:fs/promises";
import path from "node:path";
import type { ImportResult } from "./import-files.ts";
import { escapePath, toSystemPath } from "../../workers/path-bytes.ts";
import type { Scope } from "../runtime/scope.ts";
import type { IngestDeps } from "./ingest-deps.ts";

interface Sorted {
  readonly mayAdd: string[];
  readonly refused: ImportResult["failed"];
}

const REASON = "it is not in the scope of this connection";

/**
 * Whoever may write to some bases alone must not copy the documents of others into them: for them, paths in knowd's data
 * folder are refused, and those in or around a folder that is watched for bases out of their scope alone.
 */
export async function withoutForeign(
  { catalog, registry }: Pick<IngestDeps, "catalog" | "registry">,
  paths: readonly string[],
  scope: Scope,
): Promise<Sorted> {
  if (scope.kind === "unrestricted") return { mayAdd: [...paths], refused: [] };
  const own: string[] = [];
  const foreign: string[] = [];
  const [anyBase] = catalog.bases.all();
  if (anyBase) foreign.push(await realOf(path.join(registry.rawPath(anyBase.id), "../../..")));
  for (const source of catalog.sources.all())
    (scope.has(source.baseId) ? own : foreign).push(await realOf(source.path));
  const sorted: Sorted = { mayAdd: [], refused: [] };
  for (const given of paths) {
    const real = await realOf(given);
    const isForeign =
      foreign.some((folder) => isIn(real, folder) || isIn(folder, real)) &&
      !own.some((folder) => isIn(real, folder));
    if (isForeign) sorted.refused.push({ path: given, reason: REASON });
    else sorted.mayAdd.push(given);
  }
  return sorted;
}

/** What can't be followed stays as it is: adding it says what is wrong with it. */
async function realOf(given: string): Promise<string> {
  if (!path.isAbsolute(given)) return given;
  try {
    return escapePath(await realpath(toSystemPath(given), { encoding: "buffer" }));
  } catch {
    return path.resolve(given);
  }
}

function isIn(inner: string, outer: string): boolean {
  return inner === outer || inner.startsWith(outer.endsWith(path.sep) ? outer : `${outer}${path.sep}`);
}
