import type { Params, Result } from "../../rpc/contract/index.ts";
import type { GrepBatch } from "../../workers/search/contract.ts";
import { createKeptDocuments } from "./kept-documents.ts";
import { createSentDocuments, type SendPart } from "./sent-documents.ts";
import type { ShownDocuments } from "./shown-documents.ts";
import type { FoundDocuments, Room } from "./found-documents.ts";

/** What a grep has found so far: kept until the end, or sent ahead of it. */
export interface GrepAnswer {
  /** Takes in what the catalogue shows of a batch (K1.2); resolves when the caller can take more. */
  take(baseId: string, batch: GrepBatch): Promise<void>;
  /** Matches, or documents, that still fit. */
  left(): number;
  /** There is more than fits. */
  isFull(): boolean;
  warn(warning: string): void;
  result(): Result<"kb.grep">;
}

interface GrepAnswerOptions extends Pick<Params<"kb.grep">, "limit" | "output" | "lean"> {
  readonly shown: ShownDocuments;
  readonly warnings: readonly string[];
  readonly sendPart: SendPart | null;
}

export function createGrepAnswer({
  limit,
  output,
  lean,
  shown,
  sendPart,
  ...options
}: GrepAnswerOptions): GrepAnswer {
  const room = createRoom(limit);
  const found: FoundDocuments =
    sendPart === null
      ? createKeptDocuments({ output, room })
      : createSentDocuments({ output, lean, room, sendPart });
  const warnings = [...options.warnings];
  let looked = 0;

  return {
    async take(baseId, batch) {
      looked += batch.looked;
      for (const [index, document] of shown.of(baseId, batch.materialIds).entries()) {
        const [lines = 0, matches = 0, json = ""] = [
          batch.lines[index],
          batch.matches[index],
          batch.json[index],
        ];
        if (document) found.add({ document, json, lines, matches });
      }
      await found.endBatch(looked);
    },
    left: () => room.left(),
    isFull: () => room.isFull(),
    warn: (warning) => void warnings.push(warning),
    result: () => ({ matches: [], ...found.told(), documents: looked, truncated: room.isFull(), warnings }),
  };
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
