import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { createProgram } from "../../rpc/cli/program.ts";
import { knowd } from "../support/command.ts";
import { shareDaemon, watchFolder } from "../support/daemon.ts";
import { temporaryFolder } from "../support/temporary.ts";

const daemon = shareDaemon();

/** What a person types, by words: `base create`. */
function verbsOf(command: Command, above: readonly string[] = []): string[] {
  return command.commands.flatMap((each) => {
    const words = [...above, each.name()];
    return each.commands.length > 0 ? verbsOf(each, words) : [words.join(" ")];
  });
}

/** These talk on their standard output for as long as they run. */
const STREAMS: ReadonlySet<string> = new Set(["start", "mcp", "ui"]);

/** Arguments that make sense in a home with a base called garden, which watches the folder. */
const rows = (folder: string, file: string): [string, string[]][] => [
  ["up", [folder]],
  ["status", []],
  ["status", ["--failed"]],
  ["formats", []],
  ["doctor", []],
  ["search", ["tomatoes"]],
  ["similar", [file]],
  ["explain", ["tomatoes"]],
  ["read", [file]],
  ["grep", ["Tom"]],
  ["ls", []],
  ["ls", ["garden"]],
  ["watch", []],
  ["note", ["a", "note"]],
  ["add", [file, "--base", "garden"]],
  ["reindex", ["--base", "garden"]],
  ["base create", ["another"]],
  ["base check", ["garden"]],
  ["base delete", ["another"]],
  ["job list", []],
  ["job retry", []],
  ["call", ["system.status"]],
  ["completion", ["bash"]],
  ["token list", []],
  ["rm", [file]],
];

describe("every verb", () => {
  const program = createProgram();

  it.each(verbsOf(program))("knowd %s offers --json, and is described in its help", (verb) => {
    const command = verb
      .split(" ")
      .reduce<Command>((above, word) => above.commands.find((each) => each.name() === word)!, program);
    expect(command.helpInformation()).toContain("--json");
    expect(command.description()).not.toBe("");
  });

  it("prints JSON that parses, a whole or a line each, and nothing else", async () => {
    const { home, client } = daemon();
    const folder = temporaryFolder();
    const file = path.join(folder, "beds.md");
    writeFileSync(file, "# Beds\n\nTomatoes want sun.\n");
    writeFileSync(path.join(folder, "more.md"), "# More beds\n\nTomatoes want water too.\n");
    await watchFolder(client, folder, { name: "garden" });
    const verbs = new Set(verbsOf(program));
    for (const [verb, args] of rows(folder, file).filter(([each]) => verbs.has(each))) {
      expect(STREAMS.has(verb)).toBe(false);
      const { code, stdout, stderr } = await knowd(home, [...verb.split(" "), ...args, "--json"]);
      expect([verb, code, stderr]).toEqual([verb, 0, ""]);
      const lines = stdout.trimEnd().split("\n");
      for (const line of lines) expect([verb, typeof JSON.parse(line)]).toEqual([verb, "object"]);
      expect([verb, lines.join("")]).not.toEqual([verb, ""]);
    }
  });
});

describe("what a person is told", () => {
  it.each([
    [["serach", "x"], 2, /unknown command 'serach'\n\(Did you mean search\?\)\n.*--help/],
    [["search", "--jsn", "x"], 2, /unknown option '--jsn'\n\(Did you mean --json\?\)/],
    [["add", "x"], 2, /--base <name>.*not specified\n.*--help/],
    [["ls", "gardn"], 4, /no base "gardn"\n +there are: garden$/m],
    [["rm", "nothing"], 4, /nothing indexed stands at nothing\n +knowd ls/],
    [["reindex"], 2, /name files, or a base with --base/],
    [["job", "cancel", "99"], 4, /knowd job list/],
  ])("after knowd %j is what to do next, with exit code %d", async (args, code, says) => {
    const { home, client } = daemon();
    await client.call("base.create", { name: "garden" });
    const result = await knowd(home, args);
    expect([result.code, result.stdout]).toEqual([code, ""]);
    expect(result.stderr).toMatch(/^knowd: /);
    expect(result.stderr).toMatch(says);
  });

  it("of many bases only the one that was meant is named", async () => {
    const { home, client } = daemon();
    for (let n = 0; n < 11; n++) await client.call("base.create", { name: `garden-${n}x` });
    const { stderr } = await knowd(home, ["ls", "garden-7"]);
    expect(stderr).toMatch(/knowd ls lists all 11; did you mean garden-7x\?/);
  });

  it("is coloured where FORCE_COLOR asks for it, and never where NO_COLOR is set", async () => {
    const home = temporaryFolder();
    mkdirSync(path.join(home, "run"), { mode: 0o700 });
    const plain = { NO_COLOR: "" };
    const ask = async (env: NodeJS.ProcessEnv) =>
      (await knowd(home, ["doctor"], { env })).stdout.includes("\u001B[");
    expect(await ask({ ...plain, CI: "1" })).toBe(false);
    expect(await ask({ ...plain, FORCE_COLOR: "1" })).toBe(true);
    expect(await ask({ NO_COLOR: "1", FORCE_COLOR: "1" })).toBe(false);
  });
});
