import { lstatSync } from "node:fs";
import path from "node:path";
import type { Source } from "../../rpc/contract/sources.ts";
import { toSystemPath } from "../../workers/path-bytes.ts";
import type { LedgerRow } from "../storage/catalog/contract.ts";

/** What lstat says when there is nothing at a path: no entry, or a file where one of its folders was. */
const NOTHING_THERE: ReadonlySet<string | undefined> = new Set(["ENOENT", "ENOTDIR"]);

/**
 * Whether the ledger's file is not at its place now. A folder or a link in its place is not the file either; where nobody
 * may look, nothing is concluded.
 */
export function isGone(source: Source, row: LedgerRow): boolean {
  const absolute = toSystemPath(path.posix.join(source.path, row.path));
  try {
    return !lstatSync(absolute).isFile();
  } catch (error) {
    return NOTHING_THERE.has((error as NodeJS.ErrnoException).code);
  }
}
