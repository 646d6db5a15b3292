import type { Item } from "../../rpc/contract/items.ts";
import type { IngestDeps } from "./ingest-deps.ts";

/** Why work is parked that a person has to send on, and how its items' errors begin. */
export const INTERRUPTED = "indexing_interrupted";

/** K4.6: whether work of bases with this model waits for a word where it would cost money. */
export function resumesOnlyOnWord({ models }: Pick<IngestDeps, "models">, modelId: string | null): boolean {
  return modelId !== null && models.get(modelId)?.resumes === "ask";
}

/** An item without a revision is failed; where one answers, it goes on answering (K8.5). */
export function sayInterrupted({ catalog }: Pick<IngestDeps, "catalog">, { id, contentHash }: Item): void {
  const reason = `${INTERRUPTED}: embedding it costs money; knowd job retry goes on with it`;
  if (contentHash === null) catalog.items.fail(id, reason);
  else catalog.items.setRefreshError(id, reason);
}
