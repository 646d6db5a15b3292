import { writeFileSync } from "node:fs";
import path from "node:path";
import { locations } from "../../../config/locations.ts";
import { createProgram, packageVersion } from "../program.ts";
import { renderManual } from "./manual.ts";

/** Part of the build, so that the page is never older than the commands; package.json names it. */
writeFileSync(
  path.join(locations.packageRoot, "dist/rpc/cli/manual/knowd.1"),
  renderManual(createProgram(), packageVersion()),
);
