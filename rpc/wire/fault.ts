import { JSONRPCErrorCode } from "json-rpc-2.0";

/** What is wrong with bytes that arrived. After a fatal one the next frame's start can't be known. */
export interface Fault {
  readonly code: number;
  readonly message: string;
  readonly fatal: boolean;
}

/** The frame is readable as a frame, but what is in it is not a message. */
export function parseFault(reason: string): Fault {
  return { code: JSONRPCErrorCode.ParseError, message: `Parse error: ${reason}`, fatal: false };
}

/** The stream can't be cut into frames any more: answered once, then closed. */
export function streamFault(reason: string): Fault {
  return { code: JSONRPCErrorCode.InvalidRequest, message: `Invalid Request: ${reason}`, fatal: true };
}
