import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Threads and child processes load built JavaScript only, so the build is made fresh before the first test. */
export default function buildOnce(): void {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.json"], {
    cwd: root,
    stdio: "inherit",
  });
}
