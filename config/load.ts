import { ConfigError, type ConfigProblem } from "./config-error.ts";
import type { KeyPath } from "./key-lines.ts";
import {
  environmentLayer,
  flagLayer,
  isTable,
  leafPaths,
  mergeValues,
  type Layer,
  type Values,
} from "./layers.ts";
import { absolutePath, resolvePaths, type ResolvedPaths, type Source } from "./paths.ts";
import { pathsOf, type SystemEnvironment } from "./platform-folders.ts";
import { dotted, problemsOf } from "./problems.ts";
import { settings, type Config } from "./schema.ts";
import { listSettings } from "./settings-list.ts";

export type DeepReadonly<T> = T extends readonly (infer Entry)[]
  ? readonly DeepReadonly<Entry>[]
  : T extends object
    ? { readonly [Name in keyof T]: DeepReadonly<T[Name]> }
    : T;

export interface LoadInput extends SystemEnvironment {
  /** Dotted keys from the command line, e.g. `{"data.dir": "/srv/knowd", "ingest.threads": "2"}`. */
  readonly argvOverrides: Readonly<Record<string, string | number | null | undefined>>;
  /** From --config; else KNOWD_CONFIG, else the usual place. */
  readonly configPath?: string | undefined;
}

export interface LoadedConfig {
  /** Frozen all the way down. */
  readonly config: DeepReadonly<Config>;
  /** Which layer set each setting, by its dotted key. */
  readonly sources: Readonly<Record<string, Source>>;
  readonly paths: ResolvedPaths;
}

/** Defaults < KNOWD_* < configuration file < flags. Throws a ConfigError that lists all that is wrong. */
export async function loadConfig(input: LoadInput): Promise<LoadedConfig> {
  const { argvOverrides, configPath, ...system } = input;
  const paths = await resolvePaths({ ...system, flags: pathFlags(argvOverrides, configPath) });
  const environment = environmentLayer(system.env);
  const flags = flagLayer(argvOverrides);
  const layers = [environment, fileLayer(paths), flags];
  const fixed: Values = { data: { dir: paths.dataDir }, socket: { path: paths.socketPath } };
  const merged = [...layers.map((layer) => layer.values), fixed].reduce(mergeValues, {});
  const sources = sourcesOf(layers, paths);
  const whereOf = (path: KeyPath): string => placeOf(path, sources, paths);

  const parsed = settings.safeParse(merged);
  const problems: ConfigProblem[] = [
    ...environment.problems.filter(({ key }) => !holdsApiKey(key, merged)),
    ...flags.problems,
    ...(parsed.success ? [] : problemsOf(parsed.error.issues, merged, whereOf)),
  ];
  if (problems.length > 0 || !parsed.success) throw new ConfigError(problems);
  const config = withAbsolutePaths(parsed.data, system, sources, paths);
  return { config: deepFreeze(config), sources: Object.freeze(Object.fromEntries(sources)), paths };
}

function pathFlags(
  overrides: LoadInput["argvOverrides"],
  config: string | undefined,
): { dataDir?: string; socket?: string; config?: string } {
  const text = (key: string): string | undefined => {
    const value = overrides[key];
    return value === undefined ? undefined : String(value);
  };
  const [dataDir, socket] = [text("data.dir"), text("socket.path")];
  return {
    ...(dataDir === undefined ? {} : { dataDir }),
    ...(socket === undefined ? {} : { socket }),
    ...(config === undefined ? {} : { config }),
  };
}

function fileLayer({ configFile }: ResolvedPaths): Layer {
  if (configFile === null) return { values: {}, sources: new Map(), problems: [] };
  const sources = leafPaths(configFile.values).map((path): [string, Source] => [
    path.join("."),
    { kind: "file", where: configFile.where(path) },
  ]);
  return { values: configFile.values, sources: new Map(sources), problems: [] };
}

function sourcesOf(layers: readonly Layer[], paths: ResolvedPaths): Map<string, Source> {
  const byDefault = listSettings().flatMap((setting): [string, Source][] =>
    setting.key.includes("[]") ? [] : [[setting.key, { kind: "default", where: "default" }]],
  );
  return new Map([
    ...byDefault,
    ...layers.flatMap((layer) => [...layer.sources]),
    ["data.dir", paths.sources.dataDir],
    ["socket.path", paths.sources.socketPath],
  ]);
}

/** Where a key was written: its own place, else the place of what it stands in or of the first thing that stands in it. */
function placeOf(path: KeyPath, sources: ReadonlyMap<string, Source>, { configFile }: ResolvedPaths): string {
  const names = path.filter((name) => typeof name === "string");
  let source: Source | undefined;
  for (let length = names.length; length > 0 && !source; length--) {
    source = sources.get(names.slice(0, length).join("."));
  }
  if (!source || source.kind === "default") {
    const inside = `${dotted(path)}.`;
    source =
      [...sources].find(([key, one]) => one.kind !== "default" && key.startsWith(inside))?.[1] ?? source;
  }
  if (source?.kind === "file" && configFile) return configFile.where(path);
  return source?.where ?? "configuration";
}

/** A KNOWD_* variable that is no setting may still be the one that an endpoint's `apiKeyEnv` names. */
function holdsApiKey(variable: string, values: Values): boolean {
  return [values["embedding"], values["rerank"]].some((section) => {
    const models = isTable(section) ? section["models"] : null;
    return Array.isArray(models) && models.some((model) => isTable(model) && model["apiKeyEnv"] === variable);
  });
}

function withAbsolutePaths(
  config: Config,
  system: SystemEnvironment,
  sources: ReadonlyMap<string, Source>,
  { configFile }: ResolvedPaths,
): Config {
  const absolute = (key: string, path: string): string => {
    const inFile = sources.get(key)?.kind === "file" && configFile !== null;
    return absolutePath(
      system,
      path,
      inFile ? pathsOf(system.platform).dirname(configFile.path) : system.cwd,
    );
  };
  const { log, embedding, rerank, snapshot } = config;
  const withKeyFile = <T extends { readonly apiKeyFile?: string | undefined }>(
    section: string,
    model: T,
  ): T =>
    model.apiKeyFile === undefined
      ? model
      : { ...model, apiKeyFile: absolute(`${section}.models`, model.apiKeyFile) };
  return {
    ...config,
    log: { ...log, file: log.file === null ? null : absolute("log.file", log.file) },
    embedding: {
      ...embedding,
      onnxPackages:
        embedding.onnxPackages === undefined
          ? pathsOf(system.platform).join(config.data.dir, "onnx")
          : absolute("embedding.onnxPackages", embedding.onnxPackages),
      models: embedding.models.map((model) =>
        model.provider === "onnx"
          ? { ...model, folder: absolute("embedding.models", model.folder) }
          : withKeyFile("embedding", model),
      ),
    },
    snapshot: {
      ...snapshot,
      ...(snapshot.proxyPasswordFile !== undefined && {
        proxyPasswordFile: absolute("snapshot.proxyPasswordFile", snapshot.proxyPasswordFile),
      }),
      hosts: snapshot.hosts.map(({ headersFile, ...host }) =>
        headersFile === undefined ? host : { ...host, headersFile: absolute("snapshot.hosts", headersFile) },
      ),
    },
    rerank: { ...rerank, models: rerank.models.map((model) => withKeyFile("rerank", model)) },
  };
}

function deepFreeze<T extends object>(value: T): DeepReadonly<T> {
  for (const inner of Object.values(value) as unknown[]) {
    if (typeof inner === "object" && inner !== null) deepFreeze(inner);
  }
  return Object.freeze(value) as DeepReadonly<T>;
}
