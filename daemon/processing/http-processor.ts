import { openAsBlob } from "node:fs";
import { MAX_MARKDOWN_CHARS, ProcessingFailure, type ProcessorInput } from "./processor.ts";

export interface HttpSettings {
  readonly url: string;
  readonly deadlineMs: number;
}

/** Answers that say nothing about the file: another attempt may help. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);
const MAX_REASON = 300;

/**
 * Posts the file's bytes, its name in the header `x-file-name` (percent-encoded), and takes the answer's body: Markdown, or
 * (`application/x-ndjson`) one JSON object a line, `{"progress": {"done": 1, "total": 3}}` and last `{"markdown": "…"}`.
 */
export async function runHttp(settings: HttpSettings, input: ProcessorInput): Promise<string> {
  const deadline = AbortSignal.timeout(settings.deadlineMs);
  const signal = AbortSignal.any([input.signal, deadline]);
  try {
    const response = await fetch(settings.url, {
      method: "POST",
      body: await openAsBlob(input.file),
      headers: {
        "content-type": "application/octet-stream",
        accept: "text/markdown, application/x-ndjson, text/plain",
        "x-file-name": encodeURIComponent(input.name.replaceAll(/\p{Cs}/gu, "\uFFFD")),
      },
      redirect: "error",
      signal,
    });
    if (!response.ok) throw await refusal(response);
    const isEvents = response.headers.get("content-type")?.startsWith("application/x-ndjson") === true;
    return isEvents ? await lastOf(response, input) : await bodyOf(response);
  } catch (error) {
    input.signal.throwIfAborted();
    if (error instanceof ProcessingFailure) throw error;
    if (deadline.aborted) {
      throw new ProcessingFailure(
        "permanent",
        `it took longer than its deadline of ${settings.deadlineMs} ms`,
      );
    }
    throw new ProcessingFailure("passing", `${settings.url} could not be asked: ${reasonOf(error)}`);
  }
}

async function refusal(response: Response): Promise<ProcessingFailure> {
  const text = (await response.text().catch(() => "")).trim().slice(0, MAX_REASON);
  const passes = PASSING.has(response.status) || response.status >= 500;
  const message = `it answered ${response.status}${text === "" ? "" : `: ${text}`}`;
  return new ProcessingFailure(passes ? "passing" : "permanent", message);
}

async function bodyOf(response: Response): Promise<string> {
  const pieces: string[] = [];
  for await (const piece of textOf(response)) pieces.push(piece);
  return pieces.join("");
}

/** The body's text in pieces; ends at what a processor may give. */
async function* textOf(response: Response): AsyncGenerator<string> {
  if (response.body === null) return;
  const decoder = new TextDecoder();
  let length = 0;
  for await (const bytes of response.body) {
    length += bytes.length;
    if (length > MAX_MARKDOWN_CHARS) {
      throw new ProcessingFailure("permanent", `it gave more than ${MAX_MARKDOWN_CHARS} characters`);
    }
    yield decoder.decode(bytes, { stream: true });
  }
  yield decoder.decode();
}

async function lastOf(response: Response, { onProgress }: ProcessorInput): Promise<string> {
  let rest: string[] = [];
  for await (const piece of textOf(response)) {
    const lines = piece.split("\n");
    for (const [at, line] of lines.entries()) {
      rest.push(line);
      if (at === lines.length - 1) break;
      const found = readEvent(rest.join(""), onProgress);
      if (found !== null) return found;
      rest = [];
    }
  }
  const found = readEvent(rest.join(""), onProgress);
  if (found !== null) return found;
  throw new ProcessingFailure("passing", "its answer ended before the Markdown came");
}

function readEvent(line: string, onProgress: ProcessorInput["onProgress"]): string | null {
  if (line.trim() === "") return null;
  const event = parse(line);
  if (typeof event["markdown"] === "string") return event["markdown"];
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

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
