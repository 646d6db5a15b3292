import { spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { connect, NoDaemonError } from "../../rpc/client.ts";
import { rawClient, request, startServer, temporaryFolder, until } from "./harness.ts";

let folder: string;
let socketPath: string;
beforeEach(() => {
  folder = temporaryFolder();
  socketPath = join(folder, "run", "knowd.sock");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Leaves a socket file behind that nobody serves. */
async function leaveStaleSocket(path: string): Promise<void> {
  mkdirSync(join(path, ".."), { recursive: true, mode: 0o700 });
  const script = `require("net").createServer().listen(process.argv[1], () => process.kill(process.pid, "SIGKILL"))`;
  const child = spawn(process.execPath, ["-e", script, path]);
  await new Promise((resolve) => child.once("exit", resolve));
}

describe("the socket", () => {
  it("P13 the folder is made with mode 0700 and the socket with 0600", async () => {
    await using test = await startServer({ socketPath });
    expect(statSync(join(folder, "run")).mode & 0o777).toBe(0o700);
    expect(lstatSync(socketPath).mode & 0o777).toBe(0o600);
    expect(test.server.address).toBe(socketPath);
  });

  it.each(["0755", "0750", "0701", "0770", "0500"])(
    "P13 a folder of mode %s is refused by server and client",
    async (mode) => {
      await using test = await startServer({ socketPath });
      chmodSync(join(folder, "run"), Number.parseInt(mode, 8));
      await expect(connect({ socketPath })).rejects.toMatchObject({
        name: "SocketPathError",
        message: expect.stringContaining("must have 0700") as string,
      });
      const other = join(folder, "run", "other.sock");
      await expect(startServer({ socketPath: other })).rejects.toMatchObject({
        errorName: "PATH_INVALID",
        message: expect.stringContaining("chmod 700") as string,
      });
      expect(test.server.connections()).toEqual([]);
      chmodSync(join(folder, "run"), 0o700);
    },
  );

  it.skipIf(process.getuid?.() === 0)("P13 a folder of another user is refused", async () => {
    await expect(startServer({ socketPath: "/usr/knowd.sock" })).rejects.toThrow("belongs to another user");
  });

  it.skipIf(process.getuid?.() !== 0)("P13 a folder of another user is refused", async () => {
    mkdirSync(join(folder, "run"), { mode: 0o700 });
    chownSync(join(folder, "run"), 12_345, 12_345);
    await expect(startServer({ socketPath })).rejects.toThrow("belongs to another user (uid 12345)");
    await expect(connect({ socketPath })).rejects.toThrow("belongs to another user (uid 12345)");
  });

  it("P13 the folder behind a link counts, not the link", async () => {
    mkdirSync(join(folder, "open"), { mode: 0o755 });
    chmodSync(join(folder, "open"), 0o755);
    symlinkSync(join(folder, "open"), join(folder, "run"));
    await expect(startServer({ socketPath })).rejects.toThrow("must have 0700");
  });

  it("a path of 107 bytes is served, and one of 108 refused with its length and what to set", async () => {
    const fill = (bytes: number) => join(folder, "é".padEnd(bytes - folder.length - 2, "x"));
    const longest = fill(107);
    expect(Buffer.byteLength(longest)).toBe(107);
    await using test = await startServer({ socketPath: longest });
    const client = await connect({ socketPath: test.socketPath });
    client.close();
    const tooLong = startServer({ socketPath: fill(108) });
    await expect(tooLong).rejects.toThrow(/has 108 bytes .* 107 .*KNOWD_SOCKET/s);
    await expect(connect({ socketPath: fill(108) })).rejects.toThrow("108 bytes");
  });

  it("a socket that nobody answers is taken over", async () => {
    await leaveStaleSocket(socketPath);
    expect(lstatSync(socketPath).isSocket()).toBe(true);
    await using test = await startServer({ socketPath });
    const client = await connect({ socketPath: test.socketPath });
    expect(await client.callAny("test.echo", { text: "a" })).toEqual({ text: "a" });
    client.close();
  });

  it("a start that died between binding and moving its socket leaves nothing in the next one's way", async () => {
    await leaveStaleSocket(join(folder, "run", "knowd.soc~"));
    await using test = await startServer({ socketPath });
    expect(existsSync(join(folder, "run", "knowd.soc~"))).toBe(false);
    expect(test.server.address).toBe(socketPath);
  });

  it("P12 a socket that somebody answers is left alone: ALREADY_RUNNING names it", async () => {
    await using test = await startServer({ socketPath });
    await expect(startServer({ socketPath })).rejects.toMatchObject({
      errorName: "ALREADY_RUNNING",
      data: { socketPath },
    });
    const client = await connect({ socketPath: test.socketPath });
    client.close();
  });

  it("a file that is no socket is never removed", async () => {
    mkdirSync(join(folder, "run"), { mode: 0o700 });
    writeFileSync(socketPath, "precious");
    await expect(startServer({ socketPath })).rejects.toMatchObject({ errorName: "PATH_INVALID" });
    expect(statSync(socketPath).size).toBe(8);
  });

  it("closing removes the socket, but not one that another server has put there since", async () => {
    const old = await startServer({ socketPath });
    rmSync(socketPath);
    await using fresh = await startServer({ socketPath });
    await old.server.close(0);
    const client = await connect({ socketPath: fresh.socketPath });
    expect(await client.callAny("test.echo", { text: "a" })).toEqual({ text: "a" });
    client.close();
    await fresh.server.close(0);
    expect(existsSync(socketPath)).toBe(false);
  });
});

describe("stopping", () => {
  it("P24 what is in flight is answered, new requests and new clients are turned away, the socket goes last", async () => {
    const test = await startServer({ socketPath });
    const busy = await rawClient(socketPath);
    const idle = await rawClient(socketPath);
    busy.write(`${request(1, "test.hurry")}\n`);
    await until(() => test.seen.waiting.length === 1);
    test.server.stopAccepting();
    busy.write(`${request(2, "test.echo", { text: "a" })}\n`);
    await idle.closed;
    await expect(connect({ socketPath })).rejects.toBeInstanceOf(NoDaemonError);
    expect(existsSync(socketPath)).toBe(true);
    // Turned away at once; a close before that would find the request unread.
    await until(() => (busy.messages() as { id: number }[]).some(({ id }) => id === 2));
    await test.server.close(5_000);
    await busy.closed;
    // Which of the two is answered first depends on the load.
    const answers = new Map((busy.messages() as { id: number }[]).map((answer) => [answer.id, answer]));
    expect(answers.get(1)).toMatchObject({ error: { code: 1002 } });
    expect(answers.get(2)).toMatchObject({ error: { code: 1004, data: { name: "STOPPING" } } });
    expect(answers.size).toBe(2);
    expect(existsSync(socketPath)).toBe(false);
  });

  it("P24 what is not answered by the deadline is answered with STOPPING and its signal aborts", async () => {
    const test = await startServer({ socketPath });
    const client = await rawClient(socketPath);
    client.write(`${request(1, "test.wait")}\n`);
    await until(() => test.seen.waiting.length === 1);
    await Promise.all([test.server.close(10), test.server.close(10_000)]);
    await client.closed;
    expect(client.messages()).toMatchObject([{ id: 1, error: { code: 1004 } }]);
    expect(test.seen.aborted).toHaveLength(1);
  });

  it("P24 a client that never reads does not hold up the stop", async () => {
    const test = await startServer({ socketPath });
    const client = await rawClient(socketPath);
    client.socket.pause();
    client.write(
      `${request(1, "test.big", { bytes: 3_000_000 })}\n${request(2, "test.echo", { text: "a" })}\n`,
    );
    await until(() => test.seen.echoed === 1);
    await test.server.close(10);
    expect(test.server.connections()).toEqual([]);
    client.socket.destroy();
  });

  it("the signal closes the server, and one that has aborted keeps it from starting", async () => {
    const controller = new AbortController();
    const test = await startServer({ socketPath, signal: controller.signal });
    controller.abort();
    await test.server.close(0);
    expect(existsSync(socketPath)).toBe(false);
    await expect(startServer({ socketPath, signal: controller.signal })).rejects.toThrow("aborted");
  });
});

describe("a named pipe's token", () => {
  it("a client without the token, or with another, is refused and closed before any method sees it", async () => {
    await using test = await startServer({ token: "secret" });
    const outsider = await rawClient(test.socketPath);
    outsider.write(`${request(1, "test.echo", { text: "a" })}\n${request(2, "test.echo", { text: "a" })}\n`);
    await outsider.closed;
    expect(outsider.messages()).toMatchObject([{ id: 1, error: { code: -32600 } }]);
    await expect(connect({ socketPath: test.socketPath, token: "guess" })).rejects.toMatchObject({
      errorName: "OUT_OF_SCOPE",
    });
    expect(test.seen.echoed).toBe(0);
  });

  it("a client that shows the token is served", async () => {
    await using test = await startServer({ token: "secret" });
    const client = await connect({ socketPath: test.socketPath, token: "secret" });
    expect(await client.callAny("test.echo", { text: "a" })).toEqual({ text: "a" });
    client.close();
    expect(await client.closed).toBeNull();
  });
});

describe("a foreign server", () => {
  it("an answer that is no JSON ends the connection with a word about it", async () => {
    mkdirSync(join(folder, "run"), { mode: 0o700 });
    const foreign = createServer((socket) => socket.resume().end("220 mail ready\n"));
    await new Promise<void>((resolve) => foreign.listen(socketPath, resolve));
    const client = await connect({ socketPath });
    await expect(client.callAny("system.status")).rejects.toThrow("can't be read");
    expect(await client.closed).toMatchObject({ name: "ConnectionLostError" });
    await new Promise((resolve) => foreign.close(resolve));
  });
});
