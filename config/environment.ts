import { homedir } from "node:os";
import type { SystemEnvironment } from "./platform-folders.ts";

/** What the system gave this process. The one place that reads it; everything else is handed what it needs. */
export function readEnvironment(): SystemEnvironment {
  return {
    env: process.env,
    platform: process.platform,
    homeDir: homedir(),
    uid: process.getuid?.() ?? null,
    cwd: process.cwd(),
  };
}
