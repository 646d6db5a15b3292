import type { InstanceInfo } from "../../config/instance-info.ts";
import { processBirth } from "./process-birth.ts";

/** Whether a daemon still runs. What a killed one left behind may name a pid that is another process's by now. */
export function isAlive({ pid, birth }: InstanceInfo): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it lives, and belongs to someone else.
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  return birth === null || birth === processBirth(pid);
}
