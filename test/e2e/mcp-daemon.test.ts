import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import path from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import { readInstanceInfo } from "../../config/instance-info.ts";
import { connect } from "../../rpc/client.ts";
import { watchFolder } from "../support/daemon.ts";
import { eventually } from "../support/eventually.ts";
import { connectMcp, textOf } from "../support/mcp.ts";
import { isRunning, processEnd } from "../support/processes.ts";
import { temporaryFolder } from "../support/temporary.ts";

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** Whoever sits at a socket and speaks the daemon's protocol: each message it gets is kept, and answered as told. */
async function peerAt(socketPath: string, answer: (message: Message, socket: Socket) => unknown) {
  const heard: Message[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    createInterface({ input: socket }).on("line", (line) => {
      const message = JSON.parse(line) as Message;
      heard.push(message);
      const result = answer(message, socket);
      if (result !== undefined)
        socket.write(`${JSON.stringify({ jsonrpc: "2.0", id: message.id, result })}\n`);
    });
  });
  mkdirSync(path.dirname(socketPath), { recursive: true, mode: 0o700 });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return heard;
}

/** What every client asks for before its first call. */
function welcome({ method }: Message): unknown {
  if (method === "base.list") return { items: [] };
  return method === "events.subscribe" ? { seq: 0 } : undefined;
}

const found = { matches: [], documents: 0, truncated: false, warnings: [] };

describe("knowd mcp and its daemon", () => {
  it("starts one when none runs, goes on with the next when it is killed, and leaves it running at its end", async () => {
    const home = temporaryFolder();
    mkdirSync(path.join(home, "notes"));
    mkdirSync(path.join(home, "run"), { mode: 0o700 });
    writeFileSync(path.join(home, "notes/a.md"), "zqkilled\n");
    const { call, client } = await connectMcp(home);
    const pid = () => readInstanceInfo(path.join(home, "data/knowd"))?.pid ?? 0;
    onTestFinished(() => {
      if (isRunning(pid())) process.kill(pid(), "SIGKILL");
    });
    expect((await call("kb_grep", { pattern: "zqkilled" })).isError).toBeUndefined();
    const daemon = await connect({ socketPath: path.join(home, "run/knowd/knowd.sock") });
    await watchFolder(daemon, path.join(home, "notes"), { embeddingModelId: null });
    const first = pid();
    process.kill(first, "SIGKILL");
    await processEnd(first);
    const again = await call("kb_grep", { pattern: "zqkilled" });
    expect(textOf(again)).toContain('conceptId: "notes/a.md"');
    const second = pid();
    expect(second).not.toBe(first);
    await client.close();
    expect(isRunning(second)).toBe(true);
    process.kill(second, "SIGTERM");
    await processEnd(second);
  });

  it("says why a daemon can't be started", async () => {
    const home = temporaryFolder();
    mkdirSync(path.join(home, "run"), { mode: 0o700 });
    mkdirSync(path.join(home, "config/knowd"), { recursive: true });
    writeFileSync(path.join(home, "config/knowd/config.toml"), "[search]\ndeadlineMs = 0\n");
    const { call } = await connectMcp(home);
    const failed = await call("kb_grep", { pattern: "x" });
    expect(failed.isError).toBe(true);
    expect(textOf(failed)).toContain("search.deadlineMs");
  });

  it("passes on a cancellation, and the progress that comes meanwhile", async () => {
    const home = temporaryFolder();
    const socketPath = path.join(home, "run/knowd/knowd.sock");
    const heard = await peerAt(socketPath, (message, socket) => {
      if (message.method !== "kb.grep") return welcome(message);
      const token = message.params?.["progressToken"];
      for (const done of [1, 1, 2]) {
        const params = { token, done, total: 3, message: "documents" };
        socket.write(`${JSON.stringify({ jsonrpc: "2.0", method: "$/progress", params })}\n`);
      }
      return undefined;
    });
    const { client } = await connectMcp(home, ["--socket", socketPath]);
    const progress: { progress: number; total?: number | undefined; message?: string | undefined }[] = [];
    const abort = new AbortController();
    const call = client.callTool({ name: "kb_grep", arguments: { pattern: "x" } }, undefined, {
      signal: abort.signal,
      onprogress: (one) => void progress.push(one),
    });
    call.catch(() => undefined);
    await eventually(() => (progress.length === 3 ? true : undefined));
    expect(progress[0]).toEqual({ progress: 1, total: 3, message: "documents" });
    expect(
      progress.every((one, index) => index === 0 || one.progress > (progress[index - 1]?.progress ?? 0)),
    ).toBe(true);
    abort.abort();
    await expect(call).rejects.toThrow("abort");
    const asked = heard.find(({ method }) => method === "kb.grep");
    const cancelled = await eventually(() => heard.find(({ method }) => method === "$/cancel"));
    expect(cancelled.params).toEqual({ id: asked?.id });
  });

  it("asks again what only reads when the connection ends before the answer, and what a stopping daemon refused", async () => {
    const home = temporaryFolder();
    const socketPath = path.join(home, "run/knowd/knowd.sock");
    let asked = 0;
    await peerAt(socketPath, (message, socket) => {
      if (message.method !== "kb.grep") return welcome(message);
      asked++;
      if (asked === 1) socket.destroy();
      const error = { code: 1004, message: "The daemon is stopping." };
      if (asked === 2) socket.write(`${JSON.stringify({ jsonrpc: "2.0", id: message.id, error })}\n`);
      return asked > 2 ? found : undefined;
    });
    const { call } = await connectMcp(home, ["--socket", socketPath]);
    expect((await call("kb_grep", { pattern: "x" })).structuredContent).toEqual(found);
    expect(asked).toBe(3);
  });

  it("never asks twice for what writes, and says that it may have been done", async () => {
    const home = temporaryFolder();
    const socketPath = path.join(home, "run/knowd/knowd.sock");
    let asked = 0;
    await peerAt(socketPath, (message, socket) => {
      if (message.method !== "kb.manage") return welcome(message);
      asked++;
      socket.destroy();
      return undefined;
    });
    const { call } = await connectMcp(home, ["--allow-manage", "--socket", socketPath]);
    const failed = await call("kb_manage", { action: "add", notes: [{ content: "x" }] });
    expect(textOf(failed)).toContain("may have been carried out");
    expect(asked).toBe(1);
  });
});
