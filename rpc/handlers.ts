import type { z } from "zod";
import type { Scope } from "../daemon/runtime/scope.ts";
import type { EncodedPart } from "./contract/grep.ts";
import type { MethodSpec } from "./contract/define.ts";
import type { MethodTable } from "./contract/index.ts";
import type { Peer } from "./wire/endpoint.ts";

/** What a handler knows of its call beside the parameters. */
export interface CallContext {
  /** Aborts at the method's deadline, when the caller cancels, and when the caller is gone. */
  readonly signal: AbortSignal;
  /** Tells the caller how far the call is; does nothing when the caller gave no `progressToken`. */
  progress(done: number, total: number | null, message: string): void;
  /**
   * Sends a part of the result ahead of it; resolves when the caller has read enough for more to follow, or is gone. Null
   * when the caller gave no `progressToken`.
   */
  readonly sendPart: ((part: EncodedPart, done: number) => Promise<void>) | null;
  readonly connection: Peer;
  /** What the call may be told of. */
  readonly scope: Scope;
}

/** Methods by name: the contract's table, or a smaller one of its shape. */
export type AnyMethodTable = Readonly<Record<string, MethodSpec>>;

type Handler<Spec extends MethodSpec> = (
  params: z.output<Spec["params"]>,
  context: CallContext,
) => Promise<z.output<Spec["result"]>> | z.output<Spec["result"]>;

/** One handler for each method of a table: the compiler says which one is missing. */
export type HandlersOf<Table extends AnyMethodTable> = {
  readonly [Method in keyof Table]: Handler<Table[Method]>;
};

export type Handlers = HandlersOf<MethodTable>;
