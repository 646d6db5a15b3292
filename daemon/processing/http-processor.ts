import { open } from "node:fs/promises";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { pipeline } from "node:stream/promises";
import { OPEN_FLAGS } from "../runtime/open-flags.ts";
import { parseRetryAfter } from "../runtime/retry-after.ts";
import { MAX_MARKDOWN_BYTES, ProcessingFailure, type ProcessorInput, tooLate, tooMuch } from "./processor.ts";

export interface HttpSettings {
  readonly url: string;
  readonly deadlineMs: number;
}

/** Answers that say nothing about the file: another attempt may help. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);
/** What is read of a refusal, in bytes, and what is kept of it for the reason, in characters. */
const MAX_REFUSAL_BYTES = 16 * 1024;
const MAX_REASON = 300;
const EVENTS = "application/x-ndjson";

/**
 * Posts the file's bytes, its name in the header `x-file-name` (percent-encoded), and takes the answer's body: Markdown, or
 * (`application/x-ndjson`) one JSON object a line, `{"progress": {"done": 1, "total": 3}}` and last `{"markdown": "…"}` or
 * `{"error": "…"}`. Nothing but the deadline limits how long the service thinks before it answers.
 */
export async function runHttp({ url, deadlineMs }: HttpSettings, input: ProcessorInput): Promise<Buffer> {
  const deadline = AbortSignal.timeout(deadlineMs);
  try {
    return await post(new URL(url), input, AbortSignal.any([input.signal, deadline]));
  } catch (error) {
    input.signal.throwIfAborted();
    if (error instanceof ProcessingFailure) throw error;
    if (deadline.aborted) throw tooLate(deadlineMs);
    const reason = error instanceof Error ? error.message : String(error);
    // Without what is secret in an address.
    const { origin, pathname } = new URL(url);
    throw new ProcessingFailure("passing", `${origin}${pathname} could not be asked: ${reason}`);
  }
}

async function post(url: URL, input: ProcessorInput, signal: AbortSignal): Promise<Buffer> {
  signal.throwIfAborted();
  const file = await open(input.file, OPEN_FLAGS);
  try {
    const { size } = await file.stat();
    const request = (url.protocol === "https:" ? requestHttps : requestHttp)(url, {
      method: "POST",
      agent: false,
      headers: {
        "content-type": "application/octet-stream",
        "content-length": size,
        accept: `text/markdown, ${EVENTS}, text/plain`,
        "x-file-name": encodeURIComponent(input.name.replaceAll(/\p{Cs}/gu, "\uFFFD")),
      },
      signal,
    });
    try {
      const answered = new Promise<IncomingMessage>((resolve, reject) => {
        request.once("response", resolve);
        // More than one may come, the later ones when the answer is there already.
        request.on("error", reject);
      });
      const bytes = file.createReadStream({ autoClose: false, end: Math.max(0, size - 1) });
      // A service may answer before it has read everything: then its answer counts.
      const sent = pipeline(bytes, request).then(() => {
        if (bytes.bytesRead < size) request.destroy(new Error("the file became shorter while it was sent"));
      });
      sent.catch(() => undefined);
      return await bodyOf(await answered, input);
    } finally {
      request.destroy();
    }
  } finally {
    await file.close();
  }
}

async function bodyOf(response: IncomingMessage, input: ProcessorInput): Promise<Buffer> {
  const status = response.statusCode ?? 0;
  if (status < 200 || status > 299) throw await refusal(response, status);
  const type = (response.headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (type === EVENTS) return await lastOf(response, input);
  if (!isMarkdown(type))
    throw new ProcessingFailure("passing", `it answered with ${type}, not with Markdown`);
  const pieces: Buffer[] = [];
  for await (const piece of bounded(response)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** A page of HTML is a login or an error of something in between, JSON is another kind of service. */
function isMarkdown(type: string): boolean {
  if (type === "" || type === "application/octet-stream") return true;
  return type.startsWith("text/") && type !== "text/html";
}

async function refusal(response: IncomingMessage, status: number): Promise<ProcessingFailure> {
  const pieces: Buffer[] = [];
  let length = 0;
  try {
    for await (const bytes of response as AsyncIterable<Buffer>) {
      pieces.push(bytes);
      length += bytes.length;
      if (length >= MAX_REFUSAL_BYTES) break;
    }
  } catch {
    // What came of it is enough.
  }
  const text = Buffer.concat(pieces).subarray(0, MAX_REFUSAL_BYTES).toString().replaceAll(/\s+/g, " ").trim();
  const passes = PASSING.has(status) || status >= 500;
  const message = `it answered ${status}${text === "" ? "" : `: ${text.slice(0, MAX_REASON)}`}`;
  if (!passes) return new ProcessingFailure("permanent", message);
  const retryAfter = response.headers["retry-after"] ?? null;
  return new ProcessingFailure("passing", message, parseRetryAfter(retryAfter, Date.now()));
}

/** The body in pieces; ends at what a processor may give. */
async function* bounded(response: IncomingMessage): AsyncGenerator<Buffer> {
  let length = 0;
  for await (const bytes of response as AsyncIterable<Buffer>) {
    length += bytes.length;
    if (length > MAX_MARKDOWN_BYTES) throw tooMuch();
    yield bytes;
  }
}

async function lastOf(response: IncomingMessage, { onProgress }: ProcessorInput): Promise<Buffer> {
  const decoder = new TextDecoder();
  let rest: string[] = [];
  for await (const bytes of bounded(response)) {
    const lines = decoder.decode(bytes, { stream: true }).split("\n");
    for (const [at, line] of lines.entries()) {
      rest.push(line);
      if (at === lines.length - 1) break;
      const found = readEvent(rest.join(""), onProgress);
      if (found !== null) return found;
      rest = [];
    }
  }
  const found = readEvent(rest.join("") + decoder.decode(), onProgress);
  if (found !== null) return found;
  throw new ProcessingFailure("passing", "its answer ended before the Markdown came");
}

function readEvent(line: string, onProgress: ProcessorInput["onProgress"]): Buffer | null {
  if (line.trim() === "") return null;
  const event = parse(line);
  if (typeof event["markdown"] === "string") return Buffer.from(event["markdown"]);
  if (typeof event["error"] === "string")
    throw new ProcessingFailure("permanent", event["error"].slice(0, MAX_REASON));
  const progress = event["progress"] as { done?: unknown; total?: unknown } | null | undefined;
  if (typeof progress?.done === "number") {
    onProgress({ done: progress.done, total: typeof progress.total === "number" ? progress.total : null });
  }
  return null;
}

function parse(line: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch {
    // Said below, as for a line that is JSON but no object.
  }
  throw new ProcessingFailure("permanent", "a line of its answer is no JSON object");
}
