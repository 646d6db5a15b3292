import { KnowdError } from "../../runtime/errors.ts";
import type { Database, Statement, TransactionOptions } from "../sqlite.ts";
import type { ChangeLog } from "./contract.ts";

/** What the stores of the catalogue share. */
export interface CatalogCore {
  readonly database: Database;
  readonly changes: ChangeLog;
  /** Tells the change log's listeners once the outermost one has committed. */
  readonly transaction: <T>(fn: () => T, options?: TransactionOptions) => T;
  /** Prepared once, then kept. */
  readonly sql: (text: string) => Statement;
  readonly now: () => number;
  /** A UUID v7. */
  readonly newId: () => string;
}

/** A call that no correct caller makes. */
export function wrongCall(reason: string): KnowdError {
  return new KnowdError("INTERNAL", { reason }, reason);
}

/** A patch without the fields that are there but undefined: they change nothing. */
export function definedOnly<T extends object>(patch: T): T {
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)) as T;
}
