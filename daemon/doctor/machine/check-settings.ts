import { accessSync, constants, statSync } from "node:fs";
import path from "node:path";
import type { Check } from "../../../rpc/contract/doctor.ts";
import { readApiKey } from "../../../config/api-key.ts";
import { readEnvironment } from "../../../config/environment.ts";
import type { LoadedConfig } from "../../../config/load.ts";
import { note, ok, problem, reasonOf, shellWord } from "./findings.ts";
import { statOf } from "./stat-of.ts";

type Config = LoadedConfig["config"];

/** Keys of the configured endpoints: whether they are there, and whether other users can read their files. */
export async function checkKeys({ embedding, rerank }: Config): Promise<Check[]> {
  const checks: Check[] = [];
  const models = [...embedding.models.filter((model) => model.provider !== "onnx"), ...rerank.models];
  for (const model of models) {
    const place = { apiKeyEnv: model.apiKeyEnv, apiKeyFile: model.apiKeyFile };
    try {
      if ((await readApiKey(place, readEnvironment().env)) === null) continue;
      checks.push(checkKeyFile(model.id, model.apiKeyFile));
    } catch (error) {
      const fix =
        model.apiKeyFile === undefined
          ? `export ${model.apiKeyEnv}=<the key>, then knowd stop && knowd up`
          : `install -m 600 /dev/stdin ${shellWord(model.apiKeyFile)}, then paste the key and press Ctrl-D`;
      checks.push(problem("api-key", `the key of ${model.id} can't be used: ${reasonOf(error)}`, fix));
    }
  }
  return checks;
}

function checkKeyFile(id: string, file: string | undefined): Check {
  if (file === undefined || (statSync(file).mode & 0o077) === 0)
    return ok("api-key", `the key of ${id} is there`);
  return note("api-key", `other users can read the key of ${id}: ${file}`, `chmod 600 ${shellWord(file)}`);
}

/** The configuration file is this user's to write, alone: it names programs that knowd runs. */
export function checkConfigFile(file: string | null): Check {
  if (file === null) return ok("config", "there is no configuration file, defaults are used");
  const { mode, uid } = statSync(file);
  const own = process.getuid?.();
  if (own !== undefined && uid !== own && uid !== 0)
    return problem(
      "config",
      `${file} belongs to another user (uid ${uid})`,
      `sudo chown "$(id -un)" ${shellWord(file)}`,
    );
  if (own !== undefined && (mode & 0o022) !== 0)
    return problem("config", `other users can write to ${file}`, `chmod go-w ${shellWord(file)}`);
  return ok("config", `${file} can be read and is valid`);
}

/** The programs of the configured processors, found as the system would find them. */
export function checkPrograms({ processing }: Config): Check[] {
  const searched = (readEnvironment().env["PATH"] ?? "").split(path.delimiter);
  return processing.processors.flatMap(({ id, command }) => {
    const program = command?.[0];
    if (program === undefined) return [];
    const places = program.includes("/") ? [program] : searched.map((folder) => path.join(folder, program));
    const found = places.find(canBeRun);
    if (found === undefined) {
      const where = program.includes("/") ? "" : " on the PATH";
      const fix = `install ${program}, or name its path in processing.processors (${id}).command`;
      return [problem("processor", `${id} can't work: there is no program ${program}${where}`, fix)];
    }
    const lost = (command ?? []).slice(1).find((part) => path.isAbsolute(part) && !isThere(part));
    return [
      lost === undefined
        ? ok("processor", `${id} runs ${found}`)
        : problem("processor", `${id} can't work: ${lost} is not there`, `ls -l ${shellWord(lost)}`),
    ];
  });
}

function canBeRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    // Not there, or not for this user.
    return false;
  }
}

function isThere(file: string): boolean {
  return statOf(file) !== null;
}
