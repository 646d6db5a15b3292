import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Result } from "../../rpc/contract/index.ts";
import { knowd } from "../support/command.ts";
import { shareDaemon } from "../support/daemon.ts";
import { eventually } from "../support/eventually.ts";

const nobody = "01932c07-4a3f-7b6e-9a52-0c5f0e9d7a11";

const daemon = shareDaemon();

/** The daemon's home, whose folder of three notes is watched, and whose file is copied into a base of its own. */
async function newHome(): Promise<string> {
  const { home } = daemon();
  for (const name of ["notes", "link"]) rmSync(path.join(home, name), { recursive: true, force: true });
  mkdirSync(path.join(home, "notes/deep"), { recursive: true });
  for (const name of ["a.md", "b.md", "deep/c.md"])
    writeFileSync(path.join(home, "notes", name), `# ${name}\n\nzqnote\n`);
  writeFileSync(path.join(home, "paper.md"), "# Paper\n\nzqpaper\n");
  symlinkSync(path.join(home, "notes"), path.join(home, "link"));
  await knowd(home, ["up", "notes"], { cwd: home });
  await knowd(home, ["base", "create", "shelf", "--no-embedding"]);
  await knowd(home, ["add", "--base", "shelf", "paper.md"], { cwd: home });
  return home;
}

const conceptIds = async (home: string, target: object): Promise<string[]> => {
  const { stdout } = await knowd(home, ["call", "item.find", JSON.stringify(target)]);
  return (JSON.parse(stdout) as Result<"item.find">).items.map((item) => item.conceptId);
};

describe("what a command is pointed at", () => {
  it("is a file's path, also through a linked folder, or with --base a path in the base", async () => {
    const home = await newHome();
    const run = (...args: string[]) => knowd(home, args, { cwd: home });
    expect((await run("read", "link/a.md")).stdout).toContain("zqnote");
    expect((await run("reindex", "link/a.md", "notes/b.md")).stdout).toBe("2 files queued.\n");
    expect((await run("reindex", "notes")).stdout).toBe("3 files queued.\n");
    expect((await run("reindex", "--base", "notes", "notes/b.md")).stdout).toBe("1 file queued.\n");
    expect((await run("reindex", "--base", "notes")).stdout).toBe("3 files queued.\n");

    expect((await run("rm", "link/a.md")).code).toBe(0);
    expect((await run("rm", "--base", "shelf", "paper.md")).code).toBe(0);
    await eventually(async () => {
      const left = [
        ...(await conceptIds(home, { path: path.join(home, "notes/a.md") })),
        ...(await conceptIds(home, { path: path.join(home, "notes/b.md") })),
      ];
      return left.join() === "notes/b.md" ? true : undefined;
    });
    expect((await run("search", "--base", "shelf", "zqpaper")).code).toBe(4);
    expect((await run("rm", "link")).code).toBe(0);
    expect(JSON.parse((await run("watch", "--json")).stdout)).toEqual({ items: [] });
  });

  it("that is not there is named and ends in exit code 4, and what is there is done all the same", async () => {
    const home = await newHome();
    const run = (...args: string[]) => knowd(home, args, { cwd: home });
    for (const verb of ["rm", "reindex"]) {
      const { code, stdout, stderr } = await run(verb, nobody);
      expect({ code, stdout }).toEqual({ code: 4, stdout: "" });
      expect(stderr).toContain(`nothing indexed stands at ${nobody}`);
    }
    const partly = await run("rm", "--json", "notes/none.md", "notes/b.md", nobody);
    expect(partly.code).toBe(4);
    expect(JSON.parse(partly.stdout)).toEqual({
      deleted: 1,
      sourcesRemoved: 0,
      notFound: ["notes/none.md", nobody],
    });
  });

  it("that is a folder watched for several bases is watched for none afterwards, or with --base for one less", async () => {
    const home = await newHome();
    const run = (...args: string[]) => knowd(home, args, { cwd: home });
    const bases = async () =>
      (JSON.parse((await run("watch", "--json")).stdout) as Result<"source.list">).items.length;
    await run("watch", "--base", "shelf", "notes");
    await run("watch", "--base", "third", "notes");
    expect(await bases()).toBe(3);
    expect((await run("rm", "--base", "shelf", "notes")).code).toBe(0);
    expect(await bases()).toBe(2);
    expect((await run("rm", "notes")).code).toBe(0);
    expect(await bases()).toBe(0);
  });

  it("may be more than one call can name", async () => {
    const home = await newHome();
    const many = Array.from({ length: 1001 }, (_, n) => `none-${n}.md`);
    const { code, stdout } = await knowd(home, ["add", "--json", "--base", "shelf", ...many], { cwd: home });
    expect(code).toBe(1);
    expect((JSON.parse(stdout) as Result<"item.add">).failed).toHaveLength(1001);
  });
});
