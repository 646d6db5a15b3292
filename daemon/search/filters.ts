import { createSlicer } from "../runtime/yielding.ts";
import type { ItemFilter, ItemPlace } from "../storage/catalog/item-filter.ts";
import { compileGlob } from "./glob.ts";
import type { SearchDeps } from "./search-deps.ts";

/** Any of these. */
export interface TypeGroup {
  readonly formats: readonly string[];
  readonly extensions: readonly string[];
}

/** What documents must be. All parts must hold. */
export interface DocumentFilter {
  readonly items: Omit<ItemFilter, "formats" | "notFormats">;
  readonly types: readonly TypeGroup[];
  readonly notTypes: TypeGroup;
  /** Over the concept id or the absolute path. */
  readonly globs: readonly string[];
  readonly notGlobs: readonly string[];
  /** Somewhere in the path, whatever case: of the concept id, of the absolute path where it begins as one. */
  readonly words: readonly string[];
  readonly notWords: readonly string[];
}

type Place = Pick<ItemPlace, "conceptId" | "path" | "format">;
type Test = (place: Place) => boolean;

/** Finds the documents of a base that pass a filter; the last answers are kept while the catalogue stays as it is. */
export interface Documents {
  /** Null when nothing narrows. Other work gets its turn in between. */
  matching(baseId: string, filter: DocumentFilter | null, signal: AbortSignal): Promise<string[] | null>;
}

export type DocumentsDeps = Pick<SearchDeps["catalog"], "items" | "changes">;

const SLICE_MS = 10;
/** Items read at once between two looks at the clock: a quarter of a millisecond. */
const PAGE_ITEMS = 100;
/** Ids in kept answers together, at about 60 bytes each; an answer takes as much as some of them, however few it has. */
const MAX_KEPT = 200_000;
const ANSWER_ITSELF = 50;

export function createDocuments({ items, changes }: DocumentsDeps): Documents {
  // A Map keeps the order of insertion: the first was asked for the longest ago.
  const kept = new Map<string, { readonly seq: number; readonly ids: string[] }>();

  function keep(key: string, seq: number, ids: string[]): void {
    kept.delete(key);
    kept.set(key, { seq, ids });
    const sizeOf = (answer: { ids: string[] }): number => ANSWER_ITSELF + answer.ids.length;
    let total = [...kept.values()].reduce((sum, answer) => sum + sizeOf(answer), 0);
    for (const [oldest, answer] of kept) {
      if (total <= MAX_KEPT) return;
      kept.delete(oldest);
      total -= sizeOf(answer);
    }
  }

  return {
    async matching(baseId, filter, signal) {
      if (!filter) return null;
      const key = JSON.stringify([baseId, filter]);
      const seq = changes.lastSeq();
      const known = kept.get(key);
      const ids = known?.seq === seq ? known.ids : await find(items, baseId, filter, signal);
      if (ids !== null) keep(key, seq, ids);
      return ids;
    },
  };
}

async function find(
  items: DocumentsDeps["items"],
  baseId: string,
  filter: DocumentFilter,
  signal: AbortSignal,
): Promise<string[] | null> {
  const { types, notTypes } = filter;
  // Formats are in the catalogue's index; what is told by a name is looked at document by document.
  const byFormat = types.filter(({ extensions }) => extensions.length === 0).map(({ formats }) => formats);
  const [first, ...more] = byFormat;
  const filtered = {
    ...filter.items,
    formats: first?.filter((format) => more.every((formats) => formats.includes(format))),
    notFormats: notTypes.formats.length > 0 ? notTypes.formats : undefined,
  };
  const matching = await items.matching(baseId, filtered, signal);
  const tests = testsOf(filter);
  if (tests.length === 0) return matching;
  return passing(items, matching ?? (await visibleOf(items, baseId, signal)), tests, signal);
}

function testsOf({ types, notTypes, globs, notGlobs, words, notWords }: DocumentFilter): Test[] {
  return [
    ...types.filter(({ extensions }) => extensions.length > 0).map(isOf),
    ...(notTypes.extensions.length > 0 ? [not(isOf({ formats: [], extensions: notTypes.extensions }))] : []),
    ...globs.map(fits),
    ...notGlobs.map((glob) => not(fits(glob))),
    ...words.map(standsIn),
    ...notWords.map((word) => not(standsIn(word))),
  ];
}

function not(test: Test): Test {
  return (place) => !test(place);
}

function isOf({ formats, extensions }: TypeGroup): Test {
  const endings = extensions.map((extension) => `.${extension}`);
  return ({ conceptId, path, format }) => {
    if (format !== null && formats.includes(format)) return true;
    const name = (path ?? conceptId).toLowerCase();
    return endings.some((ending) => name.endsWith(ending));
  };
}

function fits(glob: string): Test {
  const isFit = compileGlob(glob);
  return ({ conceptId, path }) => isFit(conceptId) || (path !== null && isFit(path));
}

function standsIn(word: string): Test {
  const wanted = folded(word);
  const isAbsolute = /^(?:\/|[a-z]:[\\/])/.test(wanted);
  return ({ conceptId, path }) => folded(isAbsolute ? (path ?? "") : conceptId).includes(wanted);
}

function folded(path: string): string {
  return path.normalize("NFC").toLowerCase();
}

/** All of a base that the catalogue shows. */
export async function visibleOf(
  items: DocumentsDeps["items"],
  baseId: string,
  signal: AbortSignal,
): Promise<string[]> {
  return (await items.matching(baseId, { after: 0 }, signal)) ?? [];
}

/** Of these items those that pass all tests. Other work gets its turn in between. */
export async function passing(
  items: DocumentsDeps["items"],
  among: readonly string[],
  tests: readonly Test[],
  signal: AbortSignal,
): Promise<string[]> {
  const slicer = createSlicer(SLICE_MS);
  const found: string[] = [];
  for (let at = 0; at < among.length; at += PAGE_ITEMS) {
    for (const place of items.places(among.slice(at, at + PAGE_ITEMS))) {
      if (tests.every((test) => test(place))) found.push(place.id);
      await slicer.pause();
    }
    signal.throwIfAborted();
  }
  return found;
}
