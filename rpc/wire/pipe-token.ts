import { createHash, timingSafeEqual } from "node:crypto";
import {
  createJSONRPCRequest,
  createJSONRPCSuccessResponse,
  type JSONRPCID,
  type JSONRPCRequest,
  type JSONRPCResponse,
} from "json-rpc-2.0";
import { invalidRequestAnswer, tableErrorAnswer } from "./error-answer.ts";
import { readRequest } from "./request-check.ts";

/**
 * Any user may open a named pipe, and no mode forbids it: where there is no 0700 folder, a client shows first that it
 * can read the token file of the data folder.
 */
export const HELLO_METHOD = "$/hello";

export interface TokenGate {
  readonly open: boolean;
  /** Judges a connection's first message. After a refusal the connection is to be closed. */
  knock(message: unknown): JSONRPCResponse;
}

export function createTokenGate(token: string): TokenGate {
  if (token === "") throw new RangeError("a pipe token may not be empty");
  let open = false;
  return {
    get open() {
      return open;
    },
    knock(message) {
      const { request, refusal } = readRequest(message);
      if (request === undefined) return refusal;
      const { id = null, params } = request;
      if (request.method !== HELLO_METHOD)
        return invalidRequestAnswer(id, `the first request must be ${HELLO_METHOD}`);
      if (!isSameText(token, (params as { token?: unknown } | undefined)?.token))
        return tableErrorAnswer(id, "OUT_OF_SCOPE");
      open = true;
      return createJSONRPCSuccessResponse(id, {});
    },
  };
}

/** The request that opens a gate. */
export function helloRequest(id: JSONRPCID, token: string): JSONRPCRequest {
  return createJSONRPCRequest(id, HELLO_METHOD, { token });
}

/** In constant time: digests have one length, and the comparison does not stop at the first difference. */
function isSameText(expected: string, given: unknown): boolean {
  if (typeof given !== "string") return false;
  return timingSafeEqual(digest(expected), digest(given));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
