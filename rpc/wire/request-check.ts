import {
  isJSONRPCID,
  JSONRPC,
  type JSONRPCErrorResponse,
  type JSONRPCID,
  type JSONRPCRequest,
} from "json-rpc-2.0";
import { invalidRequestAnswer } from "./error-answer.ts";

export type RequestReading =
  | { readonly request: JSONRPCRequest; readonly refusal?: undefined }
  | { readonly refusal: JSONRPCErrorResponse; readonly request?: undefined };

/** Ids are kept while their requests are in flight, so they are bounded. */
const MAX_ID_CHARS = 512;

/** A parsed value as a request or notification, or the answer that says why it is neither. `params: null` is none. */
export function readRequest(value: unknown): RequestReading {
  if (!isObject(value)) return { refusal: invalidRequestAnswer(null, "a request is an object") };
  const { id, method, params } = value;
  const idFault = faultOfId(id);
  if (idFault !== null) return { refusal: invalidRequestAnswer(null, idFault) };
  const knownId = (id ?? null) as JSONRPCID;
  if (value["jsonrpc"] !== JSONRPC)
    return { refusal: invalidRequestAnswer(knownId, '"jsonrpc" must be "2.0"') };
  if (typeof method !== "string")
    return { refusal: invalidRequestAnswer(knownId, '"method" must be a string') };
  if (params !== undefined && params !== null && typeof params !== "object")
    return { refusal: invalidRequestAnswer(knownId, '"params" must be an object') };
  const request: JSONRPCRequest = { jsonrpc: JSONRPC, method };
  if (params !== undefined && params !== null) request.params = params;
  if (id !== undefined) request.id = knownId;
  return { request };
}

function faultOfId(id: unknown): string | null {
  if (id === undefined) return null;
  if (!isJSONRPCID(id)) return '"id" must be a string, a number or null';
  if (typeof id === "string" && id.length > MAX_ID_CHARS)
    return `"id" may have ${MAX_ID_CHARS} characters at most`;
  // Such a number was rounded when it was parsed: it can't be given back as it was sent.
  if (typeof id === "number" && (Math.abs(id) > Number.MAX_SAFE_INTEGER || !Number.isFinite(id)))
    return `"id" must be a number of at most ${Number.MAX_SAFE_INTEGER}; use a string`;
  return null;
}

interface RequestLike {
  readonly [key: string]: unknown;
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
}

function isObject(value: unknown): value is RequestLike {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
