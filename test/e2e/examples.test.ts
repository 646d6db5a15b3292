import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { cliEntry, homeEnvironment, shareDaemon, watchFolder } from "../support/daemon.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const readme = readFileSync(path.join(root, "README.md"), "utf8");

/** The example that README gives under this name. */
function example(name: string): string {
  const [, code] = new RegExp(`<!-- example: ${name} -->\n\`\`\`\\w+\n(.*?)\`\`\`\n`, "s").exec(readme) ?? [];
  if (code === undefined) throw new Error(`README has no example ${name}`);
  return code;
}

const isHere = (program: string): boolean =>
  spawnSync(program, ["--version"], { stdio: "ignore" }).error === undefined;

const shared = shareDaemon();

/** A user's home with notes that are indexed, `knowd` on the path, and an example in a file of his. */
async function home(name: string) {
  const { home: folder, client } = shared();
  const notes = path.join(folder, `notes for ${name}`);
  mkdirSync(notes);
  const keys = path.join(notes, "keys.md");
  writeFileSync(
    keys,
    `# Keys\n\nWhere they are kept.\n\n## Rotation\n\nTo rotate the keys, run it each month.\n`,
  );
  writeFileSync(path.join(notes, "tea.md"), "# Tea\n\nTwo spoons of it.\n");
  await watchFolder(client, notes);
  const programs = path.join(folder, `programs for ${name}`);
  mkdirSync(path.join(programs, "node_modules"), { recursive: true });
  symlinkSync(cliEntry, path.join(programs, "knowd"));
  symlinkSync(root, path.join(programs, "node_modules/knowd"));
  const file = path.join(programs, name);
  writeFileSync(file, example(name));
  const env = homeEnvironment(folder);
  const run = (program: string, args: readonly string[], more: NodeJS.ProcessEnv = {}) =>
    spawnSync(program, args, {
      env: { ...env, PATH: `${programs}:${env["PATH"]}`, ...more },
      encoding: "utf8",
      timeout: 20_000,
    });
  return { keys, file, programs, run };
}

describe("what README gives as examples", () => {
  it.skipIf(!isHere("jq"))(
    "the shell script opens the best hit in the editor, at its line (where jq is installed)",
    async () => {
      const { keys, file, programs, run } = await home("kopen");
      const editor = path.join(programs, "editor");
      writeFileSync(editor, `#!/bin/sh\nprintf '%s|' "$@"\n`);
      for (const script of [file, editor]) chmodSync(script, 0o755);
      const opened = run(file, ["how", "do I rotate", "the keys"], { EDITOR: editor });
      expect(opened.stderr).toBe("");
      expect([1, 5, 7].map((line) => `+${line}|${keys}|`)).toContain(opened.stdout);
      const missed = run(file, ["zqnowhere"], { EDITOR: editor });
      expect(missed.stdout).toBe("");
      expect(missed.status).not.toBe(0);
    },
  );

  it("the Node script prints passages with where they stand", async () => {
    const { keys, file, run } = await home("said.mjs");
    const { stdout, stderr } = run(process.execPath, [file, "rotate", "the", "keys"]);
    expect(stderr).toBe("");
    expect(stdout).toContain(`## ${keys}:`);
    expect(stdout).toContain("To rotate the keys, run it each month.");
  });

  it.skipIf(!isHere("nvim"))(
    "the command for Neovim fills the quickfix list with files and lines (where it is installed)",
    async () => {
      const { keys, file, run } = await home("knowd.lua");
      const wait = "vim.wait(10000, function() return #vim.fn.getqflist() > 0 end)";
      const print = `for _, entry in ipairs(vim.fn.getqflist()) do
      io.stdout:write(vim.fn.fnamemodify(vim.fn.bufname(entry.bufnr), ":p") .. ":" .. entry.lnum .. " " .. entry.text .. "\\n")
    end`;
      const { stdout, stderr } = run("nvim", [
        "--headless",
        "-u",
        "NONE",
        "-c",
        `luafile ${file.replaceAll(" ", "\\ ")}`,
        "-c",
        "Knowd rotate the keys",
        "-c",
        `lua ${wait}; ${print.replaceAll("\n", " ")}`,
        "-c",
        "qa!",
      ]);
      expect(stderr).toBe("");
      expect(stdout).toContain(`${keys}:`);
      expect(stdout).toContain("To rotate the keys, run it each month.");
    },
  );
});
