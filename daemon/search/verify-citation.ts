import type { Params, Result } from "../../rpc/contract/index.ts";
import type { Item } from "../../rpc/contract/items.ts";
import { KnowdError } from "../runtime/errors.ts";
import { findItem, type ScopedCall } from "./find-item.ts";
import { askHost, createBudget, type Budget } from "./host-call.ts";
import { readable } from "./read.ts";
import type { SearchDeps } from "./search-deps.ts";

type Citation = Params<"citation.verify">;
type Verdict = Result<"citation.verify">;

/**
 * Whether what was cited still stands where it was cited, by the stored text alone. Throws INVALID_FIELD, OUT_OF_SCOPE,
 * DEADLINE.
 */
export async function verifyCitation(
  deps: SearchDeps,
  citation: Citation,
  { signal, scope }: ScopedCall,
): Promise<Verdict> {
  checkSpan(citation);
  const budget = createBudget(citation.deadlineMs ?? deps.settings.deadlineMs, signal);
  let item: Item;
  try {
    item = readable(deps.catalog, findItem(deps.catalog, citation, scope));
  } catch (error) {
    return gone(error);
  }
  const { id: itemId, baseId, conceptId } = item;
  const verdict = await (citation.text === undefined
    ? verifySpan(deps, item, citation, budget)
    : verifyText(deps, item, { ...citation, text: citation.text }, budget));
  return { ...verdict, baseId, itemId, conceptId };
}

function checkSpan({ charStart, charEnd, text }: Citation): void {
  const refuse = (field: string, reason: string): never => {
    throw new KnowdError("INVALID_FIELD", { field, reason });
  };
  if (charEnd <= charStart) refuse("charEnd", "must be behind charStart");
  if (text !== undefined && text.length > charEnd - charStart)
    refuse("text", `has ${text.length} characters, and the cited passage ${charEnd - charStart}`);
}

function gone(error: unknown): Verdict {
  if (!(error instanceof KnowdError)) throw error;
  if (error.errorName === "ITEM_NOT_FOUND") return { status: "gone", reason: "there is no such document" };
  if (error.errorName !== "ITEM_NOT_READABLE") throw error;
  return { status: "gone", reason: `the document can't be read: ${String(error.data["reason"])}` };
}

/** Without the words only an unchanged document can vouch for a passage. */
async function verifySpan(
  { registry, host }: SearchDeps,
  item: Item,
  { charStart, charEnd, contentHash: cited }: Citation,
  budget: Budget,
): Promise<Verdict> {
  const target = { baseId: item.baseId, indexPath: registry.indexPath(item.baseId), materialId: item.id };
  const found = await askHost(host, "index.window", { ...target, charStart: 0, charEnd: 0 }, budget);
  if (!found) return { status: "gone", reason: "the document is in the index no more" };
  const { contentHash, totalChars } = found;
  const now = { contentHash, totalChars };
  if (contentHash !== cited)
    return { ...now, status: "changed", reason: "the document changed, and the quoted text was not given" };
  if (charEnd > totalChars)
    return { ...now, status: "changed", reason: `the document ends at character ${totalChars}` };
  return { ...now, status: "verified", reason: "the document is unchanged", charStart, charEnd };
}

async function verifyText(
  { registry, host }: SearchDeps,
  item: Item,
  { charStart, charEnd, contentHash: cited, text }: Citation & { text: string },
  budget: Budget,
): Promise<Verdict> {
  const target = { baseId: item.baseId, indexPath: registry.indexPath(item.baseId), materialId: item.id };
  const found = await askHost(host, "index.quoted", { ...target, text, charStart, charEnd }, budget);
  if (!found) return { status: "gone", reason: "the document is in the index no more" };
  const { nearest, places, contentHash, totalChars } = found;
  const now = { contentHash, totalChars, places };
  const document = contentHash === cited ? "the document is unchanged" : "the document changed";
  if (nearest === null)
    return { ...now, status: "changed", reason: `${document}, and the quoted text stands nowhere in it` };
  const place = { charStart: nearest, charEnd: nearest + text.length };
  const isThere = place.charStart >= charStart && place.charEnd <= charEnd;
  return isThere
    ? {
        ...now,
        ...place,
        status: "verified",
        reason: `${document}, and the quoted text stands in the cited passage`,
      }
    : {
        ...now,
        ...place,
        status: "moved",
        reason: `${document}, and the quoted text stands elsewhere in it`,
      };
}
