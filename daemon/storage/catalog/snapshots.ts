import type { CatalogCore } from "./core.ts";
import type { Snapshot, SnapshotStore } from "./snapshots-contract.ts";

interface Row extends Omit<Snapshot, "allowPrivate" | "warnings" | "validators"> {
  readonly allowPrivate: 0 | 1;
  readonly warnings: string;
  readonly answeredUrl: string;
  readonly etag: string | null;
  readonly lastModified: string | null;
}

const COLUMNS = `item_id AS itemId, form, url, title, allow_private AS allowPrivate, answered_url AS answeredUrl, etag,
  last_modified AS lastModified, hash, warnings, refresh_every_ms AS refreshEveryMs, refresh_at AS refreshAt, failures`;

export function openSnapshotStore(core: CatalogCore): SnapshotStore {
  const get = (itemId: string): Snapshot | undefined => {
    const row = core.sql(`SELECT ${COLUMNS} FROM snapshot WHERE item_id = ?`).get(itemId) as Row | undefined;
    return row && toSnapshot(row);
  };
  const put = (snapshot: Snapshot): void => core.transaction(() => write(core, snapshot));
  return {
    get,
    put,
    copy(fromItemId, toItemId) {
      const snapshot = get(fromItemId);
      if (snapshot) put({ ...snapshot, itemId: toItemId });
    },
    failing: () => core.sql("SELECT count(*) FROM snapshot WHERE failures > 0").pluck().get() as number,
    due: (now, limit) =>
      (
        core
          .sql(`SELECT ${COLUMNS} FROM snapshot WHERE refresh_at <= ? ORDER BY refresh_at LIMIT ?`)
          .all(now, limit) as Row[]
      ).map(toSnapshot),
  };
}

function toSnapshot({ allowPrivate, warnings, answeredUrl, etag, lastModified, ...row }: Row): Snapshot {
  return {
    ...row,
    allowPrivate: allowPrivate === 1,
    warnings: JSON.parse(warnings) as string[],
    validators: { url: answeredUrl, etag, lastModified },
  };
}

function write(core: CatalogCore, { validators, warnings, allowPrivate, ...rest }: Snapshot): void {
  core
    .sql(
      `INSERT OR REPLACE INTO snapshot (item_id, form, url, title, allow_private, answered_url, etag, last_modified, hash,
         warnings, refresh_every_ms, refresh_at, failures)
       VALUES (:itemId, :form, :url, :title, :allowPrivate, :answeredUrl, :etag, :lastModified, :hash, :warnings,
         :refreshEveryMs, :refreshAt, :failures)`,
    )
    .run({
      ...rest,
      allowPrivate: allowPrivate ? 1 : 0,
      answeredUrl: validators.url,
      etag: validators.etag,
      lastModified: validators.lastModified,
      warnings: JSON.stringify(warnings),
    });
}
