import type { EncodedPart, LeanMatches } from "../../rpc/contract/grep.ts";
import type { Params } from "../../rpc/contract/index.ts";
import type { LineMatch } from "../../workers/search/contract.ts";
import type { FoundDocument, FoundDocuments, Room } from "./found-documents.ts";
import { readUtf8Json, toUtf8 } from "../runtime/utf8-json.ts";

/** Sends a part of the result ahead of it; resolves when more can be taken. */
export type SendPart = (part: EncodedPart, looked: number) => Promise<void>;

interface SentOptions extends Pick<Params<"kb.grep">, "output" | "lean"> {
  readonly room: Room;
  readonly sendPart: SendPart;
}

/** Sends what is found of each batch: matches as the search host encoded them, which are not read on the way. */
export function createSentDocuments({ output, lean, room, sendPart }: SentOptions): FoundDocuments {
  /** Of the part at hand. */
  let pieces: string[] = [];

  function add({ document, json, lines, matches }: FoundDocument): void {
    const fit = room.take(output === "matches" ? matches : 1);
    if (fit === 0) return;
    const opened = `${pieces.length > 0 ? "," : ""}${document.opened},"lines":${lines}`;
    if (output !== "matches") pieces.push(`${opened},"matches":[]}`);
    else {
      const told = fit < matches ? firstOf(json, fit, lean) : json;
      pieces.push(`${opened},${lean ? '"matches":[],"lean"' : '"matches"'}:`, told, "}");
    }
  }

  return {
    add,
    async endBatch(looked) {
      const documents = pieces;
      pieces = [];
      if (documents.length > 0) await sendPart({ utf8: ['{"documents":[', ...documents, "]}"] }, looked);
    },
    told: () => ({ streamed: room.taken() }),
  };
}

function firstOf(json: string, count: number, lean: boolean): string {
  const read = readUtf8Json(json);
  return toUtf8(
    JSON.stringify(lean ? firstLines(read as LeanMatches, count) : (read as LineMatch[]).slice(0, count)),
  );
}

function firstLines({ line, texts }: LeanMatches, count: number): LeanMatches {
  return { line: line.slice(0, count), texts: texts.split("\n", count).join("\n") };
}
