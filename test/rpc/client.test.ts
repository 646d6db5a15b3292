import { readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { ConnectionLostError, connect, NoDaemonError, RpcError } from "../../rpc/client.ts";
import { rawClient, startServer, temporaryFolder, until } from "./harness.ts";

describe("the client", () => {
  it.each(["ndjson", "headers"] as const)("speaks %s, many calls at once", async (framing) => {
    await using test = await startServer();
    const client = await connect({ socketPath: test.socketPath, framing });
    const texts = Array.from({ length: 16 }, (_, index) => "é".repeat(index * 1_000));
    const answers = await Promise.all(texts.map((text) => client.callAny("test.echo", { text })));
    expect(answers).toEqual(texts.map((text) => ({ text })));
    client.close();
    expect(await client.closed).toBeNull();
  });

  it("an answer with an error rejects with its code, its name, its hint and its data", async () => {
    await using test = await startServer();
    const client = await connect({ socketPath: test.socketPath });
    const error = await client.callAny("test.throw", { kind: "table" }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RpcError);
    expect(error).toMatchObject({
      code: 1101,
      errorName: "BASE_NOT_FOUND",
      hint: "See knowd ls.",
      data: { baseId: "b" },
    });
    await expect(client.callAny("no.such")).rejects.toMatchObject({
      code: -32601,
      errorName: null,
      hint: null,
    });
    client.close();
  });

  it("a result that can't be sent is an INTERNAL error, and the connection goes on", async () => {
    await using test = await startServer();
    const client = await connect({ socketPath: test.socketPath });
    await expect(client.callAny("test.unsendable")).rejects.toMatchObject({ errorName: "INTERNAL" });
    expect(test.seen.internal).toMatchObject([{ method: "test.unsendable" }]);
    expect(await client.callAny("test.echo", { text: "a" })).toEqual({ text: "a" });
    client.close();
  });

  it("params that are no JSON reject and the connection goes on", async () => {
    await using test = await startServer();
    const client = await connect({ socketPath: test.socketPath });
    await expect(client.callAny("test.echo", { text: 1n })).rejects.toThrow("BigInt");
    expect(await client.callAny("test.echo", { text: "a" })).toEqual({ text: "a" });
    client.close();
  });

  it("an aborted call rejects with the signal's reason and is cancelled at the daemon", async () => {
    await using test = await startServer();
    const client = await connect({ socketPath: test.socketPath });
    const controller = new AbortController();
    const call = client.callAny("test.wait", {}, { signal: controller.signal });
    await until(() => test.seen.waiting.length === 1);
    controller.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
    await until(() => test.seen.aborted.length === 1);
    await expect(client.callAny("test.wait", {}, { signal: controller.signal })).rejects.toThrow("enough");
    expect(test.seen.waiting).toHaveLength(1);
    client.close();
  });

  it("a call that passes its own timeout rejects with DEADLINE and is cancelled at the daemon", async () => {
    await using test = await startServer();
    const client = await connect({ socketPath: test.socketPath });
    await expect(client.callAny("test.wait", {}, { timeoutMs: 20 })).rejects.toMatchObject({
      errorName: "DEADLINE",
    });
    await until(() => test.seen.aborted.length === 1);
    client.close();
  });

  it("progress reaches the call it belongs to; notifications reach their listeners until these leave", async () => {
    await using test = await startServer();
    const names: string[] = [];
    const client = await connect({ socketPath: test.socketPath, onNotification: (name) => names.push(name) });
    const steps: number[][] = [[], []];
    await Promise.all(
      steps.map((done) =>
        client.callAny("test.steps", {}, { onProgress: (progress) => done.push(progress.done) }),
      ),
    );
    expect(steps).toEqual([
      [1, 2],
      [1, 2],
    ]);
    const heard: unknown[] = [];
    const leave = client.on("events.change", (change) => heard.push(change.seq));
    await client.callAny("test.follow");
    const change = { at: 1, entity: "base", action: "created", id: "b", baseId: null, status: null } as const;
    test.seen.followers[0]?.notify("events.change", { ...change, seq: 1 });
    await until(() => heard.length === 1);
    leave();
    test.seen.followers[0]?.notify("events.change", { ...change, seq: 2 });
    await until(() => names.filter((name) => name === "events.change").length === 2);
    expect(heard).toEqual([1]);
    client.close();
  });

  it("open calls reject when the daemon goes away, and so do later ones", async () => {
    await using test = await startServer();
    const client = await connect({ socketPath: test.socketPath });
    const open = client.callAny("test.wait");
    open.catch(() => undefined);
    await until(() => test.seen.waiting.length === 1);
    await test.server.close(0);
    await expect(open).rejects.toMatchObject({ errorName: "STOPPING" });
    expect(await client.closed).toBeInstanceOf(ConnectionLostError);
    await expect(client.callAny("test.echo", { text: "a" })).rejects.toBeInstanceOf(ConnectionLostError);
  });

  it("open calls reject when the client closes", async () => {
    await using test = await startServer();
    const client = await connect({ socketPath: test.socketPath });
    const open = client.callAny("test.wait");
    client.close();
    await expect(open).rejects.toBeInstanceOf(ConnectionLostError);
    expect(await client.closed).toBeNull();
    await until(() => test.server.connections().length === 0);
  });

  it("a client that is turned away learns why", async () => {
    await using test = await startServer({ limits: { maxConnections: 1 } });
    const first = await rawClient(test.socketPath);
    const client = await connect({ socketPath: test.socketPath });
    await expect(client.callAny("test.echo", { text: "a" })).rejects.toThrow("Too many requests");
    first.socket.destroy();
  });

  it("no socket, no folder and a dead socket are all NoDaemonError", async () => {
    const folder = temporaryFolder();
    await expect(connect({ socketPath: join(folder, "none.sock") })).rejects.toBeInstanceOf(NoDaemonError);
    await expect(connect({ socketPath: join(folder, "no", "none.sock") })).rejects.toBeInstanceOf(
      NoDaemonError,
    );
    rmSync(folder, { recursive: true });
  });

  it("an aborted signal keeps the client from connecting", async () => {
    await using test = await startServer();
    await expect(
      connect({ socketPath: test.socketPath, signal: AbortSignal.abort(new Error("no")) }),
    ).rejects.toThrow("no");
    expect(test.server.connections()).toEqual([]);
  });

  it("nothing that the client loads loads zod", () => {
    const root = fileURLToPath(new URL("../../dist/rpc/client.js", import.meta.url));
    const loaded = new Set<string>();
    const packages = new Set<string>();
    const visit = (file: string): void => {
      if (loaded.has(file)) return;
      loaded.add(file);
      for (const [, name = ""] of readFileSync(file, "utf8").matchAll(
        /(?:from|import)\s*\(?\s*["']([^"']+)["']/g,
      )) {
        if (name.startsWith(".")) visit(join(dirname(file), name));
        else packages.add(name);
      }
    };
    visit(root);
    expect([...packages].filter((name) => !name.startsWith("node:"))).toEqual(["json-rpc-2.0"]);
  });
});
