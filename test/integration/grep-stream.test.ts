import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import path from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";
import { connect as connectClient } from "../../rpc/client.ts";
import type { GrepPart } from "../../rpc/contract/grep.ts";
import { knowd } from "../support/command.ts";
import { cliEntry, homeEnvironment, startDaemon, watchFolder } from "../support/daemon.ts";
import { temporaryFolder } from "../support/temporary.ts";

const LINES = 25_000;

/** A daemon whose only base holds one text of 25,000 lines, eight megabytes of answers. */
async function newDaemon() {
  const home = temporaryFolder();
  mkdirSync(path.join(home, "notes"));
  const line = (at: number) =>
    `the key of line ${at}, which is long enough to fill what a socket holds ${"x".repeat(40)}`;
  writeFileSync(
    path.join(home, "notes/long.txt"),
    Array.from({ length: LINES }, (_, at) => line(at)).join("\n"),
  );
  const daemon = await startDaemon({ home });
  await watchFolder(daemon.client, path.join(home, "notes"), { embeddingModelId: null });
  return daemon;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly part: GrepPart };
  readonly result?: { readonly streamed: number };
  readonly error?: { readonly data?: { readonly name?: string } };
}

const request = (id: number, params: object) =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method: "kb.grep", params: { pattern: "key", limit: 1_000_000, stream: true, progressToken: id, ...params } })}\n`;

describe("a streamed grep", () => {
  it("waits for a reader who is slow, serves others meanwhile, and loses nothing", async () => {
    const { client, socketPath } = await newDaemon();
    const socket = connect({ path: socketPath });
    socket.write(request(1, {}));
    socket.pause();
    // Time for all of it to be found, were nobody waited for.
    for (let call = 0; call < 20; call++)
      expect((await client.call("kb.grep", { pattern: "line 7," })).matches).toHaveLength(1);
    let found = 0;
    let answer: Message | null = null;
    for await (const text of createInterface({ input: socket })) {
      const message = JSON.parse(text) as Message;
      for (const { matches } of message.params?.part.documents ?? []) found += matches.length;
      if (message.id !== 1) continue;
      answer = message;
      break;
    }
    socket.destroy();
    expect(answer?.result).toMatchObject({ matches: [], streamed: LINES, truncated: false });
    expect(found).toBe(LINES);
  });

  it("tells the same in either framing, whatever characters stand in names and texts", async () => {
    const home = temporaryFolder();
    mkdirSync(path.join(home, "notes"));
    const text = 'key "quoted" \\ back\tslash ключ 語 😀 \u0001\u2028 end';
    writeFileSync(path.join(home, "notes/schlüssel 語.md"), `${text}\n\n${text}`);
    const { client, socketPath } = await startDaemon({ home });
    await watchFolder(client, path.join(home, "notes"), { embeddingModelId: null });
    const headers = await connectClient({ socketPath, framing: "headers" });
    const told = [];
    for (const one of [client, headers]) {
      for (const lean of [false, true]) {
        const parts: GrepPart[] = [];
        const params = { pattern: "ключ", perLine: true, stream: true, lean };
        const onProgress = ({ part }: { part?: GrepPart }) => part && parts.push(part);
        expect(await one.call("kb.grep", params, { onProgress })).toMatchObject({ streamed: 2 });
        const [document] = parts.flatMap(({ documents }) => documents);
        told.push([
          path.basename(document?.path ?? ""),
          document?.lean?.texts.split("\n") ?? document?.matches.map(({ lineText }) => lineText),
          document?.lean?.line ?? document?.matches.map(({ line }) => line),
        ]);
      }
    }
    headers.close();
    const expected = ["schlüssel 語.md", [text, text], [1, 3]];
    expect(told).toEqual([expected, expected, expected, expected]);
  });

  it("is ended by a cancel, and by a command whose output nobody reads any more", async () => {
    const { client, socketPath, home } = await newDaemon();
    const socket = connect({ path: socketPath });
    socket.write(request(2, {}));
    socket.write(`${JSON.stringify({ jsonrpc: "2.0", method: "$/cancel", params: { id: 2 } })}\n`);
    let answer: Message | null = null;
    for await (const text of createInterface({ input: socket })) {
      answer = JSON.parse(text) as Message;
      if (answer.id === 2) break;
    }
    socket.destroy();
    expect(answer?.error?.data?.name).toBe("CANCELLED");

    const child = spawn(process.execPath, [cliEntry, "grep", "key"], {
      env: homeEnvironment(home),
      cwd: home,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
    for await (const first of createInterface({ input: child.stdout })) {
      expect(first).toMatch(/^notes\/long\.txt:1:the key of line 0,/);
      break;
    }
    child.stdout.destroy();
    expect(await ended).toBe(0);
    expect((await client.call("kb.grep", { pattern: "line 7," })).matches).toHaveLength(1);
    const counted = await knowd(home, ["grep", "-c", "key"], { cwd: home });
    expect(counted).toMatchObject({ code: 0, stdout: `notes/long.txt:${LINES}\n` });
    const around = await knowd(home, ["grep", "-C1", "-o", "line 7,"], { cwd: home });
    expect(around.stdout.split("\n").map((line) => line.slice(0, 36))).toEqual([
      "notes/long.txt-7-the key of line 6, ",
      "notes/long.txt:8:line 7,",
      "notes/long.txt-9-the key of line 8, ",
      "",
    ]);
  });
});
