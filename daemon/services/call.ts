import type { EncodedPart } from "../../rpc/contract/grep.ts";
import type { MethodName, Params, Result } from "../../rpc/contract/index.ts";
import type { Scope } from "../runtime/scope.ts";

/** Sends a part of the result ahead of it. Resolves when the caller has read enough for more to follow. */
export type SendPart = (part: EncodedPart, done: number) => Promise<void>;

/** What a service gets of the call beside its parameters. */
export interface Call {
  readonly signal: AbortSignal;
  /** Tells the caller how far a long call is; total null = unknown. */
  readonly progress: (done: number, total: number | null, message: string) => void;
  /** Null when the caller gave no `progressToken`. */
  readonly sendPart: SendPart | null;
  readonly scope: Scope;
}

/** The function behind a method of the table. */
export type Service<M extends MethodName> = (params: Params<M>, call: Call) => Result<M> | Promise<Result<M>>;

/** The functions behind some methods of the table. */
export type Services<M extends MethodName> = { readonly [K in M]: Service<K> };
