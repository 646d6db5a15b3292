import { createHash } from "node:crypto";
import Sqlite from "better-sqlite3";
import { onTestFinished } from "vitest";
import type { IndexRegistry, MaterialRevision } from "../../daemon/storage/index/contract.ts";
import { openIndexRegistry, type IndexRegistryDeps } from "../../daemon/storage/index/registry.ts";
import { shapeBody, shapeTitle } from "../../workers/words/shape.ts";
import { temporaryFolder } from "./temporary.ts";

export const baseId = "3f0f7f4e-7d3b-4b43-9d7e-6e8f6f6e2a10";
const DIMENSIONS = 4;

export interface RevisionOptions {
  readonly path?: string;
  readonly format?: string;
  readonly headings?: readonly string[];
  /** Its title and tags. */
  readonly names?: readonly string[];
  /** False for a base without a model. */
  readonly vectors?: boolean;
}

/** What the worker host and the embedder make of a document whose chunks are these, joined by a blank line. */
export function revision(
  materialId: string,
  chunks: readonly string[],
  options: RevisionOptions = {},
): MaterialRevision {
  const { path = `${materialId}.md`, format = "markdown", headings = [], vectors = true, names } = options;
  const told = names ? { names } : {};
  const text = chunks.join("\n\n");
  const contentHash = sha256(text);
  let at = 0;
  const units = chunks.map((chunk, unitIndex) => {
    const [charStart, charEnd] = [at, at + chunk.length];
    at = charEnd + 2;
    const unitId = sha256(`${materialId} ${contentHash} ${unitIndex} ${charStart} ${charEnd}`);
    return {
      unitId,
      searchTextId: sha256(`search_unit ${unitId} body`),
      textHash: sha256(chunk),
      unitIndex,
      charStart,
      charEnd,
      title: materialId,
      headings,
      locator: { lineStart: unitIndex * 2 + 1 },
      wordsTitle: shapeTitle({ relativePath: path, title: materialId, headings, ...told, format }),
      wordsBody: shapeBody(chunk, format),
    };
  });
  const vectorOf = new Map(chunks.map((chunk) => [sha256(chunk), vectorFor(chunk)]));
  return {
    materialId,
    relativePath: path,
    format,
    ...told,
    text,
    contentHash,
    units,
    vectors: vectors ? vectorOf : null,
  };
}

export function vectorFor(text: string): Float32Array {
  const bytes = createHash("sha256").update(text).digest();
  return Float32Array.from({ length: DIMENSIONS }, (_, at) => bytes.readInt8(at) / 128);
}

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

export interface TestRegistry {
  readonly registry: IndexRegistry;
  readonly dataDir: string;
  readonly recreated: string[];
  /** All rows of a query, on a read-only connection of its own. */
  readonly rows: (sql: string, ...values: unknown[]) => Record<string, unknown>[];
  /** The first column of all rows. */
  readonly values: (sql: string, ...values: unknown[]) => unknown[];
  /** Changes the file behind the registry's back, without foreign keys. */
  readonly tamper: (sql: string, ...values: unknown[]) => void;
  /** Another registry on the same folder, after the first was closed. */
  readonly reopen: (more?: Partial<IndexRegistryDeps>) => IndexRegistry;
}

export function openTestRegistry(options: Partial<IndexRegistryDeps> = {}): TestRegistry {
  const dataDir = options.dataDir ?? temporaryFolder();
  const recreated: string[] = [];
  const opened: IndexRegistry[] = [];
  const open = (more: Partial<IndexRegistryDeps> = {}) => {
    const registry = openIndexRegistry({
      dataDir,
      onRecreated: (_, reason) => recreated.push(reason),
      ...options,
      ...more,
    });
    opened.push(registry);
    return registry;
  };
  const registry = open();
  onTestFinished(async () => {
    for (const one of opened) await one.close();
  });
  const path = registry.indexPath(baseId);
  const rows: TestRegistry["rows"] = (sql, ...values) => {
    const raw = new Sqlite(path, { readonly: true });
    try {
      return raw.prepare(sql).all(...values) as Record<string, unknown>[];
    } finally {
      raw.close();
    }
  };
  return {
    registry,
    dataDir,
    recreated,
    reopen: open,
    rows,
    values: (sql, ...values) => rows(sql, ...values).map((row) => Object.values(row)[0]),
    tamper(sql, ...values) {
      const raw = new Sqlite(path);
      try {
        raw.pragma("foreign_keys = OFF");
        raw.prepare(sql).run(...values);
      } finally {
        raw.close();
      }
    },
  };
}

/** Counts turns of the event loop while `run` is at work. */
export async function countTurns(run: () => Promise<unknown>): Promise<number> {
  let [turns, going] = [0, true];
  const turn = () => {
    turns++;
    if (going) setImmediate(turn);
  };
  setImmediate(turn);
  await run();
  going = false;
  return turns;
}

/** Chunks that all differ. */
export function chunksOf(name: string, count: number, words = 12): string[] {
  return Array.from({ length: count }, (_, at) =>
    Array.from({ length: words }, (_, word) => `${name}${at}w${word}`).join(" "),
  );
}
