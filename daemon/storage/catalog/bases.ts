import type { Base, BaseCounts } from "../../../rpc/contract/bases.ts";
import { KnowdError } from "../../runtime/errors.ts";
import { checkBase, normalBase } from "./base-fields.ts";
import { BASE_COLUMNS, INSERT_BASE, toBase, toBaseRow, UPDATE_BASE, type BaseRow } from "./base-row.ts";
import type { BaseInput, BasePatch, BaseStore } from "./contract.ts";
import { definedOnly, type CatalogCore } from "./core.ts";
import { ageCursor, ageKeyOf, basesOf, pageOf, rowsToAsk } from "./cursor.ts";
import { chunkFingerprint } from "./fingerprint.ts";

const LIST = "bases";

export function openBaseStore(core: CatalogCore): BaseStore {
  const get = (id: string): Base | undefined => {
    const row = core.sql(`SELECT ${BASE_COLUMNS} FROM base WHERE id = ?`).get(id) as BaseRow | undefined;
    return row && toBase(row);
  };
  const require = (id: string): Base => {
    const found = get(id);
    if (!found) throw new KnowdError("BASE_NOT_FOUND", { baseId: id });
    return found;
  };
  return {
    get,
    require,
    create: (input) => core.transaction(() => createBase(core, input)),
    update: (id, patch) => core.transaction(() => updateBase(core, require(id), patch)),
    remove: (id) => core.transaction(() => removeBase(core, require(id))),
    all: () =>
      (core.sql(`SELECT ${BASE_COLUMNS} FROM base ORDER BY created_at DESC, id`).all() as BaseRow[]).map(
        toBase,
      ),
    list(page) {
      const { createdAt, id } = ageKeyOf(LIST, page);
      const rows = core
        .sql(
          `SELECT ${BASE_COLUMNS} FROM base
           WHERE created_at <= :createdAt AND (created_at < :createdAt OR id > :id)
             AND (:baseIds IS NULL OR id IN (SELECT value FROM json_each(:baseIds)))
           ORDER BY created_at DESC, id LIMIT :limit`,
        )
        .all({ createdAt, id, baseIds: basesOf(page), limit: rowsToAsk(page) }) as BaseRow[];
      return pageOf(rows, page, toBase, (last) => ageCursor(LIST, last));
    },
    counts: (id) => countsOf(core, id),
  };
}

function createBase(core: CatalogCore, input: BaseInput): Base {
  const fields = normalBase({ ...input, status: "completed", error: null });
  checkBase(fields);
  refuseTakenName(core, fields.name, fields.id);
  const now = core.now();
  const base: Base = { ...fields, createdAt: now, updatedAt: now };
  core.sql(INSERT_BASE).run({ ...toBaseRow(base), fingerprint: chunkFingerprint(base) });
  announce(core, base, "created");
  return base;
}

function updateBase(core: CatalogCore, before: Base, patch: BasePatch): Base {
  const fields: Base = { ...before, ...definedOnly(patch) };
  const checked = normalBase(fields);
  checkBase(checked);
  if (checked.name !== before.name) refuseTakenName(core, checked.name, before.id);
  refuseModelChange(core, before, checked);
  const base: Base = { ...checked, createdAt: before.createdAt, updatedAt: core.now() };
  core.sql(UPDATE_BASE).run({ ...toBaseRow(base), fingerprint: chunkFingerprint(base) });
  announce(core, base, "updated");
  return base;
}

function removeBase(core: CatalogCore, base: Base): void {
  core.sql("DELETE FROM base WHERE id = ?").run(base.id);
  announce(core, base, "deleted");
}

function announce(core: CatalogCore, base: Base, action: "created" | "updated" | "deleted"): void {
  core.changes.append({ entity: "base", action, id: base.id, baseId: base.id, status: base.status });
}

function refuseTakenName(core: CatalogCore, name: string, id: string): void {
  const taken = core.sql("SELECT id FROM base WHERE name = ? AND id <> ?").pluck().get(name, id);
  if (taken !== undefined) throw new KnowdError("BASE_NAME_TAKEN", { name, baseId: taken });
}

/** K3.2: vectors of two models are never mixed, so a model is only put where there is none, or no item. */
function refuseModelChange(
  core: CatalogCore,
  before: Base,
  after: Pick<Base, "embeddingModelId" | "dimensions">,
): void {
  const same = before.embeddingModelId === after.embeddingModelId && before.dimensions === after.dimensions;
  if (same || before.embeddingModelId === null) return;
  const holdsItem = core
    .sql("SELECT EXISTS (SELECT 1 FROM item WHERE base_id = ? AND status <> 'deleting')")
    .pluck()
    .get(before.id);
  if (holdsItem === 1) throw new KnowdError("BASE_NOT_EMPTY", { baseId: before.id });
}

/** From the few rows that the triggers keep; a completed item under other chunk settings than the base's is stale. */
function countsOf(core: CatalogCore, id: string): BaseCounts {
  return core
    .sql(
      `SELECT ifnull(sum(t.items), 0) AS items,
         ifnull(sum(t.items) FILTER (WHERE t.phase = 'completed'), 0) AS completed,
         ifnull(sum(t.items) FILTER (WHERE t.phase = 'failed'), 0) - s.skipped AS failed, s.skipped, w.warned,
         ifnull(sum(t.items) FILTER (WHERE t.phase = 'active'), 0) AS active,
         ifnull(sum(t.items) FILTER (WHERE t.phase = 'completed' AND t.fingerprint <> b.fingerprint), 0) AS stale,
         ifnull(sum(t.chunks) FILTER (WHERE t.phase = 'completed'), 0) AS chunks
       FROM base b LEFT JOIN tally t ON t.base_id = b.id, (SELECT count(*) AS skipped FROM item INDEXED BY item_skipped
         WHERE base_id = :id AND status = 'failed' AND failure = 'unsupported') AS s,
         (SELECT count(*) AS warned FROM item INDEXED BY item_warned
          WHERE base_id = :id AND status = 'completed' AND warnings <> '[]') AS w
       WHERE b.id = :id`,
    )
    .get({ id }) as BaseCounts;
}
