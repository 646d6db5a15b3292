import type { GrepDocument, GrepPlace, PlaceInside, SearchTasks } from "./contract.ts";
import type { DocumentList, ListedDocument } from "./document-list.ts";
import { documentLines } from "./document-lines.ts";
import { documentText, onlyPiece, type TextPiece } from "./document-text.ts";
import { linesJson, matchesJson } from "./found-json.ts";
import {
  findLines,
  findMatches,
  type Allowance,
  type DocumentFound,
  type DocumentLook,
} from "./grep-document.ts";
import type { IndexReader } from "./index-reader.ts";
import type { LinePattern } from "./line-pattern.ts";
import type { PatternCache } from "./pattern-cache.ts";
import type { TextCache } from "./text-cache.ts";
import { createTurns, finish, type Interruptible, type Turns } from "./turns.ts";

type Input = SearchTasks["index.grep"]["input"];
type Output = SearchTasks["index.grep"]["output"];

/** A batch ends with the document that is looked through after so long: what was found is told soon. */
const BATCH_MS = 50;
/** Documents that a batch tells of at most: their names are looked up and sent as one. */
const MAX_DOCUMENTS = 1000;

export interface GrepDeps {
  /** Asked for again after each pause: another task may have closed the base's connection meanwhile. */
  open(): { readonly reader: IndexReader; readonly list: DocumentList };
  readonly texts: TextCache;
  readonly patterns: PatternCache;
  readonly signal: AbortSignal;
}

/** Looks through the documents of a base in the order of their paths, from a place on. Throws PATTERN_INVALID. */
export function grep(input: Input, deps: GrepDeps): Promise<Output> {
  const turns = createTurns(deps.signal);
  return deps.patterns.use(input.options, (pattern) => finish(lookOn(input, pattern, deps, turns), turns));
}

function* lookOn(input: Input, pattern: LinePattern, deps: GrepDeps, turns: Turns): Interruptible<Output> {
  const until = performance.now() + BATCH_MS;
  const { options, from } = input;
  const allowance = createAllowance(input);
  let json = "";
  const found: GrepDocument[] = [];
  let looked = 0;
  const batch = (next: GrepPlace | null) => ({ documents: found, json, looked, next });
  const documents = chosen(deps.open().list.all(), input.materialIds);
  const start = placeIn(documents, from);
  for (let index = start; index < documents.length; index++) {
    const document = documents[index]!;
    const place = { materialId: document.id, path: document.path, index };
    // The first is looked through however late it is: else a look could stand still.
    if (index > start && (allowance.isUsedUp() || found.length >= MAX_DOCUMENTS || performance.now() > until))
      return batch({ ...place, inside: null });
    const inside = insideOf(from, document);
    if (inside === "skip") continue;
    const pieces = piecesOf(deps, document);
    const lines = documentLines(pieces, () => deps.open().reader, deps.texts);
    const look = { lines, pattern, options, allowance, turns, from: inside, contentHash: document.hash };
    const seen = yield* asJson(look);
    if (seen.complete && seen.next === null && pieces.length > 0) looked++;
    // Without matches it counts as one.
    if (seen.size === 0 && seen.lines > 0) allowance.take(0);
    if (seen.size > 0 || seen.lines > 0) {
      json += seen.told;
      found.push({ materialId: document.id, matches: seen.size, bytes: seen.told.length, lines: seen.lines });
    }
    if (seen.next !== null) return batch({ ...place, inside: seen.next });
  }
  return batch(null);
}

/** Empty where nothing is told. */
function* asJson(look: DocumentLook): Interruptible<DocumentFound<string>> {
  if (look.options.lean) {
    const seen = yield* findLines(look);
    return { ...seen, told: seen.size > 0 ? linesJson(seen.told) : "" };
  }
  const seen = yield* findMatches(look);
  return { ...seen, told: seen.size > 0 ? matchesJson(seen.told) : "" };
}

function createAllowance({ most }: Input): Allowance {
  let matches = 0;
  let chars = 0;
  return {
    isUsedUp: () => matches >= most.matches || chars >= most.chars,
    take(taken) {
      matches++;
      chars += taken;
    },
    takeAround(taken) {
      chars += taken;
    },
  };
}

/** Where in the list a look goes on: where the document stands now, or where it would. */
function placeIn(documents: readonly ListedDocument[], from: GrepPlace | null): number {
  if (from === null) return 0;
  if (documents[from.index]?.id === from.materialId) return from.index;
  const at = documents.findIndex(({ id }) => id === from.materialId);
  if (at >= 0) return at;
  const behind = documents.findIndex(({ path }) => path > from.path);
  return behind < 0 ? documents.length : behind;
}

/** A document that was replaced while it was looked through has been told in part, and is not begun anew. */
function insideOf(from: GrepPlace | null, document: ListedDocument): PlaceInside | null | "skip" {
  if (from === null || from.materialId !== document.id || from.inside === null) return null;
  return from.inside.contentHash === document.hash ? from.inside : "skip";
}

function chosen(
  documents: readonly ListedDocument[],
  materialIds: readonly string[] | null,
): readonly ListedDocument[] {
  if (materialIds === null) return documents;
  const wanted = new Set(materialIds);
  return documents.filter(({ id }) => wanted.has(id));
}

function piecesOf(deps: GrepDeps, { id, hash, pieced }: ListedDocument): readonly TextPiece[] {
  if (pieced === 0) return [onlyPiece(hash)];
  const { reader } = deps.open();
  return reader.snapshot(() => documentText(reader, id)?.pieces ?? []);
}
