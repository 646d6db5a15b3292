import type { ExplainedBase, ExplainedPassage } from "../contract/explain.ts";
import { EXIT } from "./exit.ts";
import { harmless, out, paint, plural, printJson, shownName, shownPath } from "./print.ts";
import { printCorrections } from "./search.ts";
import { allBases, basesNamed, withClient, type GlobalFlags } from "./session.ts";

export interface ExplainFlags extends GlobalFlags {
  readonly base?: string[] | undefined;
  readonly limit?: number | undefined;
  readonly item?: string | undefined;
}

/** Prints how a search comes to its answer: terms, lanes and what became of each passage. Answers the exit code. */
export async function explain(query: string, flags: ExplainFlags): Promise<number> {
  return await withClient(flags, async (client) => {
    const bases = await basesNamed(client, flags.base);
    const result = await client.call("search.explain", {
      query,
      ...(bases && { baseIds: bases.map((base) => base.id) }),
      ...(flags.limit !== undefined && { topK: flags.limit }),
      ...(flags.item !== undefined && { itemId: flags.item }),
    });
    if (flags.json) printJson(result);
    else {
      const known = bases ?? (await allBases(client));
      const names = new Map(known.map(({ id, name }) => [id, name]));
      if (result.corrections) printCorrections(result.corrections, known, bases);
      if (result.understood.text === "")
        out("There is no word to look for: the documents that pass the filters are listed by their time.\n");
      for (const base of result.bases) printBase(names.get(base.baseId) ?? base.baseId, base);
      for (const warning of result.warnings) out(paint.yellow(`! ${shownName(warning)}`));
      if (result.degraded !== undefined) out(paint.yellow(`! ${result.degraded}`));
    }
    return EXIT.done;
  });
}

function printBase(name: string, { terms, fusion, candidates, passages, item }: ExplainedBase): void {
  out(paint.bold(shownName(name)));
  for (const { text, kind, passages: held } of terms)
    out(`  ${paint.yellow(harmless(text))} ${paint.dim(`(${kind})`)} in ${plural(held, "passage")}`);
  out(paint.dim(`  fusion ${howFused(fusion)}; ${plural(candidates, "candidate")} a lane`));
  for (const passage of passages) printPassage(passage);
  if (item?.length === 0) out("  The item has no passage that a lane would name.");
  for (const passage of item ?? []) printPassage(passage);
  out();
}

function howFused({ kind, alpha, weights, meaning }: ExplainedBase["fusion"]): string {
  if (kind !== "convex") return kind;
  const counted = weights
    ? ` (words ${weights.words.toFixed(2)}, vectors ${weights.vectors.toFixed(2)}, latent ${weights.latent.toFixed(2)})`
    : "";
  const read =
    meaning === undefined ? "" : `; the words are unsure: meaning counts ${meaning.toFixed(2)} of cosine`;
  return `convex, alpha ${alpha}${counted}${read}`;
}

function printPassage({
  path,
  conceptId,
  unitId,
  score,
  lanes,
  words,
  outcome,
  rank,
}: ExplainedPassage): void {
  const file = path === null ? shownName(conceptId ?? unitId) : shownPath(path);
  const what = rank === undefined ? outcome : `${outcome} ${rank}`;
  const cosine = lanes.cosine === undefined ? "" : ` (cosine ${lanes.cosine.toFixed(3)})`;
  const meaning = lanes.meaning === undefined ? "" : `, meaning ${lanes.meaning.toFixed(3)}`;
  out(
    `  ${what.padEnd(12)} ${paint.cyan(file)}  ${paint.dim(`${score.toFixed(4)}: bm25 ${lanes.bm25 ?? "–"}, vector ${lanes.vector ?? "–"}${cosine}${meaning}`)}`,
  );
  if (!words || words.terms.length === 0) return;
  const earned = words.terms.map(({ text, score: part }) => `${harmless(text)} ${part.toFixed(2)}`);
  const document = words.score - words.own;
  if (document > 0) earned.push(`its document ${document.toFixed(2)}`);
  out(`               ${paint.dim(earned.join(" + "))}`);
}
