import { writeFileSync } from "node:fs";
import path from "node:path";
import { locations } from "../config/locations.ts";
import { renderReference } from "./reference.ts";

writeFileSync(path.join(locations.packageRoot, "rpc/README.md"), renderReference());
