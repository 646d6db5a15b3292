import type { Hit, SearchResult } from "../contract/search.ts";
import { EXIT } from "./exit.ts";
import { harmless, out, paint, plural, printJson, shownName, shownPath } from "./print.ts";
import { basesNamed, withClient, type GlobalFlags } from "./session.ts";
import { bestLine, markSnippet, snippetOf } from "./snippet.ts";

export interface SearchFlags extends GlobalFlags {
  readonly base?: string[] | undefined;
  readonly limit?: number | undefined;
  readonly path?: string | undefined;
  readonly type?: string[] | undefined;
  readonly documents?: boolean | undefined;
  readonly explain?: boolean | undefined;
}

const SNIPPET_WIDTH = 260;

/** Prints ranked hits with file, heading, line and a snippet. Answers the exit code: 4 when nothing was found. */
export async function search(query: string, flags: SearchFlags): Promise<number> {
  return await withClient(flags, async (client) => {
    const bases = await basesNamed(client, flags.base);
    const filters = {
      ...(flags.path !== undefined && { path: flags.path }),
      ...(flags.type !== undefined && { types: flags.type }),
    };
    const result = await client.call("search.query", {
      query,
      ...(bases && { baseIds: bases.map((base) => base.id) }),
      ...(flags.limit !== undefined && { topK: flags.limit }),
      ...(Object.keys(filters).length > 0 && { filters }),
      ...(flags.documents && { groupBy: "document" as const }),
      ...(flags.explain && { explain: true }),
    });
    if (flags.json) printJson(result);
    else printHits(query, result);
    return result.hits.length > 0 ? EXIT.done : EXIT.notFound;
  });
}

function printHits(query: string, result: SearchResult): void {
  for (const hit of result.hits) printHit(hit);
  for (const warning of result.warnings) out(paint.yellow(`! ${shownName(warning)}`));
  if (result.degraded !== undefined) out(paint.yellow(`! ${result.degraded}`));
  if (result.hits.length === 0) out(`Nothing found for "${harmless(query)}".`);
  else
    out(
      paint.dim(`${plural(result.hits.length, "hit")} in ${Math.round(result.tookMs)} ms (${result.mode})`),
    );
}

function printHit(hit: Hit): void {
  const place = `${hit.path === null ? shownName(hit.conceptId) : shownPath(hit.path)}${where(hit)}`;
  const headings = hit.headings.length > 0 ? `  ${paint.dim(harmless(hit.headings.join(" › ")))}` : "";
  out(`${paint.dim(String(hit.rank).padStart(2))}  ${paint.cyan(place)}${headings}`);
  const snippet = snippetOf(harmless(hit.text), hit.highlights, SNIPPET_WIDTH);
  out(`    ${markSnippet(snippet, (matched) => paint.bold(paint.yellow(matched)))}`);
  if (hit.lanes)
    out(
      paint.dim(
        `    bm25 ${hit.lanes.bm25 ?? "–"} · vector ${hit.lanes.vector ?? "–"} · score ${hit.score.toFixed(4)} (${hit.scoreKind})`,
      ),
    );
  out();
}

/** Behind a hit's file: where in it a person finds the passage. */
function where(hit: Hit): string {
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
