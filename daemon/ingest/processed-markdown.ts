import { linkSync, renameSync } from "node:fs";
import { type FileHandle, mkdir, open, rename } from "node:fs/promises";
import path from "node:path";
import type { Item } from "../../rpc/contract/items.ts";
import { createSlicer } from "../runtime/yielding.ts";
import { removeFile } from "./copy-material.ts";
import type { IngestDeps } from "./ingest-deps.ts";
import { temporaryFor } from "./place-material.ts";

type MarkdownDeps = Pick<IngestDeps, "catalog" | "registry">;

/** Who has the Markdown made, and may want it no longer by the time it is there. */
interface Customer {
  readonly isWanted: () => boolean;
  /** Writes down what it was made from, and where it stands. */
  readonly keep: (markdownId: string) => void;
}

/** No bytes have this hash: the Markdown that stands there may be of other ones by now. */
const UNKNOWN_BYTES = "";

/** K5.1: what a processor made of a file stands beside it, made durable before it has its name. */
export async function storeMarkdown(
  deps: MarkdownDeps,
  item: Item,
  markdown: Buffer,
  { isWanted, keep }: Customer,
): Promise<void> {
  const raw = deps.registry.rawPath(item.baseId);
  const temporary = temporaryFor(deps, item.baseId);
  try {
    await writeDurably(temporary, markdown);
    // A delete of the base waits for its end, or comes first and wants nothing any more.
    await deps.registry.runExclusive(item.baseId, async () => {
      if (!isWanted()) return;
      const old = deps.catalog.processed.get(item.id);
      if (old !== undefined) deps.catalog.processed.put(item.id, { ...old, byteHash: UNKNOWN_BYTES });
      const markdownId = await reserve(deps, item);
      await place(temporary, path.join(raw, markdownId));
      if (isWanted()) keep(markdownId);
      else await removeFile(path.join(raw, markdownId));
      if (old !== undefined && old.markdownId !== markdownId)
        await removeFile(path.join(raw, old.markdownId));
    });
  } finally {
    await removeFile(temporary);
  }
}

async function writeDurably(file: string, markdown: Buffer): Promise<void> {
  const handle = await open(file, "wx", 0o600);
  try {
    await writePages(handle, markdown);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const FORM_FEED = 0x0c;
const SPACE = 0x20;
/** Their bytes are not those of ASCII: what looks like a form feed is half a character. */
const UTF_16_MARKS: ReadonlySet<number> = new Set([0xfeff, 0xfffe]);
const WRITE_BYTES = 1024 * 1024;
const SLICE_MS = 8;

/** Form feeds, as OCR programs end pages with, become marks that a person can read too. A blank page needs none. */
async function writePages(handle: FileHandle, markdown: Buffer): Promise<void> {
  const isWide = markdown.length >= 2 && UTF_16_MARKS.has(markdown.readUInt16BE());
  if (isWide || !markdown.includes(FORM_FEED)) return await handle.writeFile(markdown);
  const slicer = createSlicer(SLICE_MS);
  let pieces: Buffer[] = [];
  let waiting = 0;
  for (let at = 0, page = 1; at < markdown.length; page++) {
    const found = markdown.indexOf(FORM_FEED, at);
    const end = found === -1 ? markdown.length : found;
    const text = markdown.subarray(at, end);
    at = end + 1;
    if (!isBlank(text)) {
      pieces.push(Buffer.from(`<!-- page ${page} -->\n`), text, Buffer.from("\n\n"));
      waiting += text.length;
    }
    if (waiting >= WRITE_BYTES || at >= markdown.length) {
      await handle.writeFile(Buffer.concat(pieces));
      pieces = [];
      waiting = 0;
    }
    await slicer.pause();
  }
  return undefined;
}

/** Whether there is nothing in it but space. */
export function isBlank(text: Buffer): boolean {
  return text.every((byte) => byte <= SPACE);
}

/** After its file moved, the Markdown follows to the place beside it. One that is not there is made again when it is asked for. */
export async function moveMarkdown(deps: MarkdownDeps, item: Item): Promise<void> {
  const processed = deps.catalog.processed.get(item.id);
  if (processed === undefined) return;
  const markdownId = await reserve(deps, item);
  if (markdownId === processed.markdownId) return;
  const raw = deps.registry.rawPath(item.baseId);
  try {
    await place(path.join(raw, processed.markdownId), path.join(raw, markdownId));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  deps.catalog.processed.put(item.id, { ...processed, markdownId });
}

/**
 * An owned file follows the name that it gets when the place of its Markdown was taken: it has both names until the new one is
 * written down, so that a crash in between loses nothing.
 */
async function reserve({ catalog, registry }: MarkdownDeps, item: Item): Promise<string> {
  const raw = registry.rawPath(item.baseId);
  const before = path.join(raw, item.conceptId);
  const { conceptId, markdownId } = catalog.transaction(() => {
    const reserved = catalog.processed.reserve(item.id);
    const after = path.join(raw, reserved.conceptId);
    if (item.path === null && after !== before) addName(before, after);
    return reserved;
  });
  if (item.path === null && conceptId !== item.conceptId) await removeFile(before);
  return markdownId;
}

function addName(before: string, after: string): void {
  try {
    linkSync(before, after);
  } catch {
    // A file system without links, or what a crash has left at a name that is nobody's.
    renameSync(before, after);
  }
}

async function place(from: string, to: string): Promise<void> {
  await mkdir(path.dirname(to), { recursive: true });
  await rename(from, to);
}
