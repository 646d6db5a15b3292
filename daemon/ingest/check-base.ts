import type { Result } from "../../rpc/contract/index.ts";
import type { IngestDeps } from "./ingest-deps.ts";
import { findDisagreements } from "./reconcile.ts";

type BaseReport = Result<"base.check">;

/** Reads a base's whole index, and holds it against the catalogue (K1.1: what it lacks or has too much is a problem). */
export async function checkBase(ingest: IngestDeps, baseId: string): Promise<BaseReport> {
  const report = await ingest.registry.check(baseId);
  const { lost, orphans } = await findDisagreements(ingest, baseId);
  const problems = [
    ...report.problems,
    ...problem("item_without_material", lost),
    ...problem("material_without_item", orphans),
  ];
  return { ...report, problems, ok: problems.length === 0 };
}

function problem(kind: string, ids: readonly string[]): BaseReport["problems"] {
  const [example] = ids;
  return example === undefined ? [] : [{ kind, count: ids.length, example }];
}
