import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Check } from "../../../rpc/contract/doctor.ts";
import { note, ok, problem, reasonOf, shellWord } from "./findings.ts";

/** Whether this Node.js is new enough for the package in `packageRoot`, which says so itself (`engines`). */
export function checkNode(packageRoot: string, version: string = process.versions.node): Check {
  const text = readFileSync(path.join(packageRoot, "package.json"), "utf8");
  const { engines } = JSON.parse(text) as { engines: { node: string } };
  const least = parts(engines.node);
  const found = `Node.js ${version}, ${least.join(".")} or newer is needed`;
  return isAtLeast(parts(version), least)
    ? ok("node", found)
    : problem("node", found, "install a newer Node.js: https://nodejs.org/en/download");
}

function parts(version: string): number[] {
  const [, major, minor] = /(\d+)\.(\d+)/.exec(version) ?? [];
  return [Number(major), Number(minor)];
}

function isAtLeast(
  [major = 0, minor = 0]: readonly number[],
  [leastMajor = 0, leastMinor = 0]: readonly number[],
) {
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}

/** Whether the SQLite module loads into this Node.js and has FTS5, and whether sqlite-vec loads into it. */
export async function checkSqlite(packageRoot: string, vectorExtension?: string): Promise<Check[]> {
  const rebuild = `cd ${shellWord(packageRoot)} && npm rebuild better-sqlite3`;
  try {
    const { default: Sqlite } = await import("better-sqlite3");
    const database = new Sqlite(":memory:");
    try {
      const version = String(database.prepare("SELECT sqlite_version()").pluck().get());
      database.exec("CREATE VIRTUAL TABLE words USING fts5(body)");
      const sqlite = ok("sqlite", `SQLite ${version} with FTS5`);
      return [sqlite, await checkVectors((file) => database.loadExtension(file), vectorExtension)];
    } finally {
      database.close();
    }
  } catch (error) {
    const reason = reasonOf(error).split("\n")[0] ?? "";
    return [problem("sqlite", `the SQLite module can't be used: ${reason}`, rebuild)];
  }
}

/** Without it the same scores are computed in JavaScript, a few times slower. */
async function checkVectors(load: (file: string) => void, file: string | undefined): Promise<Check> {
  try {
    const { getLoadablePath } = await import("sqlite-vec");
    load(file ?? getLoadablePath());
    return ok("sqlite-vec", "sqlite-vec loads");
  } catch (error) {
    return note(
      "sqlite-vec",
      `sqlite-vec does not load, vectors are compared more slowly: ${reasonOf(error)}`,
      "npm install sqlite-vec",
    );
  }
}

/** A module of one function that answers i8x16.splat(0): it is valid where SIMD is. */
const SIMD_MODULE = Uint8Array.from([
  0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 5, 1, 0x60, 0, 1, 0x7b, 3, 2, 1, 0, 0x0a, 8, 1, 6, 0, 0x41, 0, 0xfd,
  0x0f, 0x0b,
]);

/** Vectors are scanned by a WebAssembly kernel; without it by JavaScript, some ten times slower. */
export function checkWebAssembly(): Check {
  const fix = "start Node.js without --jitless, or install one for a processor with SIMD: https://nodejs.org";
  if (typeof WebAssembly === "undefined")
    return note("webassembly", "this Node.js runs without WebAssembly, vectors are scanned more slowly", fix);
  return WebAssembly.validate(SIMD_MODULE)
    ? ok("webassembly", "WebAssembly with SIMD")
    : note("webassembly", "WebAssembly has no SIMD here, vectors are scanned more slowly", fix);
}

/** The package's own folder was installed from a repository, or from a package. */
export function reinstall(packageRoot: string): string {
  return existsSync(path.join(packageRoot, ".git"))
    ? `cd ${shellWord(packageRoot)} && git checkout -- workers/embed/model`
    : "npm install --global knowd";
}
