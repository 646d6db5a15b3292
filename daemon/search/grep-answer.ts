import type { Params, Result } from "../../rpc/contract/index.ts";
import type { GrepBatch } from "../../workers/search/contract.ts";
import type { ItemPlace } from "../storage/catalog/item-filter.ts";
import { createKeptDocuments } from "./kept-documents.ts";
import type { SearchDeps } from "./search-deps.ts";
import { createSentDocuments, type SendPart } from "./sent-documents.ts";
import type { FoundDocument, FoundDocuments, Room } from "./found-documents.ts";

type CatalogItems = Pick<SearchDeps["catalog"]["items"], "visiblePlaces">;

/** What a grep has found so far: kept until the end, or sent ahead of it. */
export interface GrepAnswer {
  /** Takes in what the catalogue shows of a batch (K1.2); resolves when the caller can take more. */
  take(baseId: string, batch: GrepBatch, items: CatalogItems): Promise<void>;
  /** Matches, or documents, that still fit. */
  left(): number;
  /** There is more than fits. */
  isFull(): boolean;
  warn(warning: string): void;
  result(): Result<"kb.grep">;
}

interface GrepAnswerOptions extends Pick<Params<"kb.grep">, "limit" | "output" | "lean"> {
  readonly warnings: readonly string[];
  readonly sendPart: SendPart | null;
}

export function createGrepAnswer({
  limit,
  output,
  lean,
  sendPart,
  ...options
}: GrepAnswerOptions): GrepAnswer {
  const room = createRoom(limit);
  const found: FoundDocuments =
    sendPart === null
      ? createKeptDocuments({ output, room })
      : createSentDocuments({ output, lean, room, sendPart });
  const warnings = [...options.warnings];
  let documents = 0;

  return {
    async take(baseId, batch, items) {
      documents += batch.looked;
      const ids = batch.documents.map(({ materialId }) => materialId);
      const visible = items.visiblePlaces(baseId, ids);
      let at = 0;
      for (const { materialId, bytes, lines, matches } of batch.documents) {
        const json = batch.json.slice(at, (at += bytes));
        const item = visible.get(materialId);
        if (item) found.add(foundAt(baseId, item, { json, lines, matches }));
      }
      await found.endBatch(documents);
    },
    left: () => room.left(),
    isFull: () => room.isFull(),
    warn: (warning) => void warnings.push(warning),
    result: () => ({ matches: [], ...found.told(), documents, truncated: room.isFull(), warnings }),
  };
}

function foundAt(
  baseId: string,
  { id, conceptId, path }: ItemPlace,
  what: Omit<FoundDocument, "place">,
): FoundDocument {
  return { place: { baseId, itemId: id, conceptId, path }, ...what };
}

function createRoom(limit: number): Room {
  let taken = 0;
  let isFull = false;
  return {
    left: () => limit - taken,
    taken: () => taken,
    isFull: () => isFull,
    take(count) {
      const fit = isFull ? 0 : Math.min(count, limit - taken);
      taken += fit;
      if (fit < count) isFull = true;
      return fit;
    },
    close: () => void (isFull = true),
  };
}
