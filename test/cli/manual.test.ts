import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { locations } from "../../config/locations.ts";
import { renderManual } from "../../rpc/cli/manual/manual.ts";
import { createProgram, packageVersion } from "../../rpc/cli/program.ts";

const packageJson = JSON.parse(readFileSync(path.join(locations.packageRoot, "package.json"), "utf8")) as {
  man: string;
  files: string[];
  scripts: Record<string, string>;
};
const file = path.join(locations.packageRoot, packageJson.man);
const isThere = (program: string): boolean => spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;

/** What is read of a page, on lines of any length. */
function shown(page: string): string {
  const { stdout } = spawnSync("man", ["--no-hyphenation", "-l", page], {
    env: { ...process.env, MANWIDTH: "400", LC_ALL: "C.UTF-8" },
    encoding: "utf8",
  });
  return stdout;
}

function verbsOf(command: Command, above = ""): string[] {
  const name = `${above}${command.name()}`;
  return command.commands.length === 0
    ? [name]
    : command.commands.flatMap((each) => verbsOf(each, `${name} `));
}

describe("the manual page", () => {
  it("is written by the build, says what the command line's definitions say, and is part of the package", () => {
    expect(packageJson.scripts["build"]).toContain("write-manual.js");
    rmSync(file, { force: true });
    execFileSync(process.execPath, [path.join(path.dirname(file), "write-manual.js")]);
    expect(readFileSync(file, "utf8")).toBe(renderManual(createProgram(), packageVersion()));
    expect(packageJson.files).toContain(packageJson.man.split("/")[0]);
  });

  it("writes dots, quotes, dashes and backslashes so that none of them is a request", () => {
    const program = createProgram();
    program.command("odd").description(".SH \\fB\"quoted\"\n'single' -x");
    const page = renderManual(program, "1");
    expect(page).toContain(String.raw`\&.SH \efB\(dqquoted\(dq`);
    expect(page).toContain(String.raw`\&'single' \-x`);
  });

  it.runIf(isThere("man"))(
    "is taken by man without a warning, and shows every command and option (skipped without man)",
    () => {
      const checked = spawnSync("man", ["--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", file], {
        env: { ...process.env, LC_ALL: "C.UTF-8", MANWIDTH: "80" },
        encoding: "utf8",
      });
      expect([checked.status, checked.stderr]).toEqual([0, ""]);
      const text = shown(file);
      for (const verb of verbsOf(createProgram())) expect(text).toContain(verb);
      expect(text).toContain("--data-dir <folder>");
      expect(text).toContain('-draft  -"old draft"');
    },
  );

  it.runIf(isThere("mandoc"))("is taken by mandoc without an error (skipped without mandoc)", () => {
    const checked = spawnSync("mandoc", ["-T", "lint", "-W", "error", file], { encoding: "utf8" });
    expect([checked.status, checked.stdout]).toEqual([0, ""]);
  });
});
