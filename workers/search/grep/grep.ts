import type { GrepPlace, PlaceInside, SearchTasks } from "../contract.ts";
import type { DocumentList, ListedDocument } from "../document-list.ts";
import { documentLines } from "./document-lines.ts";
import { documentText, onlyPiece, type TextPiece } from "../document-text.ts";
import { linesJson, matchesJson } from "./found-json.ts";
import {
  findLines,
  findMatches,
  type Allowance,
  type DocumentFound,
  type DocumentLook,
} from "./grep-document.ts";
import type { IndexReader } from "../index-reader.ts";
import type { LinePattern } from "./line-pattern.ts";
import type { PatternCache } from "./pattern-cache.ts";
import type { TextCache } from "../text-cache.ts";
import { createTurns, finish, type Interruptible, type Turns } from "../turns.ts";

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
  const batch = new Batch();
  const documents = chosen(deps.open().list.all(), input.materialIds);
  const start = placeIn(documents, from);
  let readTo = start;
  for (let index = start; index < documents.length; index++) {
    const document = documents[index]!;
    const place = { materialId: document.id, path: document.path, index };
    // The first is looked through however late it is: else a look could stand still.
    if (index > start && (allowance.isUsedUp() || batch.isLong() || performance.now() > until))
      return batch.end({ ...place, inside: null });
    if (index === readTo) readTo += readAhead(documents, index, deps);
    const inside = insideOf(from, document);
    if (inside === "skip") continue;
    const pieces = piecesOf(deps, document);
    const lines = documentLines(pieces, () => deps.open().reader, deps.texts);
    const look = { lines, pattern, options, allowance, turns, from: inside, contentHash: document.hash };
    const seen = yield* asJson(look);
    if (seen.complete && seen.next === null && pieces.length > 0) batch.looked++;
    // Without matches it counts as one.
    if (seen.size === 0 && seen.lines > 0) allowance.take(0);
    if (seen.size > 0 || seen.lines > 0) batch.add(document, seen);
    if (seen.next !== null) return batch.end({ ...place, inside: seen.next });
  }
  return batch.end(null);
}

class Batch {
  looked = 0;
  readonly #materialIds: string[] = [];
  readonly #lines: number[] = [];
  readonly #matches: number[] = [];
  readonly #json: string[] = [];

  add({ id }: ListedDocument, { lines, size, told }: DocumentFound<string>): void {
    this.#materialIds.push(id);
    this.#lines.push(lines);
    this.#matches.push(size);
    this.#json.push(told);
  }

  isLong(): boolean {
    return this.#materialIds.length >= MAX_DOCUMENTS;
  }

  end(next: GrepPlace | null): Output {
    const documents = { materialIds: this.#materialIds, lines: this.#lines, matches: this.#matches };
    return { ...documents, json: this.#json, looked: this.looked, next };
  }
}

/** Documents whose texts are read together at most. */
const MAX_AHEAD = 64;

/** Answers how many documents need not be read any more. */
function readAhead(documents: readonly ListedDocument[], index: number, deps: GrepDeps): number {
  const next = documents.slice(index, index + MAX_AHEAD);
  // The pieces of a long document are read one by one, as it is looked through.
  const whole = next.filter(({ pieced }) => pieced === 0);
  const passed = deps.texts.ahead(
    deps.open().reader,
    whole.map(({ hash }) => hash),
  );
  const last = whole[passed - 1];
  return passed === whole.length || last === undefined ? next.length : next.indexOf(last) + 1;
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
