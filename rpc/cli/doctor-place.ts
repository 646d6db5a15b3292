import { ConfigError } from "../../config/config-error.ts";
import { readEnvironment } from "../../config/environment.ts";
import { loadConfig, type LoadedConfig } from "../../config/load.ts";
import { resolvePaths, type PathFlags, type ResolvedPaths } from "../../config/paths.ts";
import { checkConfigFile } from "../../daemon/doctor/machine/check-settings.ts";
import { problem, shellWord } from "../../daemon/doctor/machine/findings.ts";
import type { Check } from "../contract/doctor.ts";

/** Where to look, and what is wrong with the settings that say so. */
export interface DoctorPlace {
  readonly paths: ResolvedPaths;
  /** Null when the settings can't be used. */
  readonly config: LoadedConfig["config"] | null;
  readonly check: Check;
}

/** Settings that can't be used are what a doctor is called for: it goes on with those that can. */
export async function findPlace(flags: PathFlags): Promise<DoctorPlace> {
  const { dataDir, socket, config } = flags;
  const system = readEnvironment();
  try {
    const argvOverrides = { "data.dir": dataDir, "socket.path": socket };
    const loaded = await loadConfig({ ...system, configPath: config, argvOverrides });
    const check = checkConfigFile(loaded.paths.configFile?.path ?? null);
    return { paths: loaded.paths, config: loaded.config, check };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return {
      paths: await pathsWithout(flags),
      config: null,
      check: problem("config", error.message, fixOf(error)),
    };
  }
}

/** With the file where it can be read, else without it, else from the defaults alone. */
async function pathsWithout({ dataDir, socket, config }: PathFlags): Promise<ResolvedPaths> {
  const system = readEnvironment();
  const attempts = [
    { flags: { dataDir, socket, config } },
    { flags: { dataDir, socket }, withoutFile: true },
    { flags: { dataDir }, withoutFile: true },
  ];
  for (const attempt of attempts) {
    try {
      return await resolvePaths({ ...system, ...attempt });
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
    }
  }
  return await resolvePaths({ ...system, env: {}, flags: {}, withoutFile: true });
}

function fixOf({ problems }: ConfigError): string {
  const where = problems[0]?.where ?? "";
  // A place in a file is its path, with the line where that is known; flags and variables have no slash.
  const [, file, line] = /^(.*[\\/].*?)(?::(\d+))?$/.exec(where) ?? [];
  if (file === undefined) return where.startsWith("KNOWD_") ? `unset ${where}` : `correct ${where}`;
  return `"\${EDITOR:-vi}" ${line === undefined ? "" : `+${line} `}${shellWord(file)}`;
}
