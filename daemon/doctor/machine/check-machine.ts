import type { LoadedConfig } from "../../../config/load.ts";
import { locations } from "../../../config/locations.ts";
import type { Check } from "../../../rpc/contract/doctor.ts";
import { checkClock, checkLogs } from "./check-data.ts";
import { checkDataFolder, checkRuntimeFolder } from "./check-folders.ts";
import { checkOpenFiles, checkWatches, type WatchNeeds } from "./check-limits.ts";
import { checkModelFiles } from "./check-model-files.ts";
import { checkNode, checkSqlite, checkWebAssembly } from "./check-runtime.ts";
import { checkKeys, checkPrograms } from "./check-settings.ts";

export interface MachineInput {
  readonly dataDir: string;
  readonly socketPath: string;
  /** Null when the configuration can't be used: what hangs on it is left out then. */
  readonly config: LoadedConfig["config"] | null;
  /** Null when no daemon says what it watches. */
  readonly watches: WatchNeeds | null;
}

/** All that can be seen of the machine by the process that runs it, with a daemon or without one. Changes nothing. */
export async function checkMachine(input: MachineInput): Promise<Check[]> {
  const { packageRoot, embeddedModel } = locations;
  const { config, dataDir } = input;
  return [
    checkNode(packageRoot),
    ...(await checkSqlite(packageRoot)),
    checkWebAssembly(),
    await checkModelFiles(Object.values(embeddedModel), packageRoot),
    ...checkWatches(input.watches),
    ...checkOpenFiles(),
    ...checkDataFolder(dataDir),
    checkLogs(dataDir),
    checkClock(dataDir),
    ...checkRuntimeFolder(input.socketPath),
    ...(config === null ? [] : [...(await checkKeys(config)), ...checkPrograms(config)]),
  ];
}
