import { mkdir, open, rename } from "node:fs/promises";
import path from "node:path";
import type { Item } from "../../rpc/contract/items.ts";
import { removeFile } from "./copy-material.ts";
import type { IngestDeps } from "./ingest-deps.ts";
import { temporaryFor } from "./place-material.ts";

type MarkdownDeps = Pick<IngestDeps, "catalog" | "registry">;

/** K5.1: what a processor made of a file stands beside it, made durable before it has its name. Answers where. */
export async function storeMarkdown(deps: MarkdownDeps, item: Item, markdown: string): Promise<string> {
  const raw = deps.registry.rawPath(item.baseId);
  const temporary = temporaryFor(deps, item.baseId);
  try {
    const handle = await open(temporary, "wx", 0o600);
    try {
      await handle.writeFile(withPageMarks(markdown));
      await handle.sync();
    } finally {
      await handle.close();
    }
    const markdownId = await reserve(deps, item);
    await place(temporary, path.join(raw, markdownId));
    const old = deps.catalog.processed.get(item.id)?.markdownId;
    if (old !== undefined && old !== markdownId) await removeFile(path.join(raw, old));
    return markdownId;
  } finally {
    await removeFile(temporary);
  }
}

/** Form feeds, as OCR programs end pages with, become marks that a person can read too. */
function withPageMarks(markdown: string): string {
  if (!markdown.includes("\f")) return markdown;
  const pages = markdown.replace(/\f\s*$/, "").split("\f");
  return pages.map((page, at) => `<!-- page ${at + 1} -->\n${page.trim()}\n`).join("\n");
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

/** An owned file follows the name that it gets when the place of its Markdown was taken. */
async function reserve(deps: MarkdownDeps, item: Item): Promise<string> {
  const { conceptId, markdownId } = deps.catalog.processed.reserve(item.id);
  if (item.path === null && conceptId !== item.conceptId) {
    const raw = deps.registry.rawPath(item.baseId);
    await rename(path.join(raw, item.conceptId), path.join(raw, conceptId));
  }
  return markdownId;
}

async function place(from: string, to: string): Promise<void> {
  await mkdir(path.dirname(to), { recursive: true });
  await rename(from, to);
}
