import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { locations } from "../../config/locations.ts";
import { settingsTable } from "../../config/reference.ts";
import { listSettings } from "../../config/settings-list.ts";
import { methodTable } from "../../rpc/contract/index.ts";

describe("the settings table", () => {
  it("has a row with a meaning for every setting, and nothing of this machine", () => {
    const rows = settingsTable().split("\n").slice(2);
    expect(rows).toHaveLength(listSettings().length);
    for (const row of rows) expect(row).toMatch(/^\| `[a-z]+\.[^|]+` \| [^|]+ \| [^|]+ \| [^|]+ \|$/);
    expect(rows).toContain(
      "| `ingest.threads` | `auto` | a whole number from 1 to 64, or auto | worker threads; auto is one a processor core, 4 at most |",
    );
    expect(settingsTable()).not.toContain(process.env["HOME"] ?? "/home");
  });

  it("lists a variable for every setting outside lists, and no variable twice", () => {
    const variables = listSettings().flatMap(({ variable }) => variable ?? []);
    expect(variables).toEqual(
      expect.arrayContaining(["KNOWD_DATA_DIR", "KNOWD_SOCKET", "KNOWD_INGEST_RETRY_BASE_MS"]),
    );
    expect(new Set(variables).size).toBe(variables.length);
  });
});

describe("the defaults of new bases", () => {
  it.each(["chunkSize", "chunkOverlap"] as const)("%s allows nothing that base.create refuses", (name) => {
    const setting = listSettings().find(({ key }) => key === `base.${name}`)?.schema;
    for (const value of [setting?.minimum, setting?.maximum])
      expect(methodTable["base.create"].params.safeParse({ name: "a", [name]: value }).error).toBeUndefined();
  });
});

describe("the package's parts", () => {
  it("are found from source as from the build", () => {
    const built = execFileSync(process.execPath, [
      "--input-type=module",
      "-e",
      `const { locations } = await import(${JSON.stringify(new URL("dist/config/locations.js", `file://${locations.packageRoot}`).href)});
       console.log(JSON.stringify(locations));`,
    ]);
    expect(JSON.parse(built.toString())).toEqual(JSON.parse(JSON.stringify(locations)));
    expect(existsSync(locations.embeddedModel.modelPath)).toBe(true);
    expect(fileURLToPath(locations.workerHost)).toBe(join(locations.packageRoot, "dist/workers/host.js"));
  });
});

describe("make-executable", () => {
  it("makes the command line executable, and is content when there is none", () => {
    const folder = mkdtempSync(join(tmpdir(), "knowd-build-"));
    try {
      const script = join(folder, "config/make-executable.js");
      mkdirSync(join(folder, "config"));
      mkdirSync(join(folder, "rpc/cli"), { recursive: true });
      writeFileSync(join(folder, "package.json"), '{"type": "module"}');
      cpSync(join(locations.packageRoot, "dist/config/make-executable.js"), script);
      execFileSync(process.execPath, [script]);
      writeFileSync(join(folder, "rpc/cli/main.js"), "", { mode: 0o644 });
      execFileSync(process.execPath, [script]);
      expect(statSync(join(folder, "rpc/cli/main.js")).mode & 0o111).toBe(0o111);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
