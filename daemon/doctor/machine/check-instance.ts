import { readInstanceInfo } from "../../../config/instance-info.ts";
import type { Check } from "../../../rpc/contract/doctor.ts";
import { isAlive } from "../../runtime/is-alive.ts";
import { note, problem, shellWord } from "./findings.ts";
import { lstatOf } from "./stat-of.ts";

const UNSEEN = "its folders, documents, indexes and models were not looked at";

/** Why nobody answers at the socket: no daemon, one that died, one that listens elsewhere or lost its socket. */
export function checkSilence({ dataDir, socketPath }: { dataDir: string; socketPath: string }): Check {
  const last = readInstanceInfo(dataDir);
  if (last !== null && isAlive(last)) {
    const who = `a daemon (pid ${last.pid}) serves ${dataDir}`;
    return last.socketPath === socketPath
      ? problem("daemon", `${who}, but its socket ${socketPath} is gone`, `kill ${last.pid} && knowd up`)
      : problem(
          "daemon",
          `${who} at another socket, ${last.socketPath}`,
          `export KNOWD_SOCKET=${shellWord(last.socketPath)}`,
        );
  }
  const left = [
    ...(lstatOf(socketPath)?.isSocket() === true ? ["its socket"] : []),
    ...(last === null ? [] : ["its lock"]),
  ];
  return left.length > 0
    ? note(
        "daemon",
        `the last daemon died and left ${left.join(" and ")}: the next start replaces it; ${UNSEEN}`,
        "knowd up",
      )
    : note("daemon", `no daemon runs: ${UNSEEN}`, "knowd up");
}
