import {
  JSONRPCErrorCode,
  JSONRPCErrorException,
  createJSONRPCErrorResponse,
  type JSONRPCErrorResponse,
  type JSONRPCID,
  type JSONRPCRequest,
  JSONRPCServer,
} from "json-rpc-2.0";
import { KnowdError, toKnowdError } from "../daemon/runtime/errors.ts";
import { ownerScope, type Scope } from "../daemon/runtime/scope.ts";
import { toUtf8 } from "../daemon/runtime/utf8-json.ts";
import type { MethodSpec } from "./contract/define.ts";
import { errorTable } from "./contract/errors.ts";
import { underDeadline } from "./wire/deadline.ts";
import type { AnyMethodTable, CallContext, HandlersOf } from "./handlers.ts";
import { invalidParams, invalidParamsError } from "./wire/invalid-params.ts";
import { nearest } from "../config/nearest.ts";
import { quote } from "./wire/quote.ts";
import type { Dispatcher, IncomingCall } from "./wire/endpoint.ts";
import { errorData } from "./wire/error-answer.ts";

interface Gate {
  scopeOf(peer: IncomingCall["peer"]): Scope;
  admit(spec: MethodSpec, params: unknown, scope: Scope): unknown;
}

export interface RouterDeps<Table extends AnyMethodTable> {
  readonly table: Table;
  readonly handlers: HandlersOf<Table>;
  /** What the caller may be told of, and the params as they are answered within that; left out, all may be told. */
  readonly gate?: Gate | undefined;
  /** Compares each result with its schema; costs time, so not in production. */
  readonly checkResults?: boolean | undefined;
  /** Told of each INTERNAL error, which is a defect or a failing machine. */
  readonly onInternalError?: ((error: KnowdError, method: string) => void) | undefined;
}

/** Answers requests: looks the method up, checks the params, runs the handler, names what went wrong. */
export type Router = Dispatcher;

export function createRouter<Table extends AnyMethodTable>(deps: RouterDeps<Table>): Router {
  const run = createRunner(deps);
  const server = new JSONRPCServer<IncomingCall>({
    // Errors are reported where they are coerced, with their names.
    errorListener: () => undefined,
  });
  const names = Object.keys(deps.table);
  for (const name of names)
    server.addMethod(name, (params: unknown, call: IncomingCall) => run(name, params, call));
  server.handleMethodNotFound = async ({ id, method }) =>
    id === undefined ? null : methodNotFound(id, method, names);
  return {
    receive: (request: JSONRPCRequest, call: IncomingCall) => server.receive(request, call),
    unsendable(id, method, cause) {
      const error = new KnowdError("INTERNAL", { reason: "the result is no JSON" }, undefined, cause);
      deps.onInternalError?.(error, method);
      const { message, code, data } = toException(error);
      return createJSONRPCErrorResponse(id, code, message, data);
    },
  };
}

type AnyHandler = (params: unknown, context: CallContext) => unknown;

function createRunner<Table extends AnyMethodTable>(deps: RouterDeps<Table>) {
  const handlers = new Map(Object.entries(deps.handlers as Readonly<Record<string, AnyHandler>>));
  const report = (error: KnowdError, method: string) => {
    if (error.errorName === "INTERNAL") deps.onInternalError?.(error, method);
  };

  return async (method: string, rawParams: unknown, call: IncomingCall): Promise<unknown> => {
    const spec = deps.table[method];
    const handler = handlers.get(method);
    if (spec === undefined || handler === undefined) throw new TypeError(`no handler for ${method}`);
    const { params, token } = takeParams(spec, rawParams);
    const deadline = {
      deadlineMs: spec.deadlineMs,
      signal: call.signal,
      onLateError: (error: unknown) => report(toKnowdError(error), method),
    };
    try {
      const scope = deps.gate?.scopeOf(call.peer) ?? ownerScope;
      const admitted = deps.gate ? deps.gate.admit(spec, params, scope) : params;
      const result = await underDeadline(deadline, (signal) =>
        handler(admitted, {
          signal,
          progress: progressOf(call, token, signal),
          sendPart: partsOf(call, token, signal),
          connection: call.peer,
          scope,
        }),
      );
      if (deps.checkResults === true) checkResult(spec, result);
      return result;
    } catch (thrown) {
      const error = toKnowdError(thrown);
      report(error, method);
      throw toException(error);
    }
  };
}

type ProgressToken = string | number;

/** The params as the handler wants them, and the caller's progress token, which any method takes. */
function takeParams(spec: MethodSpec, raw: unknown): { params: unknown; token: ProgressToken | undefined } {
  if (Array.isArray(raw)) throw invalidParamsError("they go by name, in an object, not in an array", []);
  const { progressToken, ...rest } = (raw ?? {}) as Readonly<Record<string, unknown>>;
  const parsed = spec.params.safeParse(rest);
  if (!parsed.success) throw invalidParams(spec.params, parsed.error.issues);
  return { params: parsed.data, token: readToken(progressToken) };
}

const MAX_TOKEN_CHARS = 128;

function readToken(token: unknown): ProgressToken | undefined {
  if (token === undefined || typeof token === "number") return token;
  if (typeof token === "string" && token.length <= MAX_TOKEN_CHARS) return token;
  const message = `must be a number or a string of ${MAX_TOKEN_CHARS} characters at most`;
  throw invalidParamsError(`progressToken: ${message}`, [{ path: ["progressToken"], message }]);
}

/** Progress of a call that was answered is dropped: its token may be in use again. */
function progressOf(call: IncomingCall, token: ProgressToken | undefined, signal: AbortSignal) {
  return (done: number, total: number | null, message: string): void => {
    if (token !== undefined && !signal.aborted)
      call.peer.notify("$/progress", { token, done, total, message });
  };
}

function partsOf(
  call: IncomingCall,
  token: ProgressToken | undefined,
  signal: AbortSignal,
): CallContext["sendPart"] {
  if (token === undefined) return null;
  return async (part, done) => {
    signal.throwIfAborted();
    const opened = JSON.stringify({ token, done, total: null, message: "" }).slice(0, -1);
    call.peer.notifyEncoded("$/progress", {
      utf8: [`${toUtf8(opened)},"part":`, ...part.utf8, "}"],
    });
    await call.peer.drained();
  };
}

function checkResult(spec: MethodSpec, result: unknown): void {
  const parsed = spec.result.safeParse(result);
  if (parsed.success) return;
  const issues = parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  throw new KnowdError("INTERNAL", {
    reason: `the result is not as the contract says: ${issues.join("; ")}`,
  });
}

function toException(error: KnowdError): JSONRPCErrorException {
  const { code } = errorTable[error.errorName];
  return new JSONRPCErrorException(error.message, code, errorData(error.errorName, error.data));
}

function methodNotFound(id: JSONRPCID, method: string, known: readonly string[]): JSONRPCErrorResponse {
  const meant = nearest(method, known);
  const hint = meant === null ? "see system.methods" : `did you mean ${quote(meant)}?`;
  return createJSONRPCErrorResponse(
    id,
    JSONRPCErrorCode.MethodNotFound,
    `There is no method ${quote(method)}; ${hint}`,
    meant === null ? undefined : { nearest: meant },
  );
}
