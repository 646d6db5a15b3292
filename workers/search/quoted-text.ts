import type { SearchTasks } from "./contract.ts";
import { documentText } from "./document-text.ts";
import type { IndexReader } from "./index-reader.ts";
import type { TextCache } from "./text-cache.ts";
import { createTurns } from "./turns.ts";

type Quoted = SearchTasks["index.quoted"];

/** How often a look through a document begins anew because it was replaced on the way. */
const ATTEMPTS = 3;

/** Characters between two looks at the clock: a tenth of a millisecond. */
const STEP_CHARS = 64 * 1024;

/**
 * Where a text stands in a document, word for word; null when the index does not have the document. Time is linear in the
 * document, whatever is quoted (Knuth, Morris and Pratt): the search of the language itself is not. `readerOf` is asked
 * anew after each pause: another task may have closed the connection. Throws the signal's reason.
 */
export async function quotedIn(
  readerOf: () => IndexReader,
  texts: TextCache,
  input: Quoted["input"],
  signal: AbortSignal,
): Promise<Quoted["output"]> {
  const turns = createTurns(signal);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const document = readerOf().snapshot(() => documentText(readerOf(), input.materialId));
    if (!document) return null;
    const look = createLook(input);
    let whole = true;
    for (const piece of document.pieces) {
      const text = texts.get(readerOf, piece.contentHash);
      if (text === null) {
        whole = false;
        break;
      }
      for (let from = 0; from < text.length; from += STEP_CHARS) {
        look.read(text, from, Math.min(from + STEP_CHARS, text.length));
        await turns.pause();
      }
    }
    if (whole) return { ...look.found(), contentHash: document.contentHash };
  }
  return null;
}

function createLook({ text: quoted, charStart, charEnd }: Quoted["input"]) {
  const borders = bordersOf(quoted);
  /** Characters of the quotation that the text read so far ends with. */
  let held = 0;
  let position = 0;
  let nearest: number | null = null;
  let distance = Infinity;
  let places = 0;

  function note(start: number): void {
    places++;
    const away = Math.max(charStart - start, start + quoted.length - charEnd, 0);
    if (away >= distance) return;
    nearest = start;
    distance = away;
  }

  return {
    read(text: string, from: number, to: number): void {
      for (let at = from; at < to; at++, position++) {
        const code = text.charCodeAt(at);
        while (held > 0 && quoted.charCodeAt(held) !== code) held = borders[held - 1]!;
        if (quoted.charCodeAt(held) === code) held++;
        if (held < quoted.length) continue;
        note(position + 1 - quoted.length);
        held = borders[held - 1]!;
      }
    },
    found: () => ({ nearest, places, totalChars: position }),
  };
}

/** By length of a beginning of the text, less one: the longest shorter beginning that this one ends with. */
function bordersOf(text: string): Int32Array {
  const borders = new Int32Array(text.length);
  let held = 0;
  for (let at = 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    while (held > 0 && text.charCodeAt(held) !== code) held = borders[held - 1]!;
    if (text.charCodeAt(held) === code) held++;
    borders[at] = held;
  }
  return borders;
}
