import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { runProcessor } from "../support/run-processor.ts";

type Answer = (request: IncomingMessage, body: Buffer, response: ServerResponse) => void;

async function serve(answer: Answer): Promise<string> {
  const server: Server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request
      .on("data", (piece: Buffer) => pieces.push(piece))
      .on("end", () => answer(request, Buffer.concat(pieces), response));
  });
  return await listen(server);
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/convert`;
}

describe("a service as processor", () => {
  it("is sent the bytes and the name, and its answer is the Markdown", async () => {
    const url = await serve((request, body, response) => {
      const name = decodeURIComponent(String(request.headers["x-file-name"]));
      response
        .setHeader("content-type", "text/markdown")
        .end(`${request.method} ${name}: ${body.toString()} é`);
    });
    expect(await runProcessor({ url, text: "bytes" }).done).toBe("POST a scan – é.pdf: bytes é");
  });

  it("may answer with events, in pieces of any size: progress, then Markdown", async () => {
    const url = await serve((_, __, response) => {
      response.setHeader("content-type", "application/x-ndjson");
      const text = '{"progress":{"done":1,"total":2}}\n\n{"progress":{"done":2}}\n{"markdown":"# Ünder"}\n';
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; at += 7) response.write(bytes.subarray(at, at + 7));
      response.end();
    });
    const { done, progress } = runProcessor({ url });
    expect(await done).toBe("# Ünder");
    expect(progress).toEqual([
      { done: 1, total: 2 },
      { done: 2, total: null },
    ]);
  });

  it.each([
    ["a refusal", 415, "text/plain", "no such type", "permanent", /answered 415: no such type/],
    ["a busy service", 429, "text/plain", "", "passing", /answered 429/],
    ["a broken one", 500, "text/plain", "oops,\n\nreally", "passing", /answered 500: oops, really$/],
    ["a redirect", 302, "text/plain", "", "permanent", /answered 302/],
    [
      "a page in place of an answer",
      200,
      "text/html; charset=utf-8",
      "<h1>Log in</h1>",
      "passing",
      /text\/html/,
    ],
    ["an answer of another kind", 200, "application/json", '{"text":"x"}', "passing", /application\/json/],
    [
      "events that end early",
      200,
      "application/x-ndjson",
      '{"progress":{"done":1}}\n',
      "passing",
      /ended before/,
    ],
    [
      "an event that says an error",
      200,
      "application/x-ndjson",
      '{"error":"no pages"}\n',
      "permanent",
      /no pages/,
    ],
    ["events that are no JSON", 200, "application/x-ndjson", "{{{\n", "permanent", /no JSON object/],
  ])("fails plainly: %s", async (_, status, type, body, kind, message) => {
    const url = await serve((__, ___, response) => {
      response.writeHead(status, { "content-type": type }).end(body);
    });
    await expect(runProcessor({ url }).done).rejects.toMatchObject({
      kind,
      message: expect.stringMatching(message),
    });
  });

  it.each([
    ["an answer", 200, "permanent", /more than/],
    ["a refusal", 500, "passing", /answered 500: xxx/],
  ])("is not listened to for ever: %s without end", async (_, status, kind, message) => {
    const url = await serve((__, ___, response) => {
      response.writeHead(status, { "content-type": "text/plain" });
      const piece = Buffer.alloc(1024 * 1024, "x");
      const write = (): void => {
        if (!response.destroyed) response.write(piece, () => setImmediate(write));
      };
      write();
    });
    await expect(runProcessor({ url }).done).rejects.toMatchObject({
      kind,
      message: expect.stringMatching(message),
    });
  });

  it("that is busy says when it is to be asked again", async () => {
    const url = await serve((_, __, response) => {
      response.writeHead(429, { "retry-after": "7" }).end();
    });
    await expect(runProcessor({ url }).done).rejects.toMatchObject({ kind: "passing", retryAfterMs: 7000 });
  });

  it("may answer before it has read the file", async () => {
    const server = createServer((_, response) => response.writeHead(413).end("too large"));
    const url = await listen(server);
    const text = "x".repeat(8 * 1024 * 1024);
    await expect(runProcessor({ url, text }).done).rejects.toMatchObject({
      message: expect.stringMatching(/413|asked/),
    });
  });

  it("keeps what is secret in its address out of the reason", async () => {
    const { done } = runProcessor({ url: "http://user:word@127.0.0.1:9/ocr?key=secret" });
    const { message } = (await done.catch((error: unknown) => error)) as Error;
    expect(message).toContain("http://127.0.0.1:9/ocr could not be asked");
    expect(message).not.toMatch(/secret|word/);
  });

  it("that is not there may be tried again, and one that never answers ends at its deadline", async () => {
    await expect(runProcessor({ url: "http://127.0.0.1:9/" }).done).rejects.toMatchObject({
      kind: "passing",
    });
    const url = await serve(() => undefined);
    await expect(runProcessor({ url, deadlineMs: 1000 }).done).rejects.toMatchObject({
      kind: "permanent",
      message: expect.stringContaining("deadline"),
    });
  });
});
