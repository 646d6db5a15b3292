import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished } from "vitest";
import { embeddingModel, type HttpModelSettings } from "../../config/embedding-schema.ts";
import { openVectorCache, type VectorCache } from "../../daemon/embedding/cache.ts";
import { createLimiter } from "../../daemon/endpoint/limiter.ts";
import { createHttpModel } from "../../daemon/embedding/http-model.ts";
import { EmbeddingFailure, type EmbeddingModel } from "../../daemon/embedding/provider.ts";
import { openLog } from "../../daemon/runtime/log.ts";
import { temporaryFolder } from "../support/temporary.ts";

export interface Asked {
  readonly texts: readonly string[];
  readonly body: Readonly<Record<string, unknown>>;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export type Answer = (asked: Asked) => void | Promise<void>;

export interface Endpoint {
  readonly url: string;
  readonly asked: Asked[];
  /** How the next requests are answered, one each; all after them get vectors. */
  readonly next: Answer[];
}

/** Three numbers that tell texts apart. */
export function vectorFor(text: string): number[] {
  return [text.length, text.charCodeAt(0) || 1, 1];
}

/** What a model must give for the texts. */
export function unitVectors(texts: readonly string[]): Float32Array[] {
  return texts.map((text) => {
    const numbers = vectorFor(text);
    const factor = 1 / Math.sqrt(numbers.reduce((sum, value) => sum + value * value, 0));
    return Float32Array.from(numbers, (value) => value * factor);
  });
}

/** What an embedding that must fail failed with. */
export async function failureOf(promise: Promise<unknown>): Promise<EmbeddingFailure> {
  const reason: unknown = await promise.then(
    () => null,
    (error: unknown) => error,
  );
  expect(reason).toBeInstanceOf(EmbeddingFailure);
  return reason as EmbeddingFailure;
}

export function send(
  asked: Asked,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  asked.response.writeHead(status, { "content-type": "application/json", ...headers });
  asked.response.end(typeof body === "string" ? body : JSON.stringify(body));
}

export const sendVectors: Answer = (asked) => {
  const data = asked.texts.map((text, index) => ({ index, embedding: vectorFor(text) }));
  send(asked, 200, { object: "list", data });
};

/** A real HTTP server on the loopback that answers as models do, and with what goes wrong with such servers. */
export async function openEndpoint(usual: Answer = sendVectors): Promise<Endpoint> {
  const asked: Asked[] = [];
  const next: Answer[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
      const texts = (body["input"] ?? body["documents"] ?? body["texts"]) as string[];
      const one: Asked = { texts, body, request, response };
      asked.push(one);
      void (next.shift() ?? usual)(one);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked, next };
}

/** An address where nothing listens any more. */
export async function closedUrl(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}/v1`;
}

export function openTestCache(
  path = `${temporaryFolder()}/vectors.sqlite`,
  now: () => number = Date.now,
): VectorCache {
  const cache = openVectorCache({ path, keepDays: 7, now, log: openLog({ level: "silent" }) });
  onTestFinished(() => cache.close());
  return cache;
}

export interface TestModel extends EmbeddingModel {
  readonly cache: VectorCache;
  readonly closing: AbortController;
}

export function openTestModel(
  url: string,
  over: Partial<HttpModelSettings> = {},
  { cache = openTestCache(), key = null }: { cache?: VectorCache; key?: string | null } = {},
): TestModel {
  const settings = embeddingModel.parse({
    id: "m",
    url,
    model: "test-model",
    ...over,
  }) as HttpModelSettings;
  const closing = new AbortController();
  const limiter = createLimiter({ maxConcurrent: settings.maxConcurrent, now: () => performance.now() });
  const apiKey = (): Promise<string | null> => Promise.resolve(key);
  const model = createHttpModel({
    settings,
    apiKey,
    fetch,
    now: Date.now,
    cache,
    limiter,
    retryBaseMs: 5,
    closing: closing.signal,
  });
  return { ...model, cache, closing };
}
