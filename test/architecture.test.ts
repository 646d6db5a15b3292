import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Which room may import which, by path prefix; the longest prefix that fits names a file's room. A room may import itself. */
const mayImport: Record<string, readonly string[]> = {
  config: [],
  "rpc/contract": [],
  workers: [],
  "rpc/wire": ["rpc/contract", "daemon/runtime", "config/nearest.ts", "config/socket-address.ts"],
  "rpc/client-errors.ts": ["rpc/contract"],
  "rpc/client.ts": ["rpc/contract", "rpc/wire", "rpc/client-errors.ts"],
  "rpc/handlers.ts": ["rpc/contract", "rpc/wire", "daemon/runtime"],
  "rpc/router.ts": ["rpc/contract", "rpc/wire", "rpc/handlers.ts", "daemon/runtime", "config/nearest.ts"],
  "rpc/server.ts": ["rpc/contract", "rpc/wire", "rpc/handlers.ts", "rpc/router.ts", "daemon/runtime"],
  "rpc/reference.ts": ["rpc/contract"],
  "rpc/write-reference.ts": ["rpc/reference.ts", "config"],
  "rpc/mcp": ["rpc/contract", "rpc/client.ts", "rpc/client-errors.ts"],
  // What the doctor sees of the machine can be seen without a daemon: it is the one thing that a command does itself.
  "rpc/cli": [
    "rpc/contract",
    "rpc/client.ts",
    "rpc/client-errors.ts",
    "rpc/mcp",
    "config",
    "workers/path-bytes.ts",
    "daemon/doctor/machine",
  ],
  "daemon/doctor/machine": [
    "rpc/contract",
    "rpc/wire/socket-path.ts",
    "config",
    "workers/byte-amount.ts",
    "workers/watch/watch-limits.ts",
    "daemon/runtime",
  ],
  "daemon/doctor": [
    "rpc/contract",
    "workers",
    "daemon/doctor/machine",
    "daemon/runtime",
    "daemon/ingest",
    "daemon/embedding/provider.ts",
    "daemon/rerank/reranker.ts",
  ],
  "daemon/runtime": ["rpc/contract", "workers", "config"],
  "daemon/storage/sqlite.ts": ["daemon/runtime"],
  "daemon/storage": ["rpc/contract", "workers", "daemon/runtime"],
  "daemon/storage/catalog": [
    "rpc/contract",
    "workers",
    "daemon/runtime",
    "daemon/storage",
    "daemon/storage/sqlite.ts",
  ],
  "daemon/storage/index": [
    "rpc/contract",
    "workers",
    "daemon/runtime",
    "daemon/storage",
    "daemon/storage/sqlite.ts",
  ],
  "daemon/queue": ["rpc/contract", "daemon/runtime", "daemon/storage/catalog"],
  "daemon/endpoint": ["daemon/runtime"],
  "daemon/embedding": [
    "config",
    "daemon/endpoint",
    "workers",
    "daemon/runtime",
    "daemon/storage/sqlite.ts",
    "daemon/embedding/provider.ts",
  ],
  "daemon/rerank": ["config", "daemon/endpoint", "daemon/endpoint/circuit.ts", "daemon/rerank/reranker.ts"],
  "daemon/rerank/reranker.ts": [],
  "daemon/processing": ["config", "daemon/runtime", "daemon/processing/processor.ts"],
  "daemon/processing/processor.ts": [],
  "daemon/ingest": [
    "rpc/contract",
    "workers",
    "config",
    "daemon/runtime",
    "daemon/storage",
    "daemon/storage/catalog",
    "daemon/storage/index",
    "daemon/storage/sqlite.ts",
    "daemon/queue",
    "daemon/embedding/model-identity.ts",
    "daemon/embedding/provider.ts",
    "daemon/processing/processor.ts",
  ],
  "daemon/search": [
    "rpc/contract",
    "workers",
    "daemon/runtime",
    "daemon/storage/catalog",
    "daemon/endpoint/circuit.ts",
    "daemon/embedding/model-identity.ts",
    "daemon/embedding/provider.ts",
    "daemon/rerank/reranker.ts",
  ],
  "daemon/endpoint/circuit.ts": [],
  "daemon/embedding/model-identity.ts": [],
  "daemon/latent": [
    "rpc/contract",
    "workers",
    "daemon/runtime",
    "daemon/storage/catalog",
    "daemon/storage/index",
    "daemon/embedding/provider.ts",
  ],
  "daemon/embedding/provider.ts": [],
};

/**
 * Use cases, services and the composition root stand above the rooms and may see all of them, but never what is above them.
 * Only the last three see more of rpc than its contract.
 */
const upper = [
  "daemon/version.ts",
  "daemon/hosts.ts",
  "daemon/recover.ts",
  "daemon/maintenance.ts",
  "daemon/bases.ts",
  "daemon/sources.ts",
  "daemon/restore.ts",
  "daemon/services",
  "daemon/services.ts",
  "rpc/methods.ts",
  "daemon/app.ts",
  "daemon/main.ts",
];

function sources(folder: string): string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const relative = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return sources(relative);
    return entry.name.endsWith(".ts") ? [relative] : [];
  });
}

const files = ["config", "rpc", "workers", "daemon"].flatMap(sources);
const rooms = [...Object.keys(mayImport), ...upper];

function roomOf(file: string): string {
  const fits = rooms.filter((room) => file === room || file.startsWith(`${room}/`));
  return fits.sort((a, b) => b.length - a.length)[0] ?? "";
}

/** Static, type-only, re-exported and dynamic imports of our own files. */
function importsOf(file: string): string[] {
  const text = readFileSync(path.join(root, file), "utf8");
  const found = text.matchAll(/(?:from|import)\s*\(?\s*["'](\.[^"']+)["']/g);
  return [...found].map((match) => path.posix.join(path.posix.dirname(file), match[1] ?? ""));
}

function isAllowed(room: string, target: string): boolean {
  const targetRoom = roomOf(target);
  if (targetRoom === room) return true;
  const level = upper.indexOf(room);
  if (level >= 0) {
    const targetLevel = upper.indexOf(targetRoom);
    const isBelowRpc = level < upper.indexOf("rpc/methods.ts");
    if (isBelowRpc && targetRoom.startsWith("rpc/")) return targetRoom === "rpc/contract";
    return targetLevel < level || targetLevel === -1;
  }
  return (mayImport[room] ?? []).some((allowed) => allowed === targetRoom || allowed === target);
}

describe("architecture", () => {
  it("every source file stands in a room of the table", () => {
    expect(files.filter((file) => roomOf(file) === "")).toEqual([]);
  });

  it("a room imports only the rooms that the table allows it", () => {
    const breaches = files.flatMap((file) =>
      importsOf(file)
        .filter((target) => !isAllowed(roomOf(file), target))
        .map((target) => `${file} → ${target}`),
    );
    expect(breaches).toEqual([]);
  });

  it("only config reads the environment", () => {
    const readers = files.filter(
      (file) =>
        !file.startsWith("config/") && /process\.env\b/.test(readFileSync(path.join(root, file), "utf8")),
    );
    expect(readers).toEqual([]);
  });

  it("SQL that writes stands in storage alone", () => {
    const writes = /\b(INSERT INTO|UPDATE \w+ SET|DELETE FROM|CREATE TABLE|DROP TABLE)\b/;
    const writers = files.filter(
      (file) =>
        !file.startsWith("daemon/storage/") && writes.test(readFileSync(path.join(root, file), "utf8")),
    );
    expect(writers.filter((file) => !allowedWriters.includes(file))).toEqual([]);
  });
});

/** The vector cache is a database of its own, beside catalogue and indexes; the tokenizer asks FTS5 in memory. */
const allowedWriters = ["daemon/embedding/cache.ts", "workers/search/tokenizer.ts"];
