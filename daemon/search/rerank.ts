import type { Base } from "../../rpc/contract/bases.ts";
import type { ShownUnit } from "../../workers/search/contract.ts";
import { RerankFailure, type Reranker } from "../rerank/reranker.ts";
import { createBudget, type Budget } from "./host-call.ts";
import { keyOf, type Entry } from "./result-list.ts";

export interface Reranking {
  readonly entries: readonly Entry[];
  /** Entries that were cut off, since the reranker takes no more at once; a deeper search brings them again. */
  readonly isCut: boolean;
  /** Why the entries are in the order that they came in. */
  readonly degraded: string | null;
}

export interface RerankInput {
  readonly base: Pick<Base, "rerankModelId">;
  readonly query: string;
  /** Best first; those of documents that nobody may see are not among them: what is not shown is not sent. */
  readonly entries: readonly Entry[];
  readonly texts: ReadonlyMap<string, ShownUnit>;
  readonly budget: Budget;
}

/** Share of the time left that a reranker may take: the rest is for the answer without it. */
const RERANK_SHARE = 0.8;

/**
 * K9.4: puts the entries in the order of their relevance, ties in the order that they came in. Without an answer of the
 * reranker they stay as they are, and `degraded` says why. Rejects only when nobody waits any more.
 */
export async function rerankEntries(
  rerankers: { get(id: string): Reranker | undefined },
  { base, query, entries, texts, budget }: RerankInput,
): Promise<Reranking> {
  const id = base.rerankModelId;
  const asTheyCame = (degraded: string | null): Reranking => ({ entries, isCut: false, degraded });
  if (id === null || entries.length === 0) return asTheyCame(null);
  const reranker = rerankers.get(id);
  if (!reranker) return asTheyCame(`not reranked: the reranker ${id} is not configured`);
  const sent = entries.slice(0, reranker.maxDocuments);
  const { signal } = createBudget(Math.ceil(budget.leftMs() * RERANK_SHARE), budget.signal);
  try {
    const documents = sent.map((entry) => documentOf(texts.get(keyOf(entry)), reranker.maxCharacters));
    const scores = await reranker.score(query, documents, signal);
    return { entries: inOrder(sent, scores), isCut: sent.length < entries.length, degraded: null };
  } catch (error) {
    budget.signal.throwIfAborted();
    if (!(error instanceof RerankFailure)) throw error;
    return asTheyCame(`not reranked: ${id} gave no scores (${error.message})`);
  }
}

/** What the reranker reads of a passage: where it stands, then its text. */
function documentOf(unit: ShownUnit | undefined, maxCharacters: number): string {
  if (!unit) return "";
  const heading = [unit.title, ...unit.headings].filter((part) => part !== "").join(" › ");
  const text = heading === "" ? unit.text : `${heading}\n${unit.text}`;
  const end = isHighSurrogate(text.charCodeAt(maxCharacters - 1)) ? maxCharacters - 1 : maxCharacters;
  return text.slice(0, end);
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}

function inOrder(entries: readonly Entry[], scores: readonly number[]): Entry[] {
  return entries
    .map((entry, at): Entry => {
      const score = scores[at]!;
      const before = { rank: at + 1, score: entry.score };
      return { ...entry, score, scoreKind: "relevance", reranked: { score, before } };
    })
    .toSorted((a, b) => b.score - a.score);
}
