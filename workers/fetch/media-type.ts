import { FetchProblem } from "./fetch-problem.ts";

export type Kind = "html" | "pdf" | "text" | "markdown";

export interface MediaType {
  /** Lower case, without parameters; empty where the server says none. */
  readonly essence: string;
  /** What the server says of the text's encoding. */
  readonly charset: string | null;
}

const kinds: Readonly<Record<string, Kind>> = {
  "text/html": "html",
  "application/xhtml+xml": "html",
  "application/pdf": "pdf",
  "application/x-pdf": "pdf",
  "text/plain": "text",
  "text/markdown": "markdown",
  "text/x-markdown": "markdown",
};
/** What servers say of files that they know nothing of. */
const vague: ReadonlySet<string> = new Set(["", "application/octet-stream", "binary/octet-stream"]);
const markdownPath = /\.(?:md|markdown|mdown|mkd)$/i;

export function mediaTypeOf(header: string | null): MediaType {
  const [essence = "", ...parameters] = (header ?? "").slice(0, 1000).split(";");
  const charset = parameters
    .map((parameter) => /^\s*charset\s*=\s*"?\s*([\w.:+-]{1,40})/i.exec(parameter)?.[1])
    .find((name) => name !== undefined);
  return { essence: essence.trim().toLowerCase(), charset: charset?.toLowerCase() ?? null };
}

/**
 * What will be made of an answer; null where only its bytes can tell.
 * @throws FetchProblem refused for types that are not captured, by their name.
 */
export function kindOf({ essence }: MediaType, url: URL): Kind | null {
  const kind = Object.hasOwn(kinds, essence) ? kinds[essence] : undefined;
  if (kind === "text" && markdownPath.test(url.pathname)) return "markdown";
  if (kind !== undefined) return kind;
  if (vague.has(essence)) return null;
  throw new FetchProblem(
    "refused",
    `it is of the type ${essence.slice(0, 100)}; web pages, PDF, plain text and Markdown can be captured`,
  );
}

/** What the bytes are, where the server does not say. @throws FetchProblem refused for other bytes. */
export function kindByBytes(bytes: Uint8Array, url: URL): Kind {
  if (isPdf(bytes)) return "pdf";
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 2048)).toString("latin1");
  if (/<(?:!doctype\s+html|html|head|body)[\s>]/i.test(start)) return "html";
  if (!bytes.includes(0)) return markdownPath.test(url.pathname) ? "markdown" : "text";
  throw new FetchProblem(
    "refused",
    "the server does not say of what type it is, and its bytes are no page, PDF or text",
  );
}

/** Readers of PDF take a mark within the first kilobyte. */
export function isPdf(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 1024)).includes("%PDF-");
}
