import { describe, expect, it } from "vitest";
import { createFrameDecoder } from "../../rpc/wire/framing.ts";
import { rawClient, request, startServer, until, withHeader, type Message } from "./harness.ts";

const echo = (id: unknown, text = "a") => request(id, "test.echo", { text });

function decodeHeaders(bytes: Buffer): Message[] {
  const decoder = createFrameDecoder({ maxFrameBytes: 1_000_000, framing: "headers" });
  decoder.push(bytes);
  const found: Message[] = [];
  for (let frame = decoder.next(); frame !== null; frame = decoder.next()) {
    if (frame.fault) throw new Error(frame.fault.message);
    found.push(JSON.parse(frame.bytes.toString()) as Message);
  }
  return found;
}

describe("requests over a socket", () => {
  it("a line of JSON is answered with a line of JSON", async () => {
    await using test = await startServer();
    const client = await rawClient(test.socketPath);
    client.write(`${echo(1, "é")}\n${echo("two")}\n`);
    expect(await client.take(2)).toEqual([
      { jsonrpc: "2.0", id: 1, result: { text: "é" } },
      { jsonrpc: "2.0", id: "two", result: { text: "a" } },
    ]);
  });

  it("a message with a Content-Length is answered with a Content-Length, in bytes", async () => {
    await using test = await startServer();
    const client = await rawClient(test.socketPath);
    client.end(withHeader(echo(1, "日本")) + withHeader(echo(2)));
    await client.closed;
    expect(decodeHeaders(Buffer.from(client.received())).map(({ result }) => result)).toEqual([
      { text: "日本" },
      { text: "a" },
    ]);
  });

  it("a script that ends its input without a line end still gets its answer, and then the end", async () => {
    await using test = await startServer();
    const client = await rawClient(test.socketPath);
    client.end(echo(1));
    await client.closed;
    expect(client.messages()).toMatchObject([{ id: 1, result: { text: "a" } }]);
  });

  it("what is in flight when the client ends its input is answered before the connection closes", async () => {
    await using test = await startServer();
    const client = await rawClient(test.socketPath);
    client.end(`${request(1, "test.hurry")}\n${echo(2)}\n`);
    await client.closed;
    expect(client.messages().map(({ id }) => id)).toEqual([2, 1]);
    expect(test.seen.aborted).toHaveLength(1);
  });

  it("answers come as they are ready, whatever the order of the requests", async () => {
    await using test = await startServer();
    const client = await rawClient(test.socketPath);
    client.write(`${request("slow", "test.hurry")}\n${echo("fast")}\n`);
    expect((await client.take(2)).map(({ id }) => id)).toEqual(["fast", "slow"]);
  });

  it("a notification is carried out and not answered, even when it fails", async () => {
    await using test = await startServer();
    const client = await rawClient(test.socketPath);
    const quiet = [
      { jsonrpc: "2.0", method: "test.echo", params: { text: "a" } },
      { jsonrpc: "2.0", method: "test.throw", params: { kind: "defect" } },
      { jsonrpc: "2.0", method: "no.such" },
      { jsonrpc: "2.0", method: "$/unknown", params: {} },
    ];
    client.write(quiet.map((one) => `${JSON.stringify(one)}\n`).join(""));
    client.end(echo(1));
    await client.closed;
    expect(client.messages().map(({ id }) => id)).toEqual([1]);
    expect(test.seen.echoed).toBe(2);
    expect(test.seen.internal.map(({ method }) => method)).toEqual(["test.throw"]);
  });

  it("a batch is answered with one array, without its notifications; one of notifications alone with nothing", async () => {
    await using test = await startServer();
    const client = await rawClient(test.socketPath);
    const note = JSON.stringify({ jsonrpc: "2.0", method: "test.echo", params: { text: "a" } });
    client.write(`[${note}]\n[${echo(1)},${note},7,${request(2, "no.such")}]\n`);
    client.end(`[${echo(3)}]\n`);
    await client.closed;
    const answers = client
      .received()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Message[]);
    const byLength = answers.sort((a, b) => b.length - a.length);
    expect(byLength.map((batch) => batch.map(({ id, error }) => [id, error?.code]))).toEqual([
      [
        [1, undefined],
        [null, -32600],
        [2, -32601],
      ],
      [[3, undefined]],
    ]);
  });

  it("a batch of 32 is answered in full though 16 run at once; 33 are refused", async () => {
    await using test = await startServer();
    const client = await rawClient(test.socketPath);
    const batch = (size: number) =>
      `[${Array.from({ length: size }, (_, index) => request(index, "test.hurry")).join(",")}]\n`;
    client.write(batch(32));
    const [answers] = (await client.take(1)) as unknown as [Message[]];
    expect(answers.map(({ error }) => error?.code)).toEqual(Array.from({ length: 32 }, () => 1002));
    client.write(batch(33));
    expect((await client.take(2))[1]).toMatchObject({ id: null, error: { code: -32600 } });
  });

  it("$/cancel aborts the request it names, and no other", async () => {
    await using test = await startServer();
    const client = await rawClient(test.socketPath);
    client.write(`${request(1, "test.wait")}\n${request("1", "test.wait")}\n`);
    await until(() => test.seen.waiting.length === 2);
    const cancel = (id: unknown) =>
      `${JSON.stringify({ jsonrpc: "2.0", method: "$/cancel", params: { id } })}\n`;
    client.write(cancel(99) + cancel({}) + cancel("1"));
    expect(await client.take(1)).toMatchObject([
      { id: "1", error: { code: 1001, data: { name: "CANCELLED" } } },
    ]);
    expect(test.seen.aborted).toHaveLength(1);
    client.write(cancel(1));
    expect((await client.take(2))[1]).toMatchObject({ id: 1, error: { code: 1001 } });
  });

  it("a method that passes its deadline is answered with DEADLINE and its signal aborts", async () => {
    await using test = await startServer();
    const client = await rawClient(test.socketPath);
    client.write(`${request(1, "test.hurry")}\n`);
    expect(await client.take(1)).toMatchObject([
      { id: 1, error: { code: 1002, data: { name: "DEADLINE", hint: expect.any(String) as string } } },
    ]);
    expect(test.seen.aborted).toMatchObject([{ name: "TimeoutError" }]);
  });

  it("the seventeenth request in flight is answered with OVERLOADED, and a free place is used again", async () => {
    await using test = await startServer();
    const client = await rawClient(test.socketPath);
    for (let id = 1; id <= 17; id++) client.write(`${request(id, "test.wait")}\n`);
    expect(await client.take(1)).toMatchObject([{ id: 17, error: { code: 1003 } }]);
    client.write(`${JSON.stringify({ jsonrpc: "2.0", method: "$/cancel", params: { id: 5 } })}\n`);
    await client.take(2);
    client.write(`${echo(18)}\n`);
    expect((await client.take(3))[2]).toMatchObject({ id: 18, result: { text: "a" } });
  });

  it("all connections together have a limit in flight, and its refusals reach batches too", async () => {
    await using test = await startServer({ limits: { maxInFlight: 3 } });
    const busy = await rawClient(test.socketPath);
    for (let id = 1; id <= 3; id++) busy.write(`${request(id, "test.wait")}\n`);
    await until(() => test.seen.waiting.length === 3);
    expect(test.server.inFlight()).toBe(3);
    const other = await rawClient(test.socketPath);
    other.write(`${echo(1)}\n[${echo(2)}]\n`);
    expect(await other.take(2)).toMatchObject([{ error: { code: 1003 } }, [{ error: { code: 1003 } }]]);
    busy.socket.destroy();
    await until(() => test.server.inFlight() === 0);
    other.write(`${echo(3)}\n`);
    expect((await other.take(3))[2]).toMatchObject({ id: 3, result: { text: "a" } });
  });

  it("a second request with an id in flight is an Invalid Request, and the first goes on", async () => {
    await using test = await startServer();
    const client = await rawClient(test.socketPath);
    client.write(`${request(1, "test.hurry")}\n${echo(1)}\n`);
    const [second, first] = await client.take(2);
    expect(second).toMatchObject({ id: 1, error: { code: -32600 } });
    expect(first).toMatchObject({ id: 1, error: { code: 1002 } });
    client.write(`${echo(1)}\n`);
    expect((await client.take(3))[2]).toMatchObject({ id: 1, result: { text: "a" } });
  });

  it("progress goes to the caller that gave a token, before the answer", async () => {
    await using test = await startServer();
    const client = await rawClient(test.socketPath);
    client.write(`${request(1, "test.steps")}\n${request(2, "test.steps", { progressToken: "t" })}\n`);
    expect(await client.take(4)).toEqual(
      expect.arrayContaining([
        { jsonrpc: "2.0", method: "$/progress", params: { token: "t", done: 1, total: 2, message: "half" } },
        { jsonrpc: "2.0", method: "$/progress", params: { token: "t", done: 2, total: 2, message: "all" } },
      ]),
    );
  });

  it("a handler may notify its connection later, in the framing of its requests", async () => {
    await using test = await startServer();
    const client = await rawClient(test.socketPath);
    client.write(withHeader(request(1, "test.follow")));
    await until(() => test.seen.followers.length === 1);
    const [peer] = test.seen.followers;
    expect(test.server.connections()).toEqual([peer]);
    peer?.notify("$/progress", { token: 1, done: 1, total: null, message: "later" });
    await until(() => client.received().includes("later"));
    expect(decodeHeaders(Buffer.from(client.received())).map(({ method }) => method)).toEqual([
      undefined,
      "$/progress",
    ]);
    client.socket.destroy();
    await until(() => peer?.closed.aborted === true);
    peer?.notify("$/progress", { token: 1, done: 1, total: null, message: "to nobody" });
    expect(test.server.connections()).toEqual([]);
  });
});
