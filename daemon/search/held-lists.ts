import { randomUUID } from "node:crypto";
import type { Correction } from "../../rpc/contract/search.ts";
import { KnowdError } from "../runtime/errors.ts";
import type { Depth } from "./ask-base.ts";
import type { Fingerprint } from "./near-duplicates.ts";
import type { Entry } from "./result-list.ts";

/** A hit that a page of the list has shown. */
export interface ShownHit {
  readonly baseId: string;
  readonly itemId: string;
  /** Null when duplicates are not folded. */
  readonly fingerprint: Fingerprint | null;
}

/** The order in which a query's hits are paged through. It only grows at its end, whatever becomes of the index. */
export interface ResultList {
  readonly id: string;
  readonly entries: Entry[];
  /** By base id. */
  readonly depths: Map<string, Depth>;
  /** In the order of their ranks. */
  shown: readonly ShownHit[];
  readonly corrections: Correction[];
  /** Of several bases: the scores are those of ranks. */
  isFused: boolean;
  /** No passage had what was quoted: the list is of its words. */
  isUnquoted: boolean;
  mode: "bm25" | "hybrid";
  /** What did not work when it was made. */
  readonly degraded: Set<string>;
}

/** Where a page begins: entries passed, and hits shown before. */
export interface Position {
  readonly passed: number;
  readonly shown: number;
}

/** The parameters that a list was asked for with: all pages must have the same, but for these. */
export type AskedParams = object & {
  readonly cursor?: string | undefined;
  readonly topK?: number | undefined;
  readonly deadlineMs?: number | undefined;
};

export interface HeldLists {
  /** Keeps a list for the pages that follow, and names the place where the next one begins. */
  hold(list: ResultList, params: AskedParams, next: Position): string;
  /** Throws CURSOR_INVALID for a cursor of other parameters or none of ours, CURSOR_EXPIRED when the list is gone. */
  resume(cursor: string, params: AskedParams): { readonly list: ResultList; readonly from: Position };
}

const MAX_LISTS = 64;
/** In all lists that are held; a thousand take about 300 KB, and one list of many bases may have 100,000. */
const MAX_ENTRIES = 128_000;
/** Since it was last read. */
const HELD_MS = 10 * 60_000;

interface Held {
  readonly list: ResultList;
  readonly params: string;
  usedAt: number;
}

export function createHeldLists(now: () => number = () => performance.now()): HeldLists {
  // A Map keeps the order of insertion: the first was used the longest ago.
  const lists = new Map<string, Held>();

  function forgetOld(): void {
    let entries = [...lists.values()].reduce((sum, { list }) => sum + list.entries.length, 0);
    for (const [id, { list, usedAt }] of lists) {
      const isLast = lists.size === 1;
      const fits = lists.size <= MAX_LISTS && (entries <= MAX_ENTRIES || isLast);
      if (fits && now() - usedAt <= HELD_MS) return;
      lists.delete(id);
      entries -= list.entries.length;
    }
  }

  function keep(held: Held): void {
    held.usedAt = now();
    lists.delete(held.list.id);
    lists.set(held.list.id, held);
    forgetOld();
  }

  return {
    hold(list, params, { passed, shown }) {
      keep({ list, params: fixedParams(params), usedAt: 0 });
      return `${list.id}-${passed}-${shown}`;
    },
    resume(cursor, params) {
      const parts = /^([\w-]{36})-(\d{1,6})-(\d{1,6})$/.exec(cursor);
      if (!parts) throw new KnowdError("CURSOR_INVALID", { cursor });
      forgetOld();
      const held = lists.get(parts[1]!);
      if (!held) throw new KnowdError("CURSOR_EXPIRED", { cursor });
      const from = { passed: Number(parts[2]), shown: Number(parts[3]) };
      const within = from.passed <= held.list.entries.length && from.shown <= held.list.shown.length;
      if (!within || held.params !== fixedParams(params)) {
        const reason = "it belongs to a search with other parameters";
        throw new KnowdError("CURSOR_INVALID", { cursor, reason });
      }
      keep(held);
      return { list: held.list, from };
    },
  };
}

/** Node keeps random bytes for many of these at hand: others are asked of the system one by one. */
export function newListId(): string {
  return randomUUID();
}

/** What must be equal for all pages. */
function fixedParams({
  cursor: _cursor,
  topK: _topK,
  deadlineMs: _deadlineMs,
  ...params
}: AskedParams): string {
  const byName = Object.entries(params).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(byName);
}
