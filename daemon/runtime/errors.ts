import { errorTable, type ErrorName } from "../../rpc/contract/errors.ts";

/** The one error class: a name of the error table, a sentence for people, and data for programs. */
export class KnowdError extends Error {
  override readonly name = "KnowdError";
  readonly errorName: ErrorName;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(
    errorName: ErrorName,
    data: Readonly<Record<string, unknown>> = {},
    message?: string,
    cause?: unknown,
  ) {
    super(message ?? errorTable[errorName].message, cause === undefined ? undefined : { cause });
    this.errorName = errorName;
    this.data = data;
  }
}

/** A refused field, with what would be allowed. */
export function invalidField(field: string, reason: string): KnowdError {
  return new KnowdError("INVALID_FIELD", { field, reason }, `${field}: ${reason}`);
}

/** Whatever was thrown, as a KnowdError: ours as it is, an abort as CANCELLED or DEADLINE, all else as INTERNAL. */
export function toKnowdError(thrown: unknown): KnowdError {
  if (thrown instanceof KnowdError) return thrown;
  if (thrown instanceof Error && thrown.name === "AbortError")
    return new KnowdError("CANCELLED", {}, undefined, thrown);
  if (thrown instanceof Error && thrown.name === "TimeoutError")
    return new KnowdError("DEADLINE", {}, undefined, thrown);
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  if (isDiskFull(thrown)) return new KnowdError("DISK_FULL", { reason }, undefined, thrown);
  return new KnowdError("INTERNAL", { reason }, undefined, thrown);
}

/** A disk that takes no more, in SQLite's words and in the system's. */
export function isDiskFull(thrown: unknown): boolean {
  if (thrown instanceof KnowdError) return thrown.errorName === "DISK_FULL";
  const code = thrown instanceof Error && "code" in thrown ? String(thrown.code) : "";
  return code.startsWith("SQLITE_FULL") || code === "ENOSPC" || code === "EDQUOT";
}
