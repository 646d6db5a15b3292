import { checkMachine } from "../../daemon/doctor/machine/check-machine.ts";
import { checkSilence } from "../../daemon/doctor/machine/check-instance.ts";
import { note, ok, problem, reasonOf } from "../../daemon/doctor/machine/findings.ts";
import type { Client } from "../client.ts";
import type { Check, CheckState } from "../contract/doctor.ts";
import { findPlace, type DoctorPlace } from "./doctor-place.ts";
import { CommandFailure, EXIT } from "./exit.ts";
import { out, paint, plural, printJson, shownName } from "./print.ts";
import { tryConnect, type GlobalFlags } from "./session.ts";

export interface DoctorFlags extends GlobalFlags {
  readonly online?: boolean | undefined;
  readonly deep?: boolean | undefined;
}

/** Looks for what keeps knowd from working well, with a daemon or without one. Exit code 1 when there is a problem. */
export async function doctor(flags: DoctorFlags): Promise<number> {
  const place = await findPlace(flags);
  const checks = [place.check, ...(await checksAt(place, flags))];
  const problems = checks.filter((check) => check.state === "problem").length;
  if (flags.json) printJson({ ok: problems === 0, checks });
  else {
    for (const check of checks) printCheck(check);
    out(problems === 0 ? "No problems." : paint.red(`${plural(problems, "problem")}.`));
  }
  return problems === 0 ? EXIT.done : EXIT.failed;
}

async function checksAt(place: DoctorPlace, flags: DoctorFlags): Promise<Check[]> {
  const silence = await connectOrSay(place);
  if ("client" in silence) {
    const { client } = silence;
    try {
      return [await checkDaemon(client, place), ...(await askDaemon(client, flags))];
    } finally {
      client.close();
    }
  }
  const { paths, config } = place;
  const { dataDir, socketPath } = paths;
  return [silence.check, ...(await checkMachine({ dataDir, socketPath, config, watches: null }))];
}

async function connectOrSay({ paths }: DoctorPlace): Promise<{ client: Client } | { check: Check }> {
  try {
    const client = await tryConnect(paths);
    return client ? { client } : { check: checkSilence(paths) };
  } catch (error) {
    const fix = error instanceof CommandFailure ? error.hint : null;
    return { check: problem("daemon", reasonOf(error), fix ?? "see the other checks") };
  }
}

async function checkDaemon(client: Client, { paths }: DoctorPlace): Promise<Check> {
  const { pid, version, dataDir, socketPath } = await client.call("system.status", {});
  const found = `knowd ${version} (pid ${pid}) answers at ${socketPath}`;
  return dataDir === paths.dataDir
    ? ok("daemon", found)
    : note(
        "daemon",
        `${found}, and serves another data folder: ${dataDir}`,
        `knowd doctor --data-dir '${dataDir}'`,
      );
}

/** A daemon that is older than this command may not know the method. */
async function askDaemon(client: Client, { online, deep }: DoctorFlags): Promise<Check[]> {
  const params = { online: online === true, deep: deep === true };
  try {
    return (await client.call("system.doctor", params)).checks;
  } catch (error) {
    return [problem("daemon", `it could not look: ${reasonOf(error)}`, "knowd stop && knowd up")];
  }
}

const shown: Readonly<Record<CheckState, string>> = {
  ok: paint.green("ok     "),
  note: paint.yellow("note   "),
  problem: paint.red("problem"),
};
const NAME_COLUMNS = 18;

function printCheck({ id, state, found, fix }: Check): void {
  const [first = "", ...more] = found.split("\n");
  out(`${shown[state]}  ${id.padEnd(NAME_COLUMNS)}${shownName(first)}`);
  for (const line of more) out(" ".repeat(9 + NAME_COLUMNS) + shownName(line));
  if (fix !== null) out(`${" ".repeat(9 + NAME_COLUMNS)}${paint.bold("→")} ${shownName(fix)}`);
}
