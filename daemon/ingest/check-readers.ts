import type { Item } from "../../rpc/contract/items.ts";
import { PRIORITY } from "../queue/queue.ts";
import { toKnowdError } from "../runtime/errors.ts";
import { createSlicer } from "../runtime/yielding.ts";
import type { IngestDeps } from "./ingest-deps.ts";
import { queueForProcessor } from "./processing-stage.ts";
import { queueReindex } from "./queue-index.ts";

/** A reader of the table, as far as it matters here. */
export interface KnownReader {
  /** `<id>@<version>`. */
  readonly parser: string;
  readonly format: string;
}

/** Failures that another reader may not have: the bytes are there, and nothing in them was read. */
const WORTH_ANOTHER_LOOK: ReadonlySet<Item["failure"]> = new Set([
  "no_text",
  "no_text_layer",
  "bad_text_layer",
  "corrupt",
  "unsupported",
  "too_complex",
  "parser_error",
  "crashed",
]);
const ITEMS_PER_SLICE = 256;
const SLICE_MS = 8;

/**
 * After an update: documents whose reader is new or of a newer version are read again, and so is what no reader could read;
 * after a change of the configuration, what a processor that is new or another may read. Where embedding may cost money,
 * documents that answer are left as they are, until they change or a person asks for it. The first daemon only notes what
 * there is. Answers how many files were queued.
 */
export async function checkReaders(deps: IngestDeps, readers: readonly KnownReader[]): Promise<number> {
  const { catalog, processors } = deps;
  const before = catalog.readers();
  const revisions = processors.ids().flatMap((id) => revisionOf(deps, id) ?? []);
  const names = [...readers.map(({ parser }) => parser), ...revisions];
  const isFresh = (name: string): boolean => before !== null && !before.includes(name);
  const fresh = readers.filter(({ parser }) => isFresh(parser));
  let queued = 0;
  for (const base of names.some(isFresh) ? catalog.bases.all() : []) {
    const mayCost =
      base.embeddingModelId !== null && deps.models.get(base.embeddingModelId)?.resumes === "ask";
    if (fresh.length > 0) queued += await queueForReaders(deps, base.id, fresh, mayCost);
    const revision = base.fileProcessorId === null ? null : revisionOf(deps, base.fileProcessorId);
    if (revision !== null && isFresh(revision))
      queued += await queueForProcessor(deps, base, { unreadableOnly: mayCost });
  }
  if (names.some(isFresh)) {
    deps.log.info({ readers: names.filter(isFresh), files: queued }, "files are read again by newer readers");
  }
  // Noted last: what a crash cuts off is looked at once more.
  catalog.setReaders(names);
  return queued;
}

/** One word: the catalogue keeps words. */
function revisionOf({ processors }: IngestDeps, id: string): string | null {
  const processor = processors.get(id);
  return processor === undefined ? null : `processor:${id}@${processor.revision}`;
}

function queueForReaders(
  deps: IngestDeps,
  baseId: string,
  fresh: readonly KnownReader[],
  mayCost: boolean,
): Promise<number> {
  const formats = new Set(fresh.map(({ format }) => format));
  return queueWhere(deps, baseId, (item) =>
    item.status === "failed"
      ? WORTH_ANOTHER_LOOK.has(item.failure)
      : !mayCost && formats.has(item.format ?? ""),
  );
}

/** The same in the background of a start; a fault is logged. */
export async function checkReadersQuietly(deps: IngestDeps): Promise<void> {
  try {
    const { parserName, readers } = await import("../../workers/parse/registry.ts");
    await checkReaders(
      deps,
      readers.map((reader) => ({ parser: parserName(reader), format: reader.format })),
    );
  } catch (error) {
    const reason = toKnowdError(error).message;
    deps.log.warn(
      { error: reason },
      "files could not be queued for newer readers; the next start tries again",
    );
  }
}

async function queueWhere(
  deps: IngestDeps,
  baseId: string,
  wanted: (item: Item) => boolean,
): Promise<number> {
  const slicer = createSlicer(SLICE_MS);
  const ids = deps.catalog.items.leavesOfBase(baseId);
  let queued = 0;
  for (let at = 0; at < ids.length; at += ITEMS_PER_SLICE) {
    const items = [...deps.catalog.items.many(ids.slice(at, at + ITEMS_PER_SLICE)).values()];
    const some = items.filter((item) => item.missingSince === null && wanted(item)).map((item) => item.id);
    if (some.length > 0) queued += await queueReindex(deps, some, PRIORITY.bulk);
    await slicer.yield();
  }
  return queued;
}
