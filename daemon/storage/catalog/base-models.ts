import { KnowdError } from "../../runtime/errors.ts";
import type { BaseModelStore } from "./base-models-contract.ts";
import type { CatalogCore } from "./core.ts";

/** Which model made the vectors of each base. */
export function openBaseModelStore(core: CatalogCore): BaseModelStore {
  const change = (baseId: string, sql: string, ...values: unknown[]): void =>
    core.transaction(() => {
      if (core.sql(sql).run(...values, baseId).changes === 0)
        throw new KnowdError("BASE_NOT_FOUND", { baseId });
    });
  return {
    fingerprint: (baseId) =>
      (core.sql("SELECT model_fingerprint FROM base WHERE id = ?").pluck().get(baseId) as
        | string
        | null
        | undefined) ?? null,
    remember: (baseId, fingerprint) =>
      change(baseId, "UPDATE base SET model_fingerprint = ?, model_changed = 0 WHERE id = ?", fingerprint),
    changed: (baseId) => core.sql("SELECT model_changed FROM base WHERE id = ?").pluck().get(baseId) === 1,
    setChanged: (baseId, changed) =>
      change(baseId, "UPDATE base SET model_changed = ? WHERE id = ?", changed ? 1 : 0),
    adopt(baseId, { fingerprint, dimensions }) {
      core.transaction(() => {
        change(
          baseId,
          `UPDATE base SET model_fingerprint = ?, model_changed = 0, dimensions = ?
           WHERE embedding_model_id IS NOT NULL AND id = ?`,
          fingerprint,
          dimensions,
        );
        core.changes.append({ entity: "base", action: "updated", id: baseId, baseId, status: null });
      });
    },
  };
}
