import { chmodSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Run after the build: the compiler writes files that can't be executed. */
for (const path of ["../rpc/cli/main.js", "../daemon/main.js"]) {
  try {
    chmodSync(fileURLToPath(new URL(path, import.meta.url)), 0o755);
  } catch (error) {
    // A build of a part of the tree has no command line.
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}
