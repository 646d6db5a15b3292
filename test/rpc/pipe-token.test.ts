import { describe, expect, it } from "vitest";
import { createTokenGate, HELLO_METHOD, helloRequest } from "../../rpc/wire/pipe-token.ts";

describe("the token gate", () => {
  it("opens for the token and answers the request that showed it", () => {
    const gate = createTokenGate("secret");
    expect(gate.open).toBe(false);
    expect(gate.knock(helloRequest(1, "secret"))).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
    expect(gate.open).toBe(true);
  });

  it.each([
    ["another token", helloRequest(1, "secreT"), 1005],
    ["an empty token", helloRequest(1, ""), 1005],
    ["a longer token", helloRequest(1, "secret".repeat(1_000)), 1005],
    [
      "a token that is no string",
      { jsonrpc: "2.0", id: 1, method: HELLO_METHOD, params: { token: ["secret"] } },
      1005,
    ],
    ["no params", { jsonrpc: "2.0", id: 1, method: HELLO_METHOD }, 1005],
    ["params by position", { jsonrpc: "2.0", id: 1, method: HELLO_METHOD, params: ["secret"] }, 1005],
    ["another method", { jsonrpc: "2.0", id: 1, method: "system.status" }, -32600],
    ["a batch", [helloRequest(1, "secret")], -32600],
    ["no request", null, -32600],
  ])("stays shut for %s", (_kind, message, code) => {
    const gate = createTokenGate("secret");
    expect(gate.knock(message)).toMatchObject({ error: { code } });
    expect(gate.open).toBe(false);
  });

  it("can't be made without a token", () => {
    expect(() => createTokenGate("")).toThrow(RangeError);
  });
});
