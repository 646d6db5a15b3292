import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Client, connect } from "../../rpc/client.ts";
import { rawClient, request, startServer, type TestServer, withHeader } from "./harness.ts";

const bytes = (...codes: number[]) => Buffer.from(codes);
const line = (value: unknown) => Buffer.from(`${JSON.stringify(value)}\n`);
const call = { jsonrpc: "2.0", id: 1, method: "test.echo", params: { text: "a" } };

/** A kind's bytes, and the codes it is answered with (null closes without a word). `goes on`: the connection lives. */
const kinds: readonly [kind: string, data: Buffer, codes: readonly number[], after: "goes on" | "closes"][] =
  [
    ["truncated JSON", Buffer.from('{"jsonrpc":"2.0","id":1,\n'), [-32700], "goes on"],
    ["a word", Buffer.from("hello\n"), [-32700], "goes on"],
    ["an HTTP request", Buffer.from("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), [-32700, -32700], "goes on"],
    ["binary", Buffer.concat([bytes(0x16, 3, 1, 0, 0xff, 0xfe), Buffer.from("\n")]), [-32700], "goes on"],
    [
      "invalid UTF-8",
      Buffer.concat([Buffer.from('{"a":"'), bytes(0xff), Buffer.from('"}\n')]),
      [-32700],
      "goes on",
    ],
    ["deep nesting", Buffer.from(`${"[".repeat(100_000)}\n`), [-32700], "goes on"],
    ["deep nesting that closes", Buffer.from(`${"[".repeat(65)}${"]".repeat(65)}\n`), [-32700], "goes on"],
    ["a wrong version", line({ ...call, jsonrpc: "1.0" }), [-32600], "goes on"],
    ["no version", line({ id: 1, method: "test.echo" }), [-32600], "goes on"],
    ["no method", line({ jsonrpc: "2.0", id: 1 }), [-32600], "goes on"],
    ["a method that is a number", line({ ...call, method: 7 }), [-32600], "goes on"],
    ["a method of the object prototype", line({ ...call, method: "constructor" }), [-32601], "goes on"],
    ["an id that is an object", line({ ...call, id: {} }), [-32600], "goes on"],
    ["an id that is an array", line({ ...call, id: [1] }), [-32600], "goes on"],
    ["an id that is a boolean", line({ ...call, id: true }), [-32600], "goes on"],
    ["an endless id", line({ ...call, id: "x".repeat(10_000) }), [-32600], "goes on"],
    ["a huge number as id", Buffer.from('{"jsonrpc":"2.0","id":1e999,"method":"a"}\n'), [-32600], "goes on"],
    [
      "an id that was rounded",
      Buffer.from('{"jsonrpc":"2.0","id":12345678901234567890,"method":"a"}\n'),
      [-32600],
      "goes on",
    ],
    ["params that are a string", line({ ...call, params: "a" }), [-32600], "goes on"],
    ["params by position", line({ ...call, params: ["a"] }), [-32602], "goes on"],
    [
      "a huge number in params",
      Buffer.from('{"jsonrpc":"2.0","id":1,"method":"test.echo","params":{"text":"a","repeat":1e999}}\n'),
      [-32602],
      "goes on",
    ],
    [
      "a key named __proto__",
      Buffer.from(
        '{"jsonrpc":"2.0","id":1,"method":"test.echo","params":{"text":"a","__proto__":{"x":1}}}\n',
      ),
      [-32602],
      "goes on",
    ],
    ["a number", Buffer.from("7\n"), [-32600], "goes on"],
    ["null", Buffer.from("null\n"), [-32600], "goes on"],
    ["an answer nobody asked for", line({ jsonrpc: "2.0", id: 1, result: {} }), [-32600], "goes on"],
    ["an empty batch", Buffer.from("[]\n"), [-32600], "goes on"],
    ["a body that is no JSON", Buffer.from(withHeader("hello")), [-32700], "goes on"],
    ["an empty body", Buffer.from(withHeader("")), [-32700], "goes on"],
    ["a frame over the cap", Buffer.from(`{"a":"${"x".repeat(1_100_000)}"}\n`), [-32600], "closes"],
    ["a declared frame over the cap", Buffer.from("Content-Length: 64000000\r\n\r\n{"), [-32600], "closes"],
    ["a length that is no number", Buffer.from("Content-Length: many\r\n\r\n{}"), [-32600], "closes"],
    ["a header without a length", Buffer.from("Content-Type: text/plain\r\n\r\n{}"), [-32600], "closes"],
    ["an endless header", Buffer.from(`Content-Length: 2\r\nX-Y: ${"z".repeat(5_000)}`), [-32600], "closes"],
  ];

describe("P14 garbage cannot break the protocol", () => {
  let test: TestServer;
  let honest: Client;
  beforeAll(async () => {
    test = await startServer();
    honest = await connect({ socketPath: test.socketPath });
  });
  afterAll(async () => {
    honest.close();
    await test[Symbol.asyncDispose]();
  });

  it.each(kinds)(
    "P14 %s is answered as JSON-RPC says, and an honest client beside it notices nothing",
    async (_kind, data, codes, after) => {
      const client = await rawClient(test.socketPath);
      const beside = honest.callAny("test.echo", { text: "beside" });
      client.write(data);
      if (after === "goes on") {
        const isHeaders = data.toString().startsWith("Content-");
        client.end(
          isHeaders
            ? withHeader(request("after", "test.echo", { text: "a" }))
            : request("after", "test.echo", { text: "a" }),
        );
      }
      await client.closed;
      const answers = client
        .received()
        .split(/Content-Length: \d+\r\n\r\n|\n/)
        .filter((text) => text !== "")
        .map((text) => JSON.parse(text) as { id: unknown; error?: { code: number } });
      expect(answers.flatMap(({ error }) => error?.code ?? [])).toEqual(codes);
      expect(answers.some(({ id }) => id === "after")).toBe(after === "goes on");
      expect(await beside).toEqual({ text: "beside" });
      expect(await honest.callAny("test.echo", { text: "afterwards" })).toEqual({ text: "afterwards" });
    },
  );

  it("P14 a batch of junk is answered one by one", async () => {
    const client = await rawClient(test.socketPath);
    client.write('[1,null,"a",[],{},{"jsonrpc":"2.0","id":[],"method":"a"}]\n');
    const [answers] = (await client.take(1)) as unknown as [{ id: unknown; error: { code: number } }[]];
    expect(answers.map(({ id, error }) => [id, error.code])).toEqual(
      Array.from({ length: 6 }, () => [null, -32600]),
    );
    client.socket.destroy();
  });

  it("P14 a message that comes byte by byte is answered like any other", async () => {
    const client = await rawClient(test.socketPath);
    for (const byte of Buffer.from(`${request(1, "test.echo", { text: "é" })}\n`)) {
      client.write(bytes(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await client.take(1)).toMatchObject([{ id: 1, result: { text: "é" } }]);
    client.socket.destroy();
  });

  it("P14 10,000 lines of junk in one piece are all answered while others are served", async () => {
    const client = await rawClient(test.socketPath);
    client.write("junk\n".repeat(10_000));
    for (let turn = 0; turn < 20; turn++)
      expect(await honest.callAny("test.echo", { text: String(turn) })).toEqual({ text: String(turn) });
    expect(await client.take(10_000)).toHaveLength(10_000);
    client.socket.destroy();
  });

  it("P14 a header that is not known is passed over", async () => {
    const client = await rawClient(test.socketPath);
    const text = request(1, "test.echo", { text: "a" });
    client.end(`Content-Length: ${text.length}\r\nX-Other: y\r\n\r\n${text}`);
    await client.closed;
    expect(client.received()).toContain('"result":{"text":"a"}');
  });
});
