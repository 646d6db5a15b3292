import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { knowd } from "../support/command.ts";
import { cliEntry, homeEnvironment, startDaemon } from "../support/daemon.ts";
import { eventually } from "../support/eventually.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** A home whose daemon, if one is started, is stopped when the test has finished. */
function newHome(notes: Record<string, string> = {}): string {
  const home = temporaryFolder();
  mkdirSync(path.join(home, "run"), { mode: 0o700 });
  mkdirSync(path.join(home, "notes"));
  mkdirSync(path.join(home, "config/knowd"), { recursive: true });
  for (const [name, text] of Object.entries(notes)) writeFileSync(path.join(home, "notes", name), text);
  onTestFinished(async () => void (await knowd(home, ["stop"])));
  return home;
}

describe("a newcomer's mistakes", () => {
  it("each get a sentence that says what is wrong, and the exit code for it", async () => {
    const home = newHome({ "a.md": "zqfirst\n" });
    writeFileSync(path.join(home, "file"), "");
    expect((await knowd(home, ["up", "notes"], { cwd: home })).code).toBe(0);
    const cases: [string[], number, string][] = [
      [["up", "nothere"], 4, "there is no folder nothere"],
      [["up", "file"], 2, "is a file, not a folder"],
      [["up", ""], 2, "a path is empty"],
      [["up", "/proc"], 2, "the kernel makes up"],
      [["up", path.join(home, "data/knowd/KnowledgeBase")], 2, "knowd's own data folder"],
      [["watch", "nothere"], 4, "there is no folder nothere"],
      [["rm", ""], 2, "a path is empty"],
      [["rm", "nothere"], 4, "nothing indexed stands at nothere"],
      [["read", "nothere"], 4, "nothing indexed stands at"],
      [["read", "file"], 4, "in no watched folder"],
      [["read", "-n"], 2, "goes behind --"],
      [["search", ""], 2, "nothing to search for"],
      [["search", "x", "--base", "none"], 4, "there is no base"],
      [["grep", "("], 2, "not a valid regular expression"],
      [["add", "nothere", "--base", "notes"], 1, ""],
      [["base", "create", "notes"], 1, "A base of this name exists"],
      [["job", "cancel", "x"], 2, "a whole number is needed"],
      [["call", "search.query", "{"], 2, "not JSON"],
      [["call", "nothing.here"], 2, "There is no method"],
      [["frobnicate"], 2, "unknown command"],
    ];
    const answers = await Promise.all(cases.map(([args]) => knowd(home, args, { cwd: home })));
    const told = answers.map(({ code, stderr }, n) => [cases[n]?.[0], code, stderr]);
    expect(told).toEqual(cases.map(([args, code, text]) => [args, code, expect.stringContaining(text)]));
    expect(answers.map(({ stderr }) => stderr).join("")).not.toMatch(/\n\s+at |data\.reason/);
    expect((await knowd(home, ["watch"], { cwd: home })).stdout.trim().split("\n")).toHaveLength(1);
  });

  it("at the start name what can't be used, without a stack and without what stood in the log before", async () => {
    const home = newHome();
    writeFileSync(path.join(home, "file"), "");
    mkdirSync(path.join(home, "state/knowd"), { recursive: true });
    writeFileSync(path.join(home, "state/knowd/knowd.log"), "Error: of another day\n");
    const config = path.join(home, "odd.toml");
    writeFileSync(config, "[ingest]\nthredas = 2\n");
    const cases: [string[], number, string][] = [
      [["--data-dir", "file", "up"], 1, "can't be used"],
      [["--data-dir", "file/below", "up"], 1, "can't be used"],
      [["--socket", `/tmp/${"x".repeat(120)}`, "up"], 2, "bytes, but must have"],
      [["--socket", "/tmp/knowd.sock", "up"], 1, "shared by all users"],
      [["--config", "odd.toml", "up"], 2, `${config}:2: there is no setting ingest.thredas; did you mean`],
      [["--config", "nothere.toml", "up"], 2, "can't be read"],
    ];
    for (const [args, code, text] of cases) {
      const answer = await knowd(home, args, { cwd: home });
      expect([args, answer.code, answer.stderr]).toEqual([args, code, expect.stringContaining(text)]);
      expect(answer.stderr).not.toMatch(/\n\s+at |another day/);
    }
  });

  it("a folder that is given twice at once, or again after it was taken out, has one base and one source", async () => {
    const home = newHome({ "a.md": "zqfirst\n" });
    const ups = await Promise.all([1, 2, 3].map(() => knowd(home, ["up", "notes"], { cwd: home })));
    expect(ups.map(({ code, stderr }) => [code, stderr])).toEqual(ups.map(() => [0, ""]));
    expect(ups.filter(({ stdout }) => stdout.includes("Started the daemon"))).toHaveLength(1);
    await knowd(home, ["rm", "notes"], { cwd: home });
    expect((await knowd(home, ["ls"], { cwd: home })).stdout).not.toContain("watching");
    await eventually(async () => {
      const { stdout } = await knowd(home, ["call", "base.list"]);
      return stdout.includes('"items":0') ? true : undefined;
    });
    await knowd(home, ["up", "notes"], { cwd: home });
    const { stdout } = await knowd(home, ["--json", "ls"]);
    const { bases, sources } = JSON.parse(stdout) as { bases: { name: string }[]; sources: unknown[] };
    expect(bases.map(({ name }) => name)).toEqual(["notes"]);
    expect(sources).toHaveLength(1);
  });

  it("relative folders in the environment mean the folder that was typed in", async () => {
    const home = newHome();
    const env = { KNOWD_DATA_DIR: "here" };
    onTestFinished(async () => void (await knowd(home, ["stop"], { cwd: home, env })));
    expect((await knowd(home, ["up"], { cwd: home, env })).code).toBe(0);
    expect(readdirSync(path.join(home, "here"))).toContain("catalog.sqlite");
  });
});

describe("output", () => {
  it("keeps a name on its line, and takes a pipe that is closed early for what it is", async () => {
    const notes = Object.fromEntries(
      Array.from({ length: 700 }, (_, n) => [`${"n".repeat(100)}${n}.md`, "zq\n"]),
    );
    const home = newHome({ ...notes, "two\nlines\u001B[2J.md": "zqodd stands here\n" });
    expect((await knowd(home, ["up", "notes", "--no-embedding"], { cwd: home })).code).toBe(0);
    for (const args of [
      ["search", "zqodd"],
      ["grep", "zqodd"],
    ]) {
      const { stdout } = await knowd(home, args, { cwd: home });
      expect(stdout).toContain("notes/two\u{FFFD}lines\u{FFFD}[2J.md:1");
    }
    // More than a pipe holds, so that the writer is at work when the reader leaves.
    for (const verb of ["ls notes", "--json ls notes", "--json grep zq -n 1000", "grep zq -n 1000"]) {
      const script = `{ "$0" "$1" ${verb}; echo "code $?" >&2; } | head -c 1`;
      const run = promisify(execFile)("sh", ["-c", script, process.execPath, cliEntry], {
        env: homeEnvironment(home),
      });
      expect([verb, (await run).stderr]).toEqual([verb, "code 0\n"]);
    }
  });
});

describe("a daemon that is stopped while it indexes", () => {
  it("P24 ends with code 0 within its deadline, at once on a second signal, and goes on where it was", async () => {
    const home = temporaryFolder();
    const folder = path.join(home, "notes");
    mkdirSync(folder);
    for (let n = 0; n < 600; n++)
      writeFileSync(path.join(folder, `${n}.md`), `# ${n}\n\nzqstop${n}x in a note\n`);
    const first = await startDaemon({ home });
    const { base } = await first.client.call("base.create", { name: "notes" });
    await first.client.call("source.add", { baseId: base.id, path: folder });
    const busy = async ({ client }: typeof first): Promise<void> =>
      void (await eventually(async () => {
        const { counts } = (await client.call("base.get", { baseId: base.id })).base;
        return counts.completed > 0 && counts.active > 0 ? true : undefined;
      }));
    await busy(first);
    expect(await first.end("SIGTERM")).toBe(0);
    // What takes longer than the deadline is abandoned, and said to be.
    expect(first.log()).toContain('"clean":true');
    expect(first.log()).not.toMatch(/"level":"(?:error|fatal)"/);

    const second = await startDaemon({ home });
    await busy(second);
    second.process.kill("SIGTERM");
    await second.end("SIGTERM");

    const third = await startDaemon({ home });
    await eventually(async () => {
      const { counts } = (await third.client.call("base.get", { baseId: base.id })).base;
      return counts.completed === 600 ? true : undefined;
    }, 40_000);
    expect(await third.client.call("base.check", { baseId: base.id })).toMatchObject({
      ok: true,
      units: 600,
    });
  }, 90_000);
});
