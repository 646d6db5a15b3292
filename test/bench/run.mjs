// npm run bench [-- name…]: runs the named benchmarks, or all of them, one after the other.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL(".", import.meta.url));
const all = readdirSync(folder)
  .filter(
    (file) => file.endsWith(".mjs") && !["run.mjs", "support.mjs", "columns.mjs", "eval.mjs"].includes(file),
  )
  .map((file) => file.slice(0, -4));
const wanted = process.argv.slice(2).length > 0 ? process.argv.slice(2) : all;
for (const name of wanted) {
  if (!all.includes(name)) {
    process.stderr.write(`there is no benchmark "${name}"; there are: ${all.join(", ")}\n`);
    process.exit(2);
  }
  process.stdout.write(`\n== ${name}\n`);
  const { status } = spawnSync(process.execPath, [`${folder}${name}.mjs`], { stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
}
