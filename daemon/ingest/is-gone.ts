import { lstatSync } from "node:fs";
import path from "node:path";
import type { Source } from "../../rpc/contract/sources.ts";
import { toSystemPath } from "../../workers/path-bytes.ts";
import type { LedgerRow } from "../storage/catalog/contract.ts";

/** Whether the ledger's file is not at its place now. A folder or a link in its place is not the file either. */
export function isGone(source: Source, row: LedgerRow): boolean {
  const absolute = toSystemPath(path.posix.join(source.path, row.path));
  return lstatSync(absolute, { throwIfNoEntry: false })?.isFile() !== true;
}
