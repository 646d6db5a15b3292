import { type ErrorName, errorNameOf, errorTable } from "./contract/errors.ts";

/** Nobody listens at the socket. */
export class NoDaemonError extends Error {
  override readonly name = "NoDaemonError";
  readonly socketPath: string;
  constructor(socketPath: string, cause: unknown) {
    super(`No daemon answers at ${socketPath}.`, { cause });
    this.socketPath = socketPath;
  }
}

/** The connection ended before the answer came: the request may have been carried out or not. */
export class ConnectionLostError extends Error {
  override readonly name = "ConnectionLostError";
}

/** The daemon answered with an error. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number;
  /** The error table's name; null for an error of JSON-RPC itself. */
  readonly errorName: ErrorName | null;
  /** What to do about it. */
  readonly hint: string | null;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = typeof data === "object" && data !== null ? { ...data } : {};
    this.errorName = errorNameOf(code) ?? null;
    const { hint } = this.data;
    this.hint = typeof hint === "string" ? hint : null;
  }

  /** An error of the table that the client itself finds, in the table's words. */
  static ofTable(name: ErrorName): RpcError {
    const { code, message, hint } = errorTable[name];
    return new RpcError(code, message, { name, hint });
  }
}
