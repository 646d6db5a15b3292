import { spawn } from "node:child_process";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../config/load.ts";
import { connect } from "../../rpc/client.ts";
import { completeLimits, MAX_FRAME_BYTES } from "../../rpc/wire/limits.ts";
import { rawClient, request, startServer, until } from "./harness.ts";

const echo = (id: unknown) => request(id, "test.echo", { text: "a" });

describe("limits of the protocol", () => {
  it("the defaults are the promised ones, and no setting raises the frame cap above 16 MiB", () => {
    expect(completeLimits()).toEqual({
      maxFrameBytes: 1_048_576,
      maxDepth: 64,
      maxBatch: 32,
      maxInFlightPerConnection: 16,
      maxInFlight: 128,
      maxConnections: 64,
      partialFrameMs: 3_000,
      maxUnreadBytes: 4_194_304,
    });
    expect(completeLimits({ maxFrameBytes: MAX_FRAME_BYTES }).maxFrameBytes).toBe(16 * 1_048_576);
    for (const maxFrameBytes of [0, 1.5, Number.NaN, MAX_FRAME_BYTES + 1])
      expect(() => completeLimits({ maxFrameBytes })).toThrow(RangeError);
  });

  it("each limit that can be configured is one that the server keeps, under the same name and default", async () => {
    const { config } = await loadConfig({
      env: {},
      platform: "linux",
      homeDir: "/home/ada",
      uid: 1000,
      cwd: "/",
      argvOverrides: {},
    });
    expect(completeLimits()).toMatchObject(config.limits);
  });

  it.each([
    ["a line", '{"jsonrpc"'],
    ["a header", "Content-Le"],
    ["a body", 'Content-Length: 10\r\n\r\n{"a"'],
    ["what may be either framing", "Con"],
  ])("P14 %s that is not completed in time is answered once and cut off", async (_kind, text) => {
    await using test = await startServer({ limits: { partialFrameMs: 30 } });
    const client = await rawClient(test.socketPath);
    client.write(text);
    await client.closed;
    expect(client.received()).toContain("must be complete within 0.03 s");
    await until(() => test.warnings.length > 0);
    expect(test.warnings).toMatchObject([{ reason: "slow-sender" }]);
  });

  it("P14 bytes that go on dribbling do not buy an incomplete message more time", async () => {
    await using test = await startServer({ limits: { partialFrameMs: 50 } });
    const client = await rawClient(test.socketPath);
    client.write("{");
    const dribble = setInterval(() => client.write(" "), 5);
    await client.closed;
    clearInterval(dribble);
    expect(client.received()).toContain("must be complete");
  });

  it("a client that is silent between whole messages is not cut off", async () => {
    await using test = await startServer({ limits: { partialFrameMs: 20 } });
    const client = await rawClient(test.socketPath);
    for (const id of [1, 2, 3]) {
      client.write(`${echo(id)}\n\n`);
      await client.take(id);
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
    expect(client.socket.destroyed).toBe(false);
  });

  it("P14 a client that never reads is dropped at its unread output's cap, and others are served meanwhile", async () => {
    await using test = await startServer();
    const honest = await connect({ socketPath: test.socketPath });
    const client = await rawClient(test.socketPath);
    client.socket.pause();
    for (let id = 1; test.warnings.length === 0; id++) {
      client.write(`${request(id, "test.big", { bytes: 1_000_000 })}\n`);
      expect(await honest.callAny("test.echo", { text: "b" })).toEqual({ text: "b" });
    }
    expect(test.warnings).toMatchObject([{ reason: "slow-reader" }]);
    expect(test.server.connections()).toHaveLength(1);
    client.socket.destroy();
    honest.close();
  });

  it("an answer larger than the cap reaches a client that reads", async () => {
    await using test = await startServer();
    const client = await connect({ socketPath: test.socketPath });
    const { text } = (await client.callAny("test.big", { bytes: 6_000_000 })) as { text: string };
    expect(text).toHaveLength(6_000_000);
    client.close();
  });

  it("the client beyond the last place is told OVERLOADED and closed; a place that gets free is used", async () => {
    await using test = await startServer({ limits: { maxConnections: 2 } });
    const first = await rawClient(test.socketPath);
    const second = await rawClient(test.socketPath);
    const third = await rawClient(test.socketPath);
    await third.closed;
    expect(third.messages()).toMatchObject([
      { id: null, error: { code: 1003, data: { name: "OVERLOADED" } } },
    ]);
    first.socket.destroy();
    await until(() => test.server.connections().length === 1);
    const fourth = await rawClient(test.socketPath);
    for (const client of [second, fourth]) {
      client.write(`${echo(1)}\n`);
      expect(await client.take(1)).toMatchObject([{ id: 1 }]);
    }
  });

  it("a client that vanishes aborts its requests", async () => {
    await using test = await startServer();
    const client = await rawClient(test.socketPath);
    client.write(`${request(1, "test.wait")}\n[${request(2, "test.wait")}]\n`);
    await until(() => test.seen.waiting.length === 2);
    client.socket.destroy();
    await until(() => test.seen.aborted.length === 2);
    expect(test.seen.aborted).toMatchObject([{ name: "AbortError" }, { name: "AbortError" }]);
    await until(() => test.server.inFlight() === 0);
  });

  it.skipIf(process.platform !== "linux")("a client that is killed aborts its requests", async () => {
    await using test = await startServer();
    const script = `require("net").connect(process.argv[1]).write(process.argv[2] + "\\n")`;
    const child = spawn(process.execPath, ["-e", script, test.socketPath, request(1, "test.wait")]);
    await until(() => test.seen.waiting.length === 1);
    expect(test.seen.aborted).toEqual([]);
    child.kill("SIGKILL");
    await until(() => test.seen.aborted.length === 1);
    expect(test.seen.aborted).toMatchObject([{ name: "AbortError" }]);
  });

  it("a client that ended its input and waits is not taken for one that vanished", async () => {
    await using test = await startServer();
    const client = await rawClient(test.socketPath);
    client.end(`${request(1, "test.wait")}\n`);
    await until(() => test.seen.waiting.length === 1);
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(test.seen.aborted).toEqual([]);
    expect(client.received()).toBe("");
  });
});
