import type { GrepDocument, GrepMatch } from "../../rpc/contract/grep.ts";
import type { Params } from "../../rpc/contract/index.ts";
import type { LineMatch } from "../../workers/search/contract.ts";
import type { FoundDocument, FoundDocuments, Room } from "./found-documents.ts";
import { readUtf8Json } from "../runtime/utf8-json.ts";

/** Of text in an answer: JSON may take six bytes for one, and four megabytes are answered to anyone. */
const MAX_CHARS = 2_000_000;

interface KeptOptions extends Pick<Params<"kb.grep">, "output"> {
  readonly room: Room;
}

/** Keeps what is found until the end. */
export function createKeptDocuments({ output, room }: KeptOptions): FoundDocuments {
  const matches: GrepMatch[] = [];
  const files: GrepDocument[] = [];
  let chars = 0;

  function addMatches({ document, json }: FoundDocument): void {
    for (const match of readUtf8Json(json) as LineMatch[]) {
      if (chars > MAX_CHARS) room.close();
      if (room.take(1) === 0) return;
      chars += charsOf(match);
      matches.push({ ...match, ...document.place });
    }
  }

  return {
    add(found) {
      if (room.isFull()) return;
      if (output === "matches") {
        if (found.matches > 0) addMatches(found);
      } else if (room.take(1) === 1) files.push({ ...found.document.place, lines: found.lines });
    },
    endBatch: () => Promise.resolve(),
    told: () => (output === "matches" ? { matches } : { files }),
  };
}

function charsOf({ lineText, match, linesBefore = [], linesAfter = [] }: LineMatch): number {
  const around = [...linesBefore, ...linesAfter].reduce((sum, line) => sum + line.length, 0);
  return lineText.length + match.length + around;
}
