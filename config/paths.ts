import { ConfigError, type ConfigProblem } from "./config-error.ts";
import { firstExisting, readConfigFile, type ConfigFile } from "./config-file.ts";
import {
  pathsOf,
  platformFolders,
  type PlatformFolders,
  type SystemEnvironment,
} from "./platform-folders.ts";
import { fitsSocketAddress, maxSocketPathBytes } from "./socket-address.ts";
import { defaultSocketPath } from "./socket-path.ts";

/** Which layer set a value, and where in it. Later ones weigh more. */
export interface Source {
  readonly kind: "default" | "environment" | "file" | "flag";
  readonly where: string;
}

/** The three flags that every command takes. */
export interface PathFlags {
  readonly dataDir?: string | undefined;
  readonly socket?: string | undefined;
  readonly config?: string | undefined;
}

export interface ResolvedPaths {
  readonly dataDir: string;
  readonly socketPath: string;
  /** Where a daemon in the background logs to. */
  readonly logFile: string;
  readonly configFile: ConfigFile | null;
  readonly folders: PlatformFolders;
  readonly sources: { readonly dataDir: Source; readonly socketPath: Source };
}

interface Given {
  readonly value: unknown;
  readonly source: Source;
  /** What a relative path is relative to. */
  readonly from: string;
}

/**
 * All that a client needs to find its daemon, without the schema, so that a command starts fast: the platform's folders <
 * KNOWD_* < the configuration file < flags. Throws ConfigError.
 */
export async function resolvePaths(
  input: SystemEnvironment & {
    readonly flags: PathFlags;
    /** For one who looks after a file that can't be used. */
    readonly withoutFile?: boolean;
  },
): Promise<ResolvedPaths> {
  const { flags, withoutFile = false, ...system } = input;
  const folders = platformFolders(system);
  const configFile = withoutFile ? null : await openConfigFile(system, folders, flags.config);
  const dataDir = choose(system, "data.dir", [
    { value: folders.data, source: { kind: "default", where: "default" }, from: system.cwd },
    fromVariable(system, "KNOWD_DATA_DIR"),
    fromFile(system, configFile, "data", "dir"),
    fromFlag(system, "--data-dir", flags.dataDir),
  ]);
  const byDefault = defaultSocketPath(system, folders, dataDir.path);
  const socketPath = choose(system, "socket.path", [
    { value: byDefault, source: { kind: "default", where: "default" }, from: system.cwd },
    fromVariable(system, "KNOWD_SOCKET"),
    fromFile(system, configFile, "socket", "path"),
    fromFlag(system, "--socket", flags.socket),
  ]);
  checkSocketPath(system, socketPath);
  return {
    dataDir: dataDir.path,
    socketPath: socketPath.path,
    logFile: pathsOf(system.platform).join(folders.state, "knowd.log"),
    configFile,
    folders,
    sources: { dataDir: dataDir.source, socketPath: socketPath.source },
  };
}

/** `~` is the home folder; a relative path is taken from `from`. */
export function absolutePath(system: SystemEnvironment, path: string, from: string): string {
  const paths = pathsOf(system.platform);
  if (path === "~") return system.homeDir;
  if (/^~[/\\]/.test(path)) return paths.join(system.homeDir, path.slice(2));
  // A Windows resolve leaves pipe names alone; path.posix.resolve is given an absolute folder, so it asks for no cwd.
  return paths.resolve(from, path);
}

async function openConfigFile(
  system: SystemEnvironment,
  folders: PlatformFolders,
  flag: string | undefined,
): Promise<ConfigFile | null> {
  const named = flag ?? (system.env["KNOWD_CONFIG"] || undefined);
  if (named !== undefined) return await readConfigFile(absolutePath(system, named, system.cwd));
  const names = ["config.toml", "config.json"];
  const found = firstExisting(names.map((name) => pathsOf(system.platform).join(folders.config, name)));
  return found === null ? null : await readConfigFile(found);
}

function fromVariable(system: SystemEnvironment, name: string): Given | null {
  // An empty variable is an unset one, as elsewhere in a shell.
  const value = system.env[name] || undefined;
  return value === undefined
    ? null
    : { value, source: { kind: "environment", where: name }, from: system.cwd };
}

function fromFile(
  system: SystemEnvironment,
  file: ConfigFile | null,
  section: string,
  name: string,
): Given | null {
  const table = file?.values[section];
  if (file === null || typeof table !== "object" || table === null || !Object.hasOwn(table, name))
    return null;
  const source: Source = { kind: "file", where: file.where([section, name]) };
  return {
    value: (table as Record<string, unknown>)[name],
    source,
    from: pathsOf(system.platform).dirname(file.path),
  };
}

function fromFlag(system: SystemEnvironment, where: string, value: string | undefined): Given | null {
  return value === undefined ? null : { value, source: { kind: "flag", where }, from: system.cwd };
}

function choose(
  system: SystemEnvironment,
  key: string,
  layers: readonly (Given | null)[],
): { path: string; source: Source } {
  const given = layers.findLast((layer) => layer !== null)!;
  const { value, source } = given;
  if (typeof value !== "string" || value === "" || value.includes("\0")) {
    throw refused({ key, where: source.where, message: `${key} must be a path` });
  }
  return { path: absolutePath(system, value, given.from), source };
}

function checkSocketPath(
  system: SystemEnvironment,
  { path, source }: { path: string; source: Source },
): void {
  const problem = (message: string): ConfigError =>
    refused({ key: "socket.path", where: source.where, message });
  if (system.platform === "win32" && !path.startsWith("\\\\.\\pipe\\")) {
    throw problem("socket.path must begin with \\\\.\\pipe\\ on Windows");
  }
  if (!fitsSocketAddress(path, system.platform)) {
    const most = maxSocketPathBytes(system.platform);
    throw problem(`socket.path has ${Buffer.byteLength(path)} bytes, but must have ${most} at most: ${path}`);
  }
}

function refused(problem: ConfigProblem): ConfigError {
  return new ConfigError([problem]);
}
