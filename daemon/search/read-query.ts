import type { Filters, Understood } from "../../rpc/contract/search.ts";
import { DATES, parseDate } from "../../workers/words/parse-date.ts";
import {
  hasFilters,
  noFilters,
  parseQuery,
  type ParsedQuery,
  type QueryFilters,
} from "../../workers/words/parse-query.ts";
import { hasWords } from "../../workers/words/query.ts";
import { KnowdError } from "../runtime/errors.ts";
import type { QueryParams } from "./ask-base.ts";
import type { DocumentFilter, TypeGroup } from "./filters.ts";
import { hasGlobSyntax } from "./glob.ts";
import { bareType, knownTypesFor, type KnownTypes } from "./known-types.ts";

/** A query as it was understood. */
export interface AskedQuery extends Pick<ParsedQuery, "text" | "phrases" | "excluded"> {
  /** What the query itself says of documents. */
  readonly filters: Readonly<QueryFilters>;
  /** All that documents must be, from the query and beside it; null lets every document pass. */
  readonly filter: DocumentFilter | null;
  /** There are words beside the phrases: when no passage has those, something is left to look for. */
  readonly mayBeUnquoted: boolean;
  /** There is no word to look for: the documents that pass are listed. */
  readonly isListing: boolean;
  /** What people should know about how it was read. */
  readonly notes: readonly string[];
}

type Asked = Pick<QueryParams, "query" | "filters" | "exclude">;

/** Reads a query, and joins its filters with those beside it: all must hold. Throws QUERY_EMPTY, INVALID_FIELD. */
export async function readQuery({ query, filters, exclude = [] }: Asked): Promise<AskedQuery> {
  const now = new Date();
  const types = await knownTypesFor(query, filters?.types ?? []);
  const parsed = parseQuery(query, { now, isType: (name) => types.find(name) !== null });
  const { text, phrases, filters: own } = parsed;
  const notes = [...parsed.notes, ...unknownTypes(types, filters?.types ?? [])];
  const isFiltered = hasFilters(own) || (filters !== undefined && Object.keys(filters).length > 0);
  const isListing = !hasWords(text);
  if (isListing && !isFiltered) throw new KnowdError("QUERY_EMPTY");
  return {
    text,
    phrases,
    excluded: [...parsed.excluded, ...exclude],
    filters: own,
    filter: isFiltered ? joined(own, filters ?? {}, types, now) : null,
    mayBeUnquoted: phrases.length > 0 && hasWords(outside(text, phrases)),
    isListing,
    notes,
  };
}

/** What a text whose like is looked for is asked beside it. */
export async function readSubject(
  text: string,
  { filters, exclude = [] }: Pick<QueryParams, "filters" | "exclude">,
): Promise<AskedQuery> {
  const types = await knownTypesFor("", filters?.types ?? []);
  const own = noFilters();
  return {
    text,
    phrases: [],
    excluded: exclude,
    filters: own,
    filter: filters && Object.keys(filters).length > 0 ? joined(own, filters, types, new Date()) : null,
    mayBeUnquoted: false,
    isListing: false,
    notes: unknownTypes(types, filters?.types ?? []),
  };
}

function outside(text: string, phrases: readonly string[]): string {
  return phrases.reduce((left, phrase) => left.replace(phrase, () => " "), text);
}

function joined(own: Readonly<QueryFilters>, beside: Filters, types: KnownTypes, now: Date): DocumentFilter {
  const after = [own.after, timeOf(beside.after, "filters.after", now)].filter((time) => time !== null);
  const before = [own.before, timeOf(beside.before, "filters.before", now)].filter((time) => time !== null);
  const isWord = (path: string): boolean => !hasGlobSyntax(path);
  const wanted = [own.types, beside.types ?? []].filter((names) => names.length > 0);
  return {
    items: {
      after: after.length > 0 ? Math.max(...after) : undefined,
      before: before.length > 0 ? Math.min(...before) : undefined,
      itemIds: beside.itemIds,
      tags: [...own.tags, ...(beside.tags ?? [])],
      notTags: own.notTags,
    },
    types: wanted.map((names) => groupOf(names, types)),
    notTypes: groupOf(own.notTypes, types),
    globs: [...own.paths.filter(hasGlobSyntax), ...(beside.path === undefined ? [] : [beside.path])],
    notGlobs: own.notPaths.filter(hasGlobSyntax),
    words: own.paths.filter(isWord),
    notWords: own.notPaths.filter(isWord),
  };
}

/** As the answer says it: without what is empty. */
export function understoodOf({ text, phrases, excluded, filters }: AskedQuery): Understood {
  const said = Object.entries(filters).filter(([, value]) =>
    Array.isArray(value) ? value.length > 0 : value !== null,
  );
  return {
    text: text.trim(),
    phrases: [...phrases],
    excluded: [...excluded],
    filters: Object.fromEntries(said),
  };
}

function groupOf(names: readonly string[], types: KnownTypes): TypeGroup {
  const found = names.map((name) => types.find(name) ?? { extension: bareType(name) });
  return {
    formats: found.flatMap((type) => ("format" in type ? [type.format] : [])),
    extensions: found.flatMap((type) => ("extension" in type ? [type.extension] : [])),
  };
}

/** Beside the query an extension that no reader has may be meant, but hardly is. */
function unknownTypes(types: KnownTypes, names: readonly string[]): string[] {
  return names
    .filter((name) => types.find(name) === null)
    .map(
      (name) =>
        `no format or file extension is known as ${name}: only files that end in .${bareType(name)} were searched`,
    );
}

function timeOf(value: number | string | undefined, field: string, now: Date): number | null {
  if (value === undefined) return null;
  const time = typeof value === "number" ? value : parseDate(value, now);
  if (time !== null) return time;
  throw new KnowdError("INVALID_FIELD", {
    field,
    reason: `"${value}" is no date: write milliseconds, ${DATES}`,
  });
}
