import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { completeWords } from "../../rpc/cli/completion/complete-words.ts";
import { completionScripts } from "../../rpc/cli/completion/scripts.ts";
import { createProgram } from "../../rpc/cli/program.ts";
import { cliEntry, homeEnvironment, shareDaemon } from "../support/daemon.ts";
import { temporaryFolder } from "../support/temporary.ts";

const program = createProgram();

/** The candidates alone; places as the scripts are told them. */
async function candidates(...words: string[]): Promise<string[]> {
  const found = await completeWords(program, words, {
    bases: (flags) => Promise.resolve(["notes", `of ${flags["socket"] ?? "here"}`]),
    methods: () => Promise.resolve(["search.query", "base.list"]),
  });
  return [...found.words.map(({ word }) => word), ...(found.places === null ? [] : [`:${found.places}`])];
}

describe("candidates of the command line", () => {
  it("are the program's own commands and options, with what is said of them", async () => {
    expect(await candidates("")).toEqual(program.commands.map((command) => command.name()));
    expect(await candidates("job", "")).toEqual(["list", "cancel", "retry"]);
    for (const command of program.commands.filter((each) => each.commands.length === 0)) {
      const options = await candidates(command.name(), "--");
      expect(options).toEqual(expect.arrayContaining(["--json", "--data-dir", "--help"]));
      expect(options).toEqual(expect.arrayContaining(command.options.flatMap(({ long }) => long ?? [])));
    }
  });

  it.each([
    [["sea"], ["search"]],
    [
      ["--json", "sta"],
      ["start", "status"],
    ],
    [["--data-dir", ""], [":folders"]],
    [["--config", "x"], [":files"]],
    [["--data-dir", "base", "bas"], ["base"]],
    [
      ["search", "--sort", ""],
      ["relevance", "newest", "oldest"],
    ],
    [["search", "--sort=n"], ["--sort=newest"]],
    [["search", "-b", "n"], ["notes"]],
    [
      ["search", "--base", "notes", "--base", ""],
      ["notes", "of here"],
    ],
    [["--socket", "/s", "search", "--base", "of"], ["of /s"]],
    [["--socket=/s", "ls", "of"], ["of /s"]],
    [["base", "delete", "n"], ["notes"]],
    [["base", "create", ""], []],
    [["call", "search"], ["search.query"]],
    [["call", "search.query", ""], []],
    [["read", ""], [":files"]],
    [["up", "a", "b", ""], [":folders"]],
    [["search", "--", "--b"], []],
    [
      ["completion", ""],
      ["bash", "zsh", "fish"],
    ],
    [["no-such-command", "--json", ""], []],
    [["search", "--limit", ""], []],
  ])("after %j are %j", async (words, expected) => {
    expect(await candidates(...words)).toEqual(expected);
  });
});

const daemon = shareDaemon();

/** A `knowd` on the PATH, as an installation gives one, and a folder with a file to complete. */
function place() {
  const folder = temporaryFolder();
  mkdirSync(path.join(folder, "bin"));
  symlinkSync(cliEntry, path.join(folder, "bin/knowd"));
  writeFileSync(path.join(folder, "two words.md"), "");
  const environment = homeEnvironment(daemon().home);
  return { cwd: folder, env: { ...environment, PATH: `${folder}/bin:${environment["PATH"]}`, TERM: "dumb" } };
}

function isThere(shell: string): boolean {
  return spawnSync("sh", ["-c", `command -v ${shell}`]).status === 0;
}

async function makeBases(): Promise<void> {
  for (const name of ["notes", "my own base"]) await daemon().client.call("base.create", { name });
}

/** What bash offers for a line: its own splitting of words, its own call of the function. */
function inBash(options: ReturnType<typeof place>, words: readonly string[]): string[] {
  const script = `source <(knowd completion bash)
    compopt() { :; }
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _knowd "$1"
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const answer = execFileSync("bash", ["-c", script, "bash", "knowd", ...words], {
    ...options,
    encoding: "utf8",
  });
  return answer.split("\n").filter((line) => line !== "");
}

describe("completion in the shells themselves", () => {
  it.runIf(isThere("bash"))(
    "bash completes commands, options, bases with spaces, values behind = and files",
    async () => {
      await makeBases();
      const options = place();
      expect(inBash(options, ["simi"])).toEqual(["similar"]);
      expect(inBash(options, ["search", "--doc"])).toEqual(["--documents"]);
      expect(inBash(options, ["search", "--base", ""]).sort()).toEqual([String.raw`my\ own\ base`, "notes"]);
      expect(inBash(options, ["search", "--sort", "=", "o"])).toEqual(["oldest"]);
      expect(inBash(options, ["search", "--sort", "="])).toEqual(["relevance", "newest", "oldest"]);
      expect(inBash(options, ["read", "two"])).toEqual(["two words.md"]);
    },
  );

  it.runIf(isThere("bash"))("bash is offered no base, and told nothing, without a daemon", () => {
    const options = place();
    const env = { ...options.env, XDG_RUNTIME_DIR: path.join(options.cwd, "run") };
    const ended = spawnSync(
      "bash",
      [
        "-c",
        'source <(knowd completion bash); COMP_WORDS=(knowd ls ""); COMP_CWORD=2; _knowd knowd; echo "${#COMPREPLY[@]}"',
      ],
      { ...options, env, encoding: "utf8" },
    );
    expect([ended.stdout, ended.stderr]).toEqual(["0\n", ""]);
  });

  it.runIf(isThere("zsh"))(
    "zsh (skipped where it is not installed) takes the script and offers a base",
    async () => {
      await makeBases();
      const script = `autoload -Uz compinit && compinit -D; source <(knowd completion zsh)
      _describe() { print -l -- "\${(@)candidates}" }
      words=(knowd search --base ""); CURRENT=4; _knowd`;
      const answer = execFileSync("zsh", ["-f", "-c", script], { ...place(), encoding: "utf8" });
      expect(answer.split("\n").filter(Boolean).sort()).toEqual(["my own base:", "notes:"]);
    },
  );

  it.runIf(isThere("fish"))(
    "fish (skipped where it is not installed) offers what it is asked for",
    async () => {
      await makeBases();
      const ask = (line: string) =>
        execFileSync("fish", ["--no-config", "-c", `knowd completion fish | source; complete -C '${line}'`], {
          ...place(),
          encoding: "utf8",
        })
          .split("\n")
          .filter(Boolean);
      expect(ask("knowd simi")).toEqual(["similar\tfind passages like a document, or like a text"]);
      expect(ask("knowd search --base n")).toEqual(["notes"]);
      expect(ask("knowd read two").join()).toContain("two words.md");
    },
  );

  it("every script calls the command by the name it was typed with", () => {
    for (const script of Object.values(completionScripts)) expect(script).not.toMatch(/\/(?:usr|tmp|home)\//);
  });
});
