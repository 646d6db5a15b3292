import { MAX_NODES, MAX_SAMPLES, type KnownBase } from "../../rpc/contract/kb.ts";
import type { Base } from "../../rpc/contract/bases.ts";
import type { Params, Result } from "../../rpc/contract/index.ts";
import { displayPath } from "../../workers/path-bytes.ts";
import type { IngestDeps } from "../ingest/ingest-deps.ts";
import { KnowdError } from "../runtime/errors.ts";
import type { Search } from "../search/search.ts";
import type { Call, Services } from "./call.ts";

type KbMethod = "kb.list" | "kb.search" | "kb.manage";
type ItemWork = Services<"item.add" | "item.delete" | "item.reindex">;

export interface KbServiceDeps {
  readonly ingest: Pick<IngestDeps, "catalog">;
  readonly search: Pick<Search, "query">;
  readonly itemService: ItemWork;
}

/** The tools of agents, over what the other methods do. */
export function createKbService(deps: KbServiceDeps): Services<KbMethod> {
  const { catalog } = deps.ingest;
  return {
    "kb.list": ({ baseId, ...page }, { scope }) => {
      if (baseId !== undefined) {
        const base = catalog.bases.require(baseId);
        return { items: [knownBase(deps, base)], ...catalog.items.tree(baseId, MAX_NODES), untrusted: true };
      }
      const { items, ...rest } = catalog.bases.list({ ...page, baseIds: scope.baseIds });
      return { items: items.map((base) => knownBase(deps, base)), ...rest, untrusted: true };
    },
    "kb.search": (params, call) => searchKnown(deps, params, call),
    "kb.manage": (params, call) => manage(deps, params, call),
  };
}

function knownBase({ ingest: { catalog } }: KbServiceDeps, base: Base): KnownBase {
  const { id: baseId, name, groupId, status } = base;
  const roots = catalog.items.list({ baseId, groupId: null, limit: MAX_SAMPLES });
  const sources = roots.items.map(({ id: itemId, type, status: itemStatus, path, title }) => ({
    itemId,
    type,
    status: itemStatus,
    source: path === null ? title : displayPath(path),
  }));
  return { baseId, name, groupId, status, items: catalog.bases.counts(baseId).items, sources };
}

/** K10.3: a base that is not there is a warning, as one that can't be searched is; none that is there is an error. */
async function searchKnown(
  { ingest: { catalog }, search }: KbServiceDeps,
  { baseIds, ...params }: Params<"kb.search">,
  call: Call,
): Promise<Result<"kb.search">> {
  const wanted = baseIds && [...new Set(baseIds)];
  const known = wanted?.filter((id) => catalog.bases.get(id) !== undefined);
  const [missing] = wanted ?? [];
  if (known?.length === 0) throw new KnowdError("BASE_NOT_FOUND", { baseId: missing });
  const asked = {
    ...params,
    ...(known && { baseIds: known }),
    passages: 1,
    foldDuplicates: true,
    sort: "relevance" as const,
    explain: false,
  };
  const answer = await search.query(asked, call.signal);
  const gone = (wanted ?? []).filter((id) => !known?.includes(id)).map((id) => `there is no base ${id}`);
  return { ...answer, warnings: [...gone, ...answer.warnings] };
}

/** K10.5: unknown ids are told and fail nothing else; what is named twice is done once. */
async function manage(
  { itemService, ingest: { catalog } }: KbServiceDeps,
  params: Params<"kb.manage">,
  call: Call,
): Promise<Result<"kb.manage">> {
  const { action, baseId, paths, urls, onConflict } = params;
  const nothing = {
    action,
    added: [],
    conflicts: [],
    failed: [],
    deleted: 0,
    queued: 0,
    refused: 0,
    notFound: [],
  };
  if (action === "add") {
    if (baseId === undefined)
      throw new KnowdError("INVALID_FIELD", { field: "baseId", reason: "is missing" });
    const notes = distinctNotes(params.notes);
    const added = await itemService["item.add"](
      { baseId, paths: [...new Set(paths)], urls, notes, onConflict },
      call,
    );
    return { ...nothing, ...added };
  }
  if (baseId !== undefined) catalog.bases.require(baseId);
  const known = catalog.items.many([...new Set(params.itemIds)]);
  const isElsewhere = (id: string): boolean => baseId !== undefined && known.get(id)?.baseId !== baseId;
  const elsewhere = [...new Set(params.itemIds)].filter(isElsewhere);
  const itemIds = params.itemIds.filter((id) => !isElsewhere(id));
  const work = action === "delete" ? itemService["item.delete"] : itemService["item.reindex"];
  const done = await work({ itemIds }, call);
  return { ...nothing, ...done, notFound: [...elsewhere, ...done.notFound] };
}

type NewNotes = Params<"kb.manage">["notes"];

function distinctNotes(notes: NewNotes): NewNotes {
  const known = new Map(notes.map((note) => [JSON.stringify([note.title ?? null, note.content]), note]));
  return [...known.values()];
}
