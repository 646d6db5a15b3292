import { type CaptureDeps, captureUrl, urlConflicts } from "../ingest/import-urls.ts";
import type { SnapshotRefresher } from "../ingest/refresh-snapshots.ts";
import { KnowdError } from "../runtime/errors.ts";
import type { Services } from "./call.ts";

export interface SnapshotServiceDeps {
  readonly capture: CaptureDeps;
  readonly refresher: SnapshotRefresher;
}

export function createSnapshotService({
  capture,
  refresher,
}: SnapshotServiceDeps): Services<"snapshot.capture" | "snapshot.refresh"> {
  const { catalog, captures } = capture;
  return {
    "snapshot.capture": async ({ baseId, url, title, onConflict, ...params }, call) => {
      const { signal, progress, scope } = call;
      catalog.bases.require(baseId);
      // Whoever was granted a base was not granted the network around it.
      if (params.allowPrivate === true && !scope.isOwner)
        throw new KnowdError("OUT_OF_SCOPE", { field: "allowPrivate" });
      const [conflict] = onConflict === "detect" ? urlConflicts(capture, baseId, [url]) : [];
      if (conflict) throw new KnowdError("ITEM_CONFLICT", { url: conflict.path, itemId: conflict.itemId });
      progress(0, 1, `fetching ${url.trim()}`);
      const asked = {
        url,
        title: title ?? null,
        allowPrivate: captures.allowsPrivate(params.allowPrivate),
        refreshEveryMs: params.refreshEveryMs,
      };
      const strategy = onConflict === "replace" ? "replace" : "rename";
      const { item, warnings } = await captureUrl(capture, baseId, asked, strategy, signal);
      progress(1, 1, `captured ${item.conceptId}`);
      return { item: catalog.items.get(item.id) ?? item, warnings: [...warnings] };
    },
    "snapshot.refresh": async ({ itemIds, refreshEveryMs }, { signal, progress, scope }) => {
      const known = catalog.items.many([...new Set(itemIds)]);
      const mine = itemIds.filter((id) => scope.has(known.get(id)?.baseId ?? ""));
      const done = await refresher.refresh({ itemIds: mine, refreshEveryMs }, signal, progress);
      const foreign = new Set(itemIds.filter((id) => !mine.includes(id)));
      return { ...done, notFound: [...done.notFound, ...foreign] };
    },
  };
}
