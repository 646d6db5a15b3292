import type { Base } from "../../rpc/contract/bases.ts";
import type { Duplicate, Hit } from "../../rpc/contract/hits.ts";
import type { ShownUnit } from "../../workers/search/contract.ts";
import { createSlicer } from "../runtime/yielding.ts";
import { SPARE, type Call } from "./ask-base.ts";
import type { Position, ResultList, ShownHit } from "./held-lists.ts";
import { hitOf, type UnrankedHit } from "./hits.ts";
import { askHost } from "./host-call.ts";
import { areNearDuplicates, fingerprintOf } from "./near-duplicates.ts";
import { keyOf, type Entry } from "./result-list.ts";

export interface Page {
  readonly hits: Hit[];
  /** Where the next page begins. */
  readonly next: Position;
}

/** What a page needs beside its list. */
export interface PageSource {
  readonly call: Call;
  /** Texts at hand, by the key of their entry; those that are missing are asked for. */
  readonly texts: Map<string, ShownUnit>;
  /** Searches for more to add at the end of the list; false when there is nowhere left to look. */
  readonly extend: () => Promise<boolean>;
}

const SLICE_MS = 10;

/**
 * The next hits of a list: passes over entries that are not shown (K1.2), documents that have a hit already where hits are
 * grouped, and texts that are nearly the same as a hit's, and searches deeper when the list ends before the page is full.
 */
export async function takePage(list: ResultList, from: Position, source: PageSource): Promise<Page> {
  const { params, topK } = source.call;
  const grouped = params.groupBy === "document";
  const before = list.shown.slice(0, from.shown);
  const taken: { hit: UnrankedHit; shown: ShownHit; duplicates: Duplicate[] }[] = [];
  const documents = new Set(grouped ? before.map(({ itemId }) => itemId) : []);
  const slicer = createSlicer(SLICE_MS);
  let { passed } = from;
  while (taken.length < topK) {
    if (passed >= list.entries.length) {
      if (!(await source.extend())) break;
      continue;
    }
    const entries = list.entries.slice(passed, passed + topK - taken.length + SPARE);
    const hits = await fetchHits(list, entries, source);
    for (const hit of hits) {
      if (taken.length === topK) break;
      passed++;
      if (hit === null || documents.has(hit.itemId)) continue;
      await slicer.pause();
      const fingerprint = params.foldDuplicates ? fingerprintOf(hit.text, hit.title) : null;
      const shown = { itemId: hit.itemId, baseId: hit.baseId, fingerprint };
      const same = taken.find((one) => areFolded(one.shown, shown));
      if (same) same.duplicates.push(duplicateOf(hit));
      else if (!before.some((one) => areFolded(one, shown))) {
        if (grouped) documents.add(hit.itemId);
        taken.push({ hit, shown, duplicates: [] });
      }
    }
  }
  const shown = [...before, ...taken.map((one) => one.shown)];
  // A page that is asked for again must not make the list forget those behind it.
  if (shown.length > list.shown.length) list.shown = shown;
  return {
    hits: taken.map(({ hit, duplicates }, at) =>
      Object.assign(hit, {
        rank: from.shown + at + 1,
        ...(duplicates.length > 0 && { duplicates }),
      }),
    ),
    next: { passed, shown: shown.length },
  };
}

/** Each base answers for itself: who may see one may not see the other. */
function areFolded(a: ShownHit, b: ShownHit): boolean {
  if (a.baseId !== b.baseId || a.fingerprint === null || b.fingerprint === null) return false;
  return areNearDuplicates(a.fingerprint, b.fingerprint);
}

/** In the order of the entries; null for what is gone, or is of a document that the catalogue does not show (K1.2). */
export async function fetchHits(
  list: ResultList,
  entries: readonly Entry[],
  source: Omit<PageSource, "extend">,
): Promise<(UnrankedHit | null)[]> {
  const { catalog, params, bases } = source.call;
  const found = new Map<Entry, UnrankedHit>();
  for (const base of bases) {
    const baseId = base.id;
    const ofBase = entries.filter((entry) => entry.baseId === baseId);
    await fetchTexts(base, ofBase, source);
    const textOf = (unitId: string) => source.texts.get(keyOf({ baseId, unitId }));
    const ids = ofBase.flatMap(({ unitId }) => textOf(unitId)?.materialId ?? []);
    const items = catalog.items.visible(baseId, [...new Set(ids)]);
    for (const entry of ofBase) {
      const unit = textOf(entry.unitId);
      const item = unit && items.get(unit.materialId);
      if (item) found.set(entry, hitOf(entry, unit, item, { explain: params.explain, textOf }));
      else if (unit) list.depths.get(baseId)!.metHidden = true;
    }
  }
  return entries.map((entry) => found.get(entry) ?? null);
}

async function fetchTexts(
  base: Base,
  entries: readonly Entry[],
  { call, texts }: Omit<PageSource, "extend">,
): Promise<void> {
  const unitIds = entries
    .filter((entry) => !texts.has(keyOf(entry)))
    .flatMap(({ unitId, passages = [] }) => [unitId, ...passages]);
  if (unitIds.length === 0) return;
  const { host, registry, budget, asked, like, embedder } = call;
  const baseId = base.id;
  const { model } = await embedder.forBase(base);
  const target = { baseId, indexPath: registry.indexPath(baseId) };
  const { text: query, phrases } = asked;
  const { units } = await askHost(
    host,
    "index.units",
    { ...target, query, phrases, like, model, unitIds },
    budget,
  );
  for (const unit of units) texts.set(keyOf({ baseId, unitId: unit.unitId }), unit);
}

function duplicateOf({
  baseId,
  itemId,
  unitId,
  conceptId,
  path,
  charStart,
  charEnd,
}: UnrankedHit): Duplicate {
  return { baseId, itemId, unitId, conceptId, path, charStart, charEnd };
}
