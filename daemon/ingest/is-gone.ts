import { lstatSync } from "node:fs";
import { lstat } from "node:fs/promises";
import path from "node:path";
import type { Source } from "../../rpc/contract/sources.ts";
import { toSystemPath } from "../../workers/path-bytes.ts";
import type { LedgerRow } from "../storage/catalog/ledger-contract.ts";

/** What lstat says when there is nothing at a path: no entry, or a file where one of its folders was. */
const NOTHING_THERE: ReadonlySet<string | undefined> = new Set(["ENOENT", "ENOTDIR"]);

/**
 * Whether the ledger's file is not at its place now. A folder or a link in its place is not the file either; where nobody
 * may look, nothing is concluded. For steps that may not wait; of a file system that hangs, ask `isGoneNow`.
 */
export function isGone(source: Source, row: LedgerRow): boolean {
  try {
    return !lstatSync(placeOf(source, row)).isFile();
  } catch (error) {
    return isNothing(error);
  }
}

/** The same, without holding the thread while the file system answers. */
export async function isGoneNow(source: Source, row: LedgerRow): Promise<boolean> {
  try {
    return !(await lstat(placeOf(source, row))).isFile();
  } catch (error) {
    return isNothing(error);
  }
}

function placeOf(source: Source, row: LedgerRow): ReturnType<typeof toSystemPath> {
  return toSystemPath(path.posix.join(source.path, row.path));
}

function isNothing(error: unknown): boolean {
  return NOTHING_THERE.has((error as NodeJS.ErrnoException).code);
}
