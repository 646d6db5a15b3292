import {
  createJSONRPCErrorResponse,
  JSONRPCErrorCode,
  type JSONRPCErrorResponse,
  type JSONRPCID,
} from "json-rpc-2.0";
import { type ErrorName, errorTable } from "../contract/errors.ts";

/** The `data` of an answer with one of our own errors. */
export function errorData(
  name: ErrorName,
  data: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  return { hint: errorTable[name].hint, ...data, name };
}

/** An answer with an error of the table, in the table's own words. */
export function tableErrorAnswer(id: JSONRPCID, name: ErrorName): JSONRPCErrorResponse {
  const { code, message } = errorTable[name];
  return createJSONRPCErrorResponse(id, code, message, errorData(name));
}

export function invalidRequestAnswer(id: JSONRPCID, reason: string): JSONRPCErrorResponse {
  return createJSONRPCErrorResponse(id, JSONRPCErrorCode.InvalidRequest, `Invalid Request: ${reason}`);
}
