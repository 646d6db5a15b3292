import type { Duplicate, Hit, Passage } from "../contract/hits.ts";
import type { Base } from "../contract/bases.ts";
import type { Correction, SearchResult } from "../contract/search.ts";
import { EXIT } from "./exit.ts";
import { harmless, out, paint, plural, printJson, shownName, shownPath } from "./print.ts";
import { allBases, basesNamed, withClient, type GlobalFlags } from "./session.ts";
import { bestLine, markSnippet, snippetOf } from "./snippet.ts";

export interface SearchFlags extends GlobalFlags {
  readonly base?: string[] | undefined;
  readonly limit?: number | undefined;
  readonly path?: string | undefined;
  readonly type?: string[] | undefined;
  readonly tag?: string[] | undefined;
  readonly after?: string | undefined;
  readonly before?: string | undefined;
  readonly exclude?: string[] | undefined;
  readonly documents?: boolean | undefined;
  readonly sort?: "relevance" | "newest" | "oldest" | undefined;
  readonly copies?: boolean | undefined;
  readonly cursor?: string | undefined;
  readonly explain?: boolean | undefined;
}

const SNIPPET_WIDTH = 260;
/** Copies of a hit that are named one by one. */
const NAMED_COPIES = 5;

/** Prints ranked hits with file, heading, line and a snippet. Answers the exit code: 4 when nothing was found. */
export async function search(query: string, flags: SearchFlags): Promise<number> {
  return await withClient(flags, async (client) => {
    const bases = await basesNamed(client, flags.base);
    const filters = {
      ...(flags.path !== undefined && { path: flags.path }),
      ...(flags.type !== undefined && { types: flags.type }),
      ...(flags.tag !== undefined && { tags: flags.tag }),
      ...(flags.after !== undefined && { after: flags.after }),
      ...(flags.before !== undefined && { before: flags.before }),
    };
    const result = await client.call("search.query", {
      query,
      ...(bases && { baseIds: bases.map((base) => base.id) }),
      ...(flags.limit !== undefined && { topK: flags.limit }),
      ...(Object.keys(filters).length > 0 && { filters }),
      ...(flags.exclude !== undefined && { exclude: flags.exclude }),
      ...(flags.documents && { groupBy: "document" as const }),
      ...(flags.sort !== undefined && { sort: flags.sort }),
      ...(flags.copies && { foldDuplicates: false }),
      ...(flags.cursor !== undefined && { cursor: flags.cursor }),
      ...(flags.explain && { explain: true }),
    });
    if (flags.json) printJson(result);
    else {
      if (result.corrections) printCorrections(result.corrections, await allBases(client), bases);
      printHits(query, result);
    }
    return result.hits.length > 0 ? EXIT.done : EXIT.notFound;
  });
}

/** `all`: the bases that there are, `searched`: those that were asked, by default all. */
export function printCorrections(
  corrections: readonly Correction[],
  all: readonly Pick<Base, "id" | "name">[],
  searched: readonly Pick<Base, "id">[] = all,
): void {
  for (const { term, used, baseIds } of corrections) {
    const names = all.filter(({ id }) => baseIds.includes(id)).map(({ name }) => shownName(name));
    const where = names.length < searched.length ? ` of ${names.join(", ")}` : "";
    const instead = used.map((word) => `“${harmless(word)}”`).join(", ");
    out(paint.yellow(`no passage${where} has “${harmless(term)}”: searched for ${instead}`));
  }
  out();
}

export function printHits(query: string, result: SearchResult): void {
  for (const hit of result.hits) printHit(hit);
  for (const warning of result.warnings) out(paint.yellow(`! ${shownName(warning)}`));
  if (result.degraded !== undefined) out(paint.yellow(`! ${result.degraded}`));
  if (result.hits.length === 0) return out(`Nothing found for "${harmless(query)}".`);
  const more = result.cursor === undefined ? "" : `; more with --cursor ${result.cursor}`;
  const found = plural(result.hits.length, "hit");
  out(paint.dim(`${found} in ${Math.round(result.tookMs)} ms (${result.mode})${more}`));
}

function printHit(hit: Hit): void {
  out(`${paint.dim(String(hit.rank).padStart(2))}  ${placeOf(hit, hit)}`);
  out(`    ${snippet(hit)}`);
  for (const passage of hit.passages ?? []) {
    out(`    ${placeOf(hit, passage)}`);
    out(`    ${snippet(passage)}`);
  }
  if (hit.duplicates) out(paint.dim(`    also in ${copies(hit.duplicates)}`));
  if (hit.lanes)
    out(
      paint.dim(
        `    bm25 ${hit.lanes.bm25 ?? "–"} · vector ${hit.lanes.vector ?? "–"} · score ${hit.score.toFixed(4)} (${hit.scoreKind})`,
      ),
    );
  out();
}

function placeOf(document: Duplicate, passage: Passage): string {
  const headings =
    passage.headings.length > 0 ? `  ${paint.dim(harmless(passage.headings.join(" › ")))}` : "";
  return `${paint.cyan(`${fileOf(document)}${where(passage)}`)}${headings}`;
}

function fileOf({ path, conceptId }: Duplicate): string {
  return path === null ? shownName(conceptId) : shownPath(path);
}

function snippet(passage: Passage): string {
  const cut = snippetOf(harmless(passage.text), passage.highlights, SNIPPET_WIDTH);
  return markSnippet(cut, (matched) => paint.bold(paint.yellow(matched)));
}

function copies(duplicates: readonly Duplicate[]): string {
  const files = [...new Set(duplicates.map(fileOf))];
  const named = files.slice(0, NAMED_COPIES).join(", ");
  const others = files.length - NAMED_COPIES;
  return others > 0 ? `${named} and ${plural(others, "other")}` : named;
}

/** Behind a hit's file: where in it a person finds the passage. */
function where(hit: Passage): string {
  const { page, slide, sheet, range, chapter, timestampMs, lineStart, lineEnd } = hit.locator ?? {};
  if (page !== undefined) return `, page ${page}`;
  if (slide !== undefined) return `, slide ${slide}`;
  if (sheet !== undefined) return `, ${shownName(sheet)}${range === undefined ? "" : `!${range}`}`;
  if (timestampMs !== undefined) return `, at ${clock(timestampMs)}`;
  if (chapter !== undefined) return `, ${shownName(chapter)}`;
  if (lineStart === undefined) return "";
  const line = lineStart + bestLine(hit.text, hit.highlights);
  return `:${Math.min(line, lineEnd ?? line)}`;
}

/** 1:02:03 or 2:03, as players show it. */
function clock(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const two = (n: number): string => String(n).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}
