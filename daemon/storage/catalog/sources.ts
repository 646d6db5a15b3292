import type { Source, SourceState } from "../../../rpc/contract/sources.ts";
import { KnowdError } from "../../runtime/errors.ts";
import type { SourceStore } from "./contract.ts";
import { definedOnly, type CatalogCore } from "./core.ts";
import { ageCursor, ageKeyOf, basesOf, pageOf, rowsToAsk } from "./cursor.ts";
import {
  INSERT_SOURCE,
  SOURCE_COLUMNS,
  toSource,
  toSourceRow,
  UPDATE_SOURCE,
  type SourceRow,
} from "./source-row.ts";

const LIST = "sources";

type NewSource = Parameters<SourceStore["create"]>[0];

export function openSourceStore(core: CatalogCore): SourceStore {
  const get = (id: string): Source | undefined => {
    const row = core.sql(`SELECT ${SOURCE_COLUMNS} FROM source WHERE id = ?`).get(id) as
      | SourceRow
      | undefined;
    return row && toSource(row);
  };
  const require = (id: string): Source => {
    const found = get(id);
    if (!found) throw new KnowdError("SOURCE_NOT_FOUND", { sourceId: id });
    return found;
  };
  return {
    get,
    require,
    create: (input) => core.transaction(() => createSource(core, input)),
    update: (id, patch) =>
      core.transaction(() => storeSource(core, { ...require(id), ...definedOnly(patch) })),
    setState: (id, state, reason) => core.transaction(() => setState(core, require(id), state, reason)),
    all: () =>
      (
        core.sql(`SELECT ${SOURCE_COLUMNS} FROM source ORDER BY created_at DESC, id`).all() as SourceRow[]
      ).map(toSource),
    list(query) {
      const { createdAt, id } = ageKeyOf(LIST, query);
      const rows = core
        .sql(
          `SELECT ${SOURCE_COLUMNS} FROM source
           WHERE created_at <= :createdAt AND (created_at < :createdAt OR id > :id)
             AND (:baseIds IS NULL OR base_id IN (SELECT value FROM json_each(:baseIds)))
           ORDER BY created_at DESC, id LIMIT :limit`,
        )
        .all({ createdAt, id, baseIds: basesOf(query), limit: rowsToAsk(query) }) as SourceRow[];
      return pageOf(rows, query, toSource, (last) => ageCursor(LIST, last));
    },
    rootIdentity(id) {
      const row = core.sql("SELECT root_dev AS dev, root_ino AS ino FROM source WHERE id = ?").get(id);
      const { dev, ino } = (row ?? {}) as { dev?: string | null; ino?: string | null };
      return dev != null && ino != null ? { dev, ino } : null;
    },
    setRootIdentity: (id, { dev, ino }) =>
      core.transaction(() => {
        core
          .sql(
            "UPDATE source SET root_dev = ?, root_ino = ? WHERE id = ? AND (root_dev IS NOT ? OR root_ino IS NOT ?)",
          )
          .run(dev, ino, id, dev, ino);
      }),
    remove: (id) => core.transaction(() => removeSource(core, id)),
  };
}

function createSource(core: CatalogCore, input: NewSource): Source {
  const twin = core
    .sql("SELECT id FROM source WHERE base_id = ? AND path = ?")
    .pluck()
    .get(input.baseId, input.path);
  if (twin !== undefined) throw new KnowdError("SOURCE_EXISTS", { sourceId: twin, path: input.path });
  const now = core.now();
  const source: Source = {
    ...input,
    id: input.id ?? core.newId(),
    state: "scanning",
    stateReason: null,
    files: 0,
    lastScanAt: null,
    createdAt: now,
    updatedAt: now,
  };
  core.sql(INSERT_SOURCE).run(toSourceRow(source));
  announce(core, source, "created");
  return source;
}

function storeSource(core: CatalogCore, changed: Source): Source {
  const source: Source = { ...changed, updatedAt: core.now() };
  core.sql(UPDATE_SOURCE).run(toSourceRow(source));
  announce(core, source, "updated");
  return source;
}

/** Said again and again by the watcher; only what is new is written and announced. */
function setState(core: CatalogCore, source: Source, state: SourceState, reason: string | null): void {
  if (source.state === state && source.stateReason === reason) return;
  storeSource(core, { ...source, state, stateReason: reason });
}

function removeSource(core: CatalogCore, id: string): void {
  const row = core.sql(`SELECT ${SOURCE_COLUMNS} FROM source WHERE id = ?`).get(id) as SourceRow | undefined;
  if (!row) return;
  core.sql("DELETE FROM source WHERE id = ?").run(id);
  announce(core, toSource(row), "deleted");
}

function announce(core: CatalogCore, source: Source, action: "created" | "updated" | "deleted"): void {
  core.changes.append({
    entity: "source",
    action,
    id: source.id,
    baseId: source.baseId,
    status: source.state,
  });
}
