import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ProcessingProgress } from "../../daemon/processing/processor.ts";
import { openProcessors } from "../../daemon/processing/processors.ts";
import { eventually } from "../support/eventually.ts";
import { temporaryFolder } from "../support/temporary.ts";

interface Given {
  readonly command?: string[];
  readonly url?: string;
  readonly deadlineMs?: number;
  readonly text?: string;
  readonly signal?: AbortSignal;
}

function begin({ text = "scan", signal, deadlineMs = 20_000, ...how }: Given) {
  const folder = temporaryFolder();
  const file = path.join(folder, "a scan – é.pdf");
  writeFileSync(file, text);
  const processors = openProcessors({
    maxConcurrent: 1,
    processors: [{ id: "ocr", extensions: ["pdf"], when: "unreadable", deadlineMs, ...how }],
  });
  const progress: ProcessingProgress[] = [];
  const done = processors.get("ocr")!.run({
    file,
    name: path.basename(file),
    signal: signal ?? new AbortController().signal,
    onProgress: (step) => progress.push(step),
  });
  return { done, progress, folder, file };
}

const shell = (script: string): string[] => ["sh", "-c", script, "processor", "{input}", "{output}"];
/** Without `{output}`: standard output is taken. */
const piped = (script: string): string[] => ["sh", "-c", script, "processor", "{input}"];

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe("a command as processor", () => {
  it("gives what it writes to standard output, and tells how far it is", async () => {
    const script = 'echo "progress 1/2" >&2; printf "# Page of "; cat "$1"; echo "progress 2/2" >&2';
    const { done, progress } = begin({ command: piped(script), text: "zqé" });
    expect(await done).toBe("# Page of zqé");
    expect(progress).toEqual([
      { done: 1, total: 2 },
      { done: 2, total: 2 },
    ]);
  });

  it("gives what it writes to its output file, in a folder that is gone afterwards", async () => {
    const { done } = begin({ command: shell('pwd > "$2"; touch litter') });
    const folder = (await done).trim();
    expect(path.basename(folder)).toMatch(/^knowd-processor-/);
    expect(existsSync(folder)).toBe(false);
  });

  it("is given names as they are: no shell reads them", async () => {
    const { done } = begin({ command: ["printf", "%s", "$(touch /nowhere) `id` {input} $1"] });
    expect(await done).toMatch(/^\$\(touch \/nowhere\) `id` \/.* – é\.pdf \$1$/);
  });

  it.each([
    [
      "an exit code with the last line it said",
      'echo "first" >&2; echo "no pages" >&2; exit 3',
      "permanent",
      /exit code 3: no pages/,
    ],
    ["a wish to be tried again", "exit 75", "passing", /exit code 75/],
    ["an end by a signal", "kill -9 $$", "passing", /SIGKILL/],
    ["no output file", "true", "permanent", /wrote no output/],
  ])("fails plainly: %s", async (_, script, kind, message) => {
    const { done } = begin({ command: shell(script) });
    await expect(done).rejects.toMatchObject({
      name: "ProcessingFailure",
      kind,
      message: expect.stringMatching(message),
    });
  });

  it("that can't be started says so, and may be tried again", async () => {
    const { done } = begin({ command: ["/nowhere/ocr", "{input}"] });
    await expect(done).rejects.toMatchObject({
      kind: "passing",
      message: expect.stringContaining("/nowhere/ocr"),
    });
  });

  it.each([
    ["deadline", { deadlineMs: 1500 }, /longer than its deadline/],
    ["abort", {}, /stopping/],
  ])(
    "is ended at its %s with all that it started, also what ignores the request",
    async (how, settings, message) => {
      const controller = new AbortController();
      const script = `trap "" TERM; sleep 60 & echo "$!" > "$1.pid"; wait; sleep 60`;
      const { done, file } = begin({ command: piped(script), signal: controller.signal, ...settings });
      const failure = done.catch((error: unknown) => error);
      const pid = await eventually(() => {
        const text = existsSync(`${file}.pid`) ? readFileSync(`${file}.pid`, "utf8").trim() : "";
        return text === "" ? undefined : Number(text);
      });
      if (how === "abort") controller.abort(new Error("stopping"));
      expect(String(await failure)).toMatch(message);
      await eventually(() => (isRunning(pid) ? undefined : true));
    },
  );

  it("that writes without end is ended, and kept within bounds", async () => {
    const { done } = begin({
      command: piped("yes 0123456789012345678901234567890123456789012345678901234567890123"),
    });
    await expect(done).rejects.toMatchObject({
      kind: "permanent",
      message: expect.stringContaining("more than"),
    });
  }, 30_000);
});

type Answer = (request: IncomingMessage, body: Buffer, response: ServerResponse) => void;

async function serve(answer: Answer): Promise<string> {
  const server: Server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request
      .on("data", (piece: Buffer) => pieces.push(piece))
      .on("end", () => answer(request, Buffer.concat(pieces), response));
  });
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
    expect(await begin({ url, text: "bytes" }).done).toBe("POST a scan – é.pdf: bytes é");
  });

  it("may answer with events, in pieces of any size: progress, then Markdown", async () => {
    const url = await serve((_, __, response) => {
      response.setHeader("content-type", "application/x-ndjson");
      const text = '{"progress":{"done":1,"total":2}}\n\n{"progress":{"done":2}}\n{"markdown":"# Ünder"}\n';
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; at += 7) response.write(bytes.subarray(at, at + 7));
      response.end();
    });
    const { done, progress } = begin({ url });
    expect(await done).toBe("# Ünder");
    expect(progress).toEqual([
      { done: 1, total: 2 },
      { done: 2, total: null },
    ]);
  });

  it.each([
    ["a refusal", 415, "text/plain", "no such type", "permanent", /answered 415: no such type/],
    ["a busy service", 429, "text/plain", "", "passing", /answered 429/],
    ["a broken one", 500, "text/plain", "oops", "passing", /answered 500: oops/],
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
    await expect(begin({ url }).done).rejects.toMatchObject({
      kind,
      message: expect.stringMatching(message),
    });
  });

  it("that is not there may be tried again, and one that never answers ends at its deadline", async () => {
    await expect(begin({ url: "http://127.0.0.1:9/" }).done).rejects.toMatchObject({ kind: "passing" });
    const url = await serve(() => undefined);
    await expect(begin({ url, deadlineMs: 1000 }).done).rejects.toMatchObject({
      kind: "permanent",
      message: expect.stringContaining("deadline"),
    });
  });
});
