import type { Base } from "../../rpc/contract/bases.ts";
import type { Check } from "../../rpc/contract/doctor.ts";
import type { Item } from "../../rpc/contract/items.ts";
import { sha256 } from "../../workers/ids.ts";
import { checkBase } from "../ingest/check-base.ts";
import type { IngestDeps } from "../ingest/ingest-deps.ts";
import { toKnowdError } from "../runtime/errors.ts";
import { amountOf, ok, problem, shellWord } from "./machine/findings.ts";

export interface IndexInput {
  readonly ingest: IngestDeps;
  /** The beginning of a document's text as it stands in the index. */
  readonly read: (itemId: string, signal: AbortSignal) => Promise<IndexedText>;
}

interface IndexedText {
  readonly contentHash: string;
  readonly text?: string | undefined;
  readonly truncated: boolean;
}

/** Bases that a sample looks into, and documents of each: some hundred short reads. */
const SAMPLED_BASES = 20;
const SAMPLED_ITEMS = 5;
const PAGE = 100;

/** Each index against the catalogue: whole, or by some documents of it. One check a base, those that are well in one. */
export async function checkIndexes(input: IndexInput, deep: boolean, signal: AbortSignal): Promise<Check[]> {
  const all = input.ingest.catalog.bases.all().filter((base) => base.status === "completed");
  const looked = deep ? all : all.slice(0, SAMPLED_BASES);
  const problems: Check[] = [];
  for (const base of looked) {
    signal.throwIfAborted();
    const fault = await faultOf(input, base, deep, signal);
    // A base that was deleted meanwhile has no faults.
    if (fault === null || !input.ingest.catalog.bases.get(base.id)) continue;
    const fix = `knowd reindex --base ${shellWord(base.name)}`;
    problems.push(problem("index", `the index of ${base.name} is damaged: ${fault}`, fix));
  }
  if (problems.length > 0) return problems;
  const how = deep ? "read whole" : "some documents of each were read (--deep reads all)";
  return [ok("index", `${amountOf(looked.length, "base")} with a sound index: ${how}`)];
}

async function faultOf(
  input: IndexInput,
  base: Base,
  deep: boolean,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    return deep ? await faultOfWhole(input.ingest, base.id) : await faultOfSample(input, base.id, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    const { message, data } = toKnowdError(error);
    return typeof data["reason"] === "string" ? data["reason"] : message;
  }
}

async function faultOfWhole(ingest: IngestDeps, baseId: string): Promise<string | null> {
  const { problems } = await checkBase(ingest, baseId);
  const said = problems.map(
    ({ kind, count, example }) => `${kind} ${count}${example === undefined ? "" : ` (${example})`}`,
  );
  return said.length === 0 ? null : said.join("; ");
}

async function faultOfSample(
  { ingest, read }: IndexInput,
  baseId: string,
  signal: AbortSignal,
): Promise<string | null> {
  const { items } = ingest.catalog.items.list({ baseId, status: "completed", limit: PAGE });
  const leaves = items.filter((item) => item.type !== "directory" && item.missingSince === null);
  const step = Math.max(1, Math.ceil(leaves.length / SAMPLED_ITEMS));
  for (let at = 0; at < leaves.length; at += step) {
    const item = leaves[at]!;
    const indexed = await read(item.id, signal);
    if (isSame(item, indexed)) continue;
    // It may have been indexed anew between the two looks.
    if (ingest.catalog.items.get(item.id)?.contentHash === item.contentHash)
      return `the text of ${item.conceptId} is not the one that was read`;
  }
  return null;
}

function isSame(item: Item, { contentHash, text, truncated }: IndexedText): boolean {
  if (contentHash !== item.contentHash) return false;
  return text === undefined || truncated || sha256(text) === contentHash;
}
