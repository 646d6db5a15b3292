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
  /** The documents of the part at hand: put together as a rope, which is copied once, when it is sent. */
  let documents = "";

  function add({ document, json, lines, matches }: FoundDocument): void {
    const fit = room.take(output === "matches" ? matches : 1);
    if (fit === 0) return;
    const opened = `${document.opened},"lines":${lines}`;
    if (documents !== "") documents += ",";
    if (output !== "matches") documents += `${opened},"matches":[]}`;
    else {
      const told = fit < matches ? firstOf(json, fit, lean) : json;
      documents += `${opened},${lean ? '"matches":[],"lean"' : '"matches"'}:${told}}`;
    }
  }

  return {
    add,
    async endBatch(looked) {
      if (documents === "") return;
      const utf8 = `{"documents":[${documents}]}`;
      documents = "";
      await sendPart({ utf8 }, looked);
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
