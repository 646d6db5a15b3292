import { mkdtempSync, rmSync } from "node:fs";
import { connect as connectSocket, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { KnowdError } from "../../daemon/runtime/errors.ts";
import { method } from "../../rpc/contract/define.ts";
import type { CallContext, HandlersOf } from "../../rpc/handlers.ts";
import { createRouter } from "../../rpc/router.ts";
import { openServer, type RpcServer, type ServerDeps } from "../../rpc/server.ts";
import type { Peer } from "../../rpc/wire/endpoint.ts";
import type { WireLimits } from "../../rpc/wire/limits.ts";

const none = z.strictObject({});
const doc = "A method of the tests.";

/** A small table of the contract's shape. */
export const smallTable = {
  "test.echo": method({
    params: z.strictObject({ text: z.string().max(1_000_000), repeat: z.number().int().max(10).default(1) }),
    result: z.object({ text: z.string() }),
    doc,
    example: { text: "a" },
  }),
  "test.wait": method({ params: none, result: none, doc, example: {} }),
  "test.hurry": method({ params: none, result: none, doc, example: {}, deadlineMs: 20 }),
  "test.throw": method({
    params: z.strictObject({ kind: z.enum(["table", "defect", "abort"]) }),
    result: none,
    doc,
    example: { kind: "table" },
  }),
  "test.big": method({
    params: z.strictObject({ bytes: z.number().int() }),
    result: z.object({ text: z.string() }),
    doc,
    example: { bytes: 1 },
  }),
  "test.steps": method({ params: none, result: none, doc, example: {} }),
  "test.follow": method({ params: none, result: none, doc, example: {} }),
  "test.wrong": method({ params: none, result: z.object({ count: z.number() }), doc, example: {} }),
  "test.unsendable": method({ params: none, result: z.unknown(), doc, example: {} }),
  "test.nested": method({
    params: z.strictObject({
      list: z.array(
        z.strictObject({ name: z.string(), value: z.union([z.string(), z.number()]).optional() }),
      ),
    }),
    result: none,
    doc,
    example: { list: [] },
  }),
};

/** What the small table's handlers saw. */
export interface Seen {
  readonly waiting: CallContext[];
  readonly aborted: unknown[];
  readonly followers: Peer[];
  readonly internal: { error: KnowdError; method: string }[];
  echoed: number;
}

export function smallHandlers(seen: Seen): HandlersOf<typeof smallTable> {
  const untilAborted = (context: CallContext) =>
    new Promise<never>((_resolve, reject) => {
      seen.waiting.push(context);
      context.signal.addEventListener("abort", () => {
        seen.aborted.push(context.signal.reason);
        reject(context.signal.reason as Error);
      });
    });
  return {
    "test.echo": ({ text, repeat }) => {
      seen.echoed++;
      return { text: text.repeat(repeat) };
    },
    "test.wait": (_params, context) => untilAborted(context),
    "test.hurry": (_params, context) => untilAborted(context),
    "test.throw": ({ kind }) => {
      if (kind === "table") throw new KnowdError("BASE_NOT_FOUND", { baseId: "b" });
      if (kind === "abort") throw new DOMException("stop", "AbortError");
      throw new TypeError("undefined is not a function");
    },
    "test.big": ({ bytes }) => ({ text: "x".repeat(bytes) }),
    "test.steps": (_params, context) => {
      context.progress(1, 2, "half");
      context.progress(2, 2, "all");
      return {};
    },
    "test.follow": (_params, { connection }) => {
      seen.followers.push(connection);
      return {};
    },
    "test.wrong": () => ({ count: "three" as unknown as number }),
    "test.unsendable": () => 1n,
    "test.nested": () => ({}),
  };
}

export interface TestServer {
  readonly server: RpcServer;
  readonly socketPath: string;
  readonly seen: Seen;
  readonly warnings: Readonly<Record<string, unknown>>[];
  [Symbol.asyncDispose](): Promise<void>;
}

export interface TestServerOptions extends Partial<Pick<ServerDeps, "socketPath" | "token" | "signal">> {
  readonly limits?: Partial<WireLimits>;
  readonly checkResults?: boolean;
}

export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), "knowd-rpc-"));
}

/** A server of the small table on a socket of its own. */
export async function startServer(options: TestServerOptions = {}): Promise<TestServer> {
  const folder = temporaryFolder();
  const socketPath = options.socketPath ?? join(folder, "knowd.sock");
  const seen: Seen = { waiting: [], aborted: [], followers: [], internal: [], echoed: 0 };
  const warnings: Readonly<Record<string, unknown>>[] = [];
  const router = createRouter({
    table: smallTable,
    handlers: smallHandlers(seen),
    checkResults: options.checkResults,
    onInternalError: (error, method) => seen.internal.push({ error, method }),
  });
  const server = await openServer({
    socketPath,
    router,
    limits: options.limits,
    token: options.token,
    signal: options.signal,
    log: { warn: (data) => warnings.push(data) },
  });
  return {
    server,
    socketPath,
    seen,
    warnings,
    async [Symbol.asyncDispose]() {
      await server.close(0);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A client that writes bytes as they are and reads line by line. */
export interface RawClient {
  readonly socket: Socket;
  readonly received: () => string;
  readonly messages: () => Message[];
  readonly closed: Promise<void>;
  write(data: string | Buffer): void;
  end(data?: string | Buffer): void;
  /** Resolves with the first `count` messages; rejects when the connection ends before. */
  take(count: number): Promise<Message[]>;
}

export async function rawClient(socketPath: string): Promise<RawClient> {
  const socket = connectSocket({ path: socketPath, allowHalfOpen: true });
  await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  const chunks: Buffer[] = [];
  let wake: (() => void)[] = [];
  const changed = () => {
    const woken = wake;
    wake = [];
    for (const one of woken) one();
  };
  const parsed: Message[] = [];
  const lines: string[] = [];
  let rest = "";
  socket.setEncoding("utf8").on("data", (text: string) => {
    chunks.push(Buffer.from(text));
    const pieces = (rest + text).split("\n");
    rest = pieces.pop() ?? "";
    lines.push(...pieces);
    changed();
  });
  // A connection that the server cut is what many tests are about.
  socket.on("error", () => undefined);
  socket.on("end", () => socket.end());
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve())).then(changed);
  const received = () => Buffer.concat(chunks).toString();
  const messages = () =>
    lines.splice(0).reduce((all, line) => (all.push(JSON.parse(line) as Message), all), parsed);
  return {
    socket,
    received,
    messages,
    closed,
    write: (data) => void socket.write(data),
    end: (data) => void (data === undefined ? socket.end() : socket.end(data)),
    async take(count) {
      for (;;) {
        const all = messages();
        if (all.length >= count) return all.slice(0, count);
        if (socket.destroyed) throw new Error(`closed after ${all.length} of ${count}: ${received()}`);
        await new Promise<void>((resolve) => wake.push(resolve));
      }
    },
  };
}

export function request(id: unknown, name: string, params?: unknown): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method: name, params });
}

export function withHeader(text: string): string {
  return `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}

/** Resolves when the condition holds; the test's own timeout bounds the wait. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}
