import { existsSync, readFileSync } from "node:fs";
import { ConfigError } from "./config-error.ts";
import { lineOfJsonKey, lineOfTomlKey, type KeyPath } from "./key-lines.ts";

export interface ConfigFile {
  readonly path: string;
  readonly values: Readonly<Record<string, unknown>>;
  /** `path:line` of a key, or the path alone when the line was not found. */
  where(key: KeyPath): string;
}

/** Reads a .json file as JSON and any other as TOML. Throws ConfigError for a file that can't be read or understood. */
export async function readConfigFile(path: string): Promise<ConfigFile> {
  const text = readText(path);
  const isJson = path.toLowerCase().endsWith(".json");
  const values = isJson ? parseJson(path, text) : await parseToml(path, text);
  if (typeof values !== "object" || values === null || Array.isArray(values)) {
    throw unusable(path, path, "the file must hold an object of sections");
  }
  const lineOf = isJson ? lineOfJsonKey : lineOfTomlKey;
  return {
    path,
    values: values as Record<string, unknown>,
    where(key) {
      const line = lineOf(text, key);
      return line === null ? path : `${path}:${line}`;
    },
  };
}

/** The first of the paths that exists. */
export function firstExisting(paths: readonly string[]): string | null {
  return paths.find((path) => existsSync(path)) ?? null;
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8").replace(/^\uFEFF/, "");
  } catch (error) {
    throw unusable(path, path, `the configuration file can't be read: ${(error as Error).message}`);
  }
}

/** The parser is loaded only when there is a file: most command lines start without one. */
async function parseToml(path: string, text: string): Promise<unknown> {
  const { parse, TomlError } = await import("smol-toml");
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const reason = error.message.split("\n")[0] ?? "";
    throw unusable(path, `${path}:${error.line}`, `not valid TOML (column ${error.column}): ${reason}`);
  }
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const { message } = error as SyntaxError;
    const position = /position (\d+)/.exec(message)?.[1];
    const line = position === undefined ? "" : `:${text.slice(0, Number(position)).split("\n").length}`;
    // The parser may quote the text around the fault.
    const reason = message.replace(/, (\.\.\.)?".*$/s, "");
    throw unusable(path, `${path}${line}`, `not valid JSON: ${reason}`);
  }
}

function unusable(path: string, where: string, message: string): ConfigError {
  return new ConfigError([{ key: path, where, message }]);
}
