import { KnowdError } from "../../runtime/errors.ts";
import type { PageOfBases, PageRequest } from "./contract.ts";

/** K4.4: what a page may hold at most. */
const PAGE_MAX = 100;

/** The key of a page's last row in lists ordered by age: newest first, then by id. */
export interface AgeKey {
  readonly createdAt: number;
  readonly id: string;
}

/** Before the newest there can be. */
const START: AgeKey = { createdAt: Number.MAX_SAFE_INTEGER, id: "" };

type Key = readonly (string | number)[];

/** Opaque for clients: which list it belongs to, and the key of the last row they have. */
function encode(list: string, key: Key): string {
  return Buffer.from(JSON.stringify([list, ...key])).toString("base64url");
}

/** Throws CURSOR_INVALID for what `encode` did not make for this list. */
function decode(list: string, cursor: string, types: readonly ("string" | "number")[]): Key {
  const invalid = (): KnowdError => new KnowdError("CURSOR_INVALID", { cursor });
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
  } catch {
    throw invalid();
  }
  if (!Array.isArray(parsed)) throw invalid();
  const [name, ...key] = parsed as unknown[];
  const fits =
    key.length === types.length && key.every((part, at) => typeof part === types[at] && isSafe(part));
  if (name !== list || !fits || encode(list, key as Key) !== cursor) throw invalid();
  return key as Key;
}

function isSafe(part: unknown): boolean {
  return typeof part !== "number" || Number.isSafeInteger(part);
}

/** Where a page of a list ordered by age begins: after this key. */
export function ageKeyOf(list: string, page: PageRequest): AgeKey {
  if (page.cursor === undefined) return START;
  const [createdAt, id] = decode(list, page.cursor, ["number", "string"]);
  return { createdAt: createdAt as number, id: id as string };
}

export function ageCursor(list: string, last: AgeKey): string {
  return encode(list, [last.createdAt, last.id]);
}

/** The same for a list ordered by number, highest first. */
export function numberKeyOf(list: string, page: PageRequest): number {
  if (page.cursor === undefined) return Number.MAX_SAFE_INTEGER;
  return decode(list, page.cursor, ["number"])[0] as number;
}

export function numberCursor(list: string, last: number): string {
  return encode(list, [last]);
}

/** Rows to ask for: one more than the page holds tells whether there is a next one. */
export function rowsToAsk(page: PageRequest): number {
  return pageSize(page) + 1;
}

/** For `json_each`: the bases that a list is of; null for all. */
export function basesOf({ baseIds }: PageOfBases): string | null {
  return baseIds == null ? null : JSON.stringify(baseIds);
}

/** The page of these rows, with the cursor of its last one when there are more. */
export function pageOf<Row, T>(
  rows: readonly Row[],
  page: PageRequest,
  toEntry: (row: Row) => T,
  toCursor: (entry: T) => string,
): { items: T[]; cursor?: string } {
  const items = rows.slice(0, pageSize(page)).map(toEntry);
  const last = items.at(-1);
  return rows.length > items.length && last !== undefined ? { items, cursor: toCursor(last) } : { items };
}

function pageSize(page: PageRequest): number {
  return Math.max(1, Math.min(PAGE_MAX, Math.floor(page.limit)));
}
