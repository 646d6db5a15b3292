import { existsSync, rmSync, writeFileSync } from "node:fs";
import { sha256 } from "../ids.ts";
import { cleanText } from "../parse/clean-text.ts";
import { decodeText } from "../parse/decode.ts";
import { decodeAs } from "../parse/encodings.ts";
import { snapshotTitle, writeSnapshot } from "../parse/snapshot-text.ts";
import { titleFrom } from "../parse/title.ts";
import type { CaptureInput, CaptureOutcome } from "./contract.ts";
import { FetchProblem } from "./fetch-problem.ts";
import { type Fetched, fetchUrl } from "./fetch-url.ts";
import { isPdf } from "./media-type.ts";

/** Two million headings, which 20 MB have room for, took all of a heap of 1 GB; this many take 0.4 GB and 6 s. */
const MAX_ELEMENTS = 500_000;

type Captured = Extract<CaptureOutcome, { kind: "captured" }>;

/** Of the finished file, and what is said of it. */
interface Made extends Pick<Captured, "form" | "extension" | "title" | "name" | "warnings"> {
  /** What the hash is made of: its text or bytes, without frontmatter. */
  readonly body: string | Uint8Array;
  readonly file: string | Uint8Array;
}

/**
 * Fetches a URL and writes the file that is kept of it. What is wrong with the URL or with what is there is the outcome;
 * nothing is written then.
 */
export async function capture(input: CaptureInput): Promise<CaptureOutcome> {
  const { url, rules, before, into } = input;
  try {
    const fetched = await fetchUrl({ url, rules, validators: before?.validators ?? null });
    if (fetched.kind === "unchanged") return fetched;
    const made = await make(fetched, input);
    const hash = sha256(made.body);
    const { validators } = fetched;
    if (hash === before?.hash) return { kind: "unchanged", validators };
    write(into, made.file);
    const { form, extension, title, name, warnings } = made;
    return { kind: "captured", form, extension, title, name, validators, hash, warnings };
  } catch (error) {
    if (error instanceof FetchProblem) return { kind: error.kind, reason: error.message };
    throw error;
  }
}

function write(path: string, file: string | Uint8Array): void {
  try {
    writeFileSync(path, file, { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST" && existsSync(path)) rmSync(path, { force: true });
    throw error;
  }
}

async function make(fetched: Fetched, input: CaptureInput): Promise<Made> {
  if (fetched.kind === "html") return await makePage(fetched, input);
  return fetched.kind === "pdf" ? makePdf(fetched, input) : await makeText(fetched, input);
}

/** `url` is the one that was asked for: what a person adds is found by it again. */
async function makePage(fetched: Fetched, { url, title: given, timestamp }: CaptureInput): Promise<Made> {
  const [{ countElements }, { capturedPage }] = await Promise.all([
    import("../parse/html/article.ts"),
    import("../parse/html/captured-page.ts"),
  ]);
  const html = await textOf(fetched);
  if (countElements(html) > MAX_ELEMENTS)
    throw new FetchProblem("refused", `the page has more than the ${MAX_ELEMENTS} elements that can be read`);
  const page = await capturedPage(html, fetched.url.href);
  const { markdown, warnings } = page;
  if (markdown.trim() === "")
    throw new FetchProblem(
      "refused",
      "the page has no text of its own: it is empty, or filled in by scripts when it is opened",
    );
  const name = titleFrom(given) ?? snapshotTitle(markdown);
  const title = titleFrom(given) ?? page.title ?? name ?? url;
  const file = writeSnapshot({ type: "URL", title, resource: url.trim(), timestamp }, markdown);
  return { form: "page", extension: ".md", title, name, warnings, body: markdown, file };
}

function makePdf({ bytes }: Fetched, { title }: CaptureInput): Made {
  if (!isPdf(bytes))
    throw new FetchProblem("refused", "the server says that it is a PDF, but its bytes are none");
  const given = titleFrom(title);
  return {
    form: "file",
    extension: ".pdf",
    title: given,
    name: given,
    warnings: [],
    body: bytes,
    file: bytes,
  };
}

/** Text in another encoding is kept as UTF-8: nothing in the file would say which one it was. */
async function makeText(fetched: Fetched, { title }: CaptureInput): Promise<Made> {
  const text = await textOf(fetched);
  if (text.trim() === "") throw new FetchProblem("refused", "there is no text at this address: it is blank");
  const given = titleFrom(title);
  const isMarkdown = fetched.kind === "markdown";
  return {
    form: "file",
    extension: isMarkdown ? ".md" : ".txt",
    title: given,
    name: given ?? (isMarkdown ? await markdownName(text) : null),
    warnings: [],
    body: text,
    file: text,
  };
}

/** After what its front matter calls it, else after its first heading. */
async function markdownName(text: string): Promise<string | null> {
  const { readFrontMatter } = await import("../parse/front-matter.ts");
  const { fields, bodyStart } = await readFrontMatter(text);
  const title = fields["title"];
  return titleFrom(typeof title === "string" ? title : undefined) ?? snapshotTitle(text.slice(bodyStart));
}

/** By a byte order mark, what the server says, what the page says, and its bytes, in this order. */
async function textOf({ bytes, charset, kind }: Fetched): Promise<string> {
  const hasMark = /^(?:\xEF\xBB\xBF|\xFF\xFE|\xFE\xFF)/.test(bytes.subarray(0, 3).toString("latin1"));
  const declared = charset === null || hasMark ? null : await decodeAs(bytes, charset);
  if (declared !== null && !declared.includes("\uFFFD")) return cleanText(declared);
  const decoded = await decodeText(bytes);
  if (decoded !== null) return decoded.text;
  const what = kind === "html" ? "a page" : "text";
  throw new FetchProblem("refused", `the server says that it is ${what}, but its bytes are none`);
}
