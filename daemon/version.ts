import { readFileSync } from "node:fs";
import path from "node:path";
import { locations } from "../config/locations.ts";

interface PackageFile {
  readonly version: string;
}

/** The package's version, as its package.json says. */
export const version = (
  JSON.parse(readFileSync(path.join(locations.packageRoot, "package.json"), "utf8")) as PackageFile
).version;
