import { createHash } from "node:crypto";
import { INDEX_APPLICATION_ID, indexMigrations } from "../../daemon/storage/index/schema.ts";
import { openDatabase, type Database } from "../../daemon/storage/sqlite.ts";
import type { Locator } from "../../workers/contract.ts";
import { encodeUnitJson } from "../../workers/search/unit-json.ts";
import { shapeBody, shapeTitle, WORDS_VERSION } from "../../workers/words/shape.ts";

export interface TestDocument {
  readonly id: string;
  readonly path?: string;
  readonly title?: string;
  readonly format?: string;
  /** Chunks in order; the document's text is these joined by a blank line. */
  readonly chunks: readonly (
    | string
    | { text: string; headings?: readonly string[]; locator?: Locator; vector?: readonly number[] }
  )[];
}

export interface TestIndex {
  readonly path: string;
  add(document: TestDocument): void;
  remove(id: string): void;
  /** Gives a chunk that has none its vector. */
  embed(id: string, chunk: number, vector: readonly number[]): void;
  close(): void;
}

/** An index written with plain SQL, straight from the schema: for tests of what reads it. */
export function buildIndex(
  path: string,
  options: { baseId?: string; embed?: (text: string) => Float32Array } = {},
): TestIndex {
  const database = openDatabase({
    path,
    applicationId: INDEX_APPLICATION_ID,
    migrations: indexMigrations,
    synchronous: "NORMAL",
  });
  const run = (sql: string, ...values: unknown[]) => database.statement(sql).run(...values);
  run("INSERT INTO meta VALUES (1, 2, ?, 0, 0)", options.baseId ?? "base");
  run("INSERT INTO stats VALUES (1, 0, 0, 1, ?, 0)", WORDS_VERSION);
  return {
    path,
    add: (document) => database.transaction(() => addDocument(database, document, options.embed)),
    remove: (id) => database.transaction(() => removeDocument(database, id)),
    embed(id, chunk, vector) {
      const hash = sha256(`${id}:${chunk}:vector`);
      run("INSERT INTO embedding VALUES (?, ?)", hash, Buffer.from(Float32Array.from(vector).buffer));
      run(
        `UPDATE search_text SET embedding_text_hash = ? WHERE target_id =
           (SELECT unit_id FROM search_unit WHERE material_id = ? AND unit_index = ?)`,
        hash,
        id,
        chunk,
      );
    },
    close: () => database.close(),
  };
}

function addDocument(
  database: Database,
  document: TestDocument,
  embed: ((text: string) => Float32Array) | undefined,
): void {
  const run = (sql: string, ...values: unknown[]) => database.statement(sql).run(...values);
  const chunks = document.chunks.map((chunk) => (typeof chunk === "string" ? { text: chunk } : chunk));
  const text = chunks.map((chunk) => chunk.text).join("\n\n");
  const contentHash = sha256(text);
  const path = document.path ?? `${document.id}.md`;
  const title = document.title ?? document.id;
  run("INSERT OR IGNORE INTO content VALUES (?, ?)", contentHash, text);
  run("INSERT INTO material VALUES (?, ?, ?)", document.id, path, contentHash);
  let charStart = 0;
  chunks.forEach(({ text: body, headings = [], locator, vector }, index) => {
    const unitId = sha256(`${document.id}:${contentHash}:${index}`);
    const charEnd = charStart + body.length;
    const place = encodeUnitJson(headings, locator ?? null);
    run(
      "INSERT INTO search_unit VALUES (?, ?, ?, 'chunk', ?, ?, ?, ?, ?)",
      unitId,
      document.id,
      contentHash,
      index,
      title,
      charStart,
      charEnd,
      place,
    );
    const values = vector ? Float32Array.from(vector) : embed?.(body);
    const hash = values ? sha256(vector ? `${unitId}:vector` : body) : null;
    if (values) run("INSERT OR IGNORE INTO embedding VALUES (?, ?)", hash, Buffer.from(values.buffer));
    run(
      "INSERT INTO search_text VALUES (?, 'search_unit', ?, 'body', ?, ?, NULL)",
      sha256(`text:${unitId}`),
      unitId,
      body,
      hash,
    );
    const { lastInsertRowid } = run("INSERT INTO unit_number(unit_id) VALUES (?)", unitId);
    const format = document.format ?? "markdown";
    run(
      "INSERT INTO unit_words(rowid, title, body) VALUES (?, ?, ?)",
      lastInsertRowid,
      shapeTitle({ relativePath: path, title, headings, format }),
      shapeBody(body, format),
    );
    charStart = charEnd + 2;
  });
  run("UPDATE stats SET materials = materials + 1, units = units + ?", chunks.length);
}

function removeDocument(database: Database, id: string): void {
  const run = (sql: string, ...values: unknown[]) => database.statement(sql).run(...values);
  const units = database.statement("SELECT unit_id FROM search_unit WHERE material_id = ?").pluck().all(id);
  for (const unitId of units) {
    const number = database.statement("SELECT number FROM unit_number WHERE unit_id = ?").pluck().get(unitId);
    run("DELETE FROM unit_words WHERE rowid = ?", number);
    run("DELETE FROM unit_number WHERE unit_id = ?", unitId);
    run("DELETE FROM search_text WHERE target_id = ?", unitId);
    run("DELETE FROM search_unit WHERE unit_id = ?", unitId);
  }
  run("DELETE FROM material WHERE material_id = ?", id);
  run(
    "UPDATE stats SET materials = materials - 1, units = units - ?, generation = generation + 1",
    units.length,
  );
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
