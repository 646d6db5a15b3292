import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { shareDaemon, startDaemon, watchFolder } from "../support/daemon.ts";
import { eventually } from "../support/eventually.ts";
import { itemOf, pathsWith, untilFoundIn } from "../support/questions.ts";
import { temporaryFolder } from "../support/temporary.ts";

describe("a watched folder", () => {
  const daemon = shareDaemon();

  it("is followed through nested folders that appear, move and come back", async () => {
    const home = temporaryFolder();
    const folder = path.join(home, "notes");
    mkdirSync(folder);
    const { client } = daemon();
    await watchFolder(client, folder);

    mkdirSync(path.join(folder, "a/b/c"), { recursive: true });
    writeFileSync(path.join(folder, "a/b/c/deep.md"), "zqdeep lies far down\n");
    await untilFoundIn(client, "zqdeep", [path.join(folder, "a/b/c/deep.md")]);

    renameSync(path.join(folder, "a"), path.join(folder, "z"));
    await untilFoundIn(client, "zqdeep", [path.join(folder, "z/b/c/deep.md")]);
    writeFileSync(path.join(folder, "z/b/c/deep.md"), "zqdeeper was written after the move\n");
    await untilFoundIn(client, "zqdeeper", [path.join(folder, "z/b/c/deep.md")]);

    rmSync(path.join(folder, "z"), { recursive: true });
    await untilFoundIn(client, "zqdeeper", []);
    mkdirSync(path.join(folder, "z"));
    writeFileSync(path.join(folder, "z/again.md"), "zqagain stands in a folder of the same name\n");
    await untilFoundIn(client, "zqagain", [path.join(folder, "z/again.md")]);

    mkdirSync(path.join(home, "outside/tree"), { recursive: true });
    writeFileSync(path.join(home, "outside/tree/in.md"), "zqmovedin came with its folder\n");
    renameSync(path.join(home, "outside/tree"), path.join(folder, "tree"));
    await untilFoundIn(client, "zqmovedin", [path.join(folder, "tree/in.md")]);
    renameSync(path.join(folder, "tree"), path.join(home, "outside/tree"));
    await untilFoundIn(client, "zqmovedin", []);
  });

  it("is equal to its index after a burst of 5,000 events, each file once", async () => {
    const folder = temporaryFolder();
    const { client } = daemon();
    const { base, source } = await watchFolder(client, folder, { embeddingModelId: null });
    for (let n = 0; n < 500; n++) {
      const file = path.join(folder, `part-${n % 10}`, `file-${n}.md`);
      mkdirSync(path.dirname(file), { recursive: true });
      for (let version = 0; version < 9; version++) writeFileSync(file, `zqfile${n} in version ${version}\n`);
    }
    for (let n = 0; n < 500; n += 5) rmSync(path.join(folder, `part-${n % 10}`, `file-${n}.md`));
    await client.call("source.sync", { sourceId: source.id });
    const left = readdirSync(folder, { recursive: true }).filter((name) => String(name).endsWith(".md"));
    await eventually(async () => {
      const { matches } = await client.call("kb.grep", {
        pattern: "version 8",
        literal: true,
        baseIds: [base.id],
        limit: 5000,
      });
      expect(new Set(matches.map((match) => match.path)).size).toBe(left.length);
      expect(matches).toHaveLength(left.length);
      return true;
    });
    expect((await client.call("base.check", { baseId: base.id })).problems).toEqual([]);
  });

  it("K11.2 that vanishes keeps its answers, says so, and is followed again when it is back", async () => {
    const home = temporaryFolder();
    const folder = path.join(home, "notes");
    mkdirSync(folder);
    const file = path.join(folder, "kept.md");
    writeFileSync(file, "zqkept answers all the while\n");
    const { client } = daemon();
    const { base, source } = await watchFolder(client, folder);
    const { id } = await itemOf(client, base.id, file);
    const stateOf = async () => (await client.call("source.list", { baseId: base.id })).items[0]?.state;

    renameSync(folder, path.join(home, "elsewhere"));
    await eventually(async () => ((await stateOf()) === "unavailable" ? true : undefined));
    await untilFoundIn(client, "zqkept", [file]);
    expect((await client.call("search.query", { query: "zqkept" })).warnings.join()).toContain(folder);
    await expect(client.call("source.rescan", { sourceId: source.id })).rejects.toMatchObject({
      errorName: "SOURCE_UNAVAILABLE",
    });

    renameSync(path.join(home, "elsewhere"), folder);
    await eventually(async () => ((await stateOf()) === "watching" ? true : undefined));
    writeFileSync(path.join(folder, "fresh.md"), "zqfresh was written after the return\n");
    await untilFoundIn(client, "zqfresh", [path.join(folder, "fresh.md")]);
    expect((await itemOf(client, base.id, file)).id).toBe(id);
  });

  it("K11.2 that goes away in the middle of its first ingest is read to the end when it is back", async () => {
    const home = temporaryFolder();
    const folder = path.join(home, "notes");
    mkdirSync(folder);
    for (let n = 0; n < 400; n++) writeFileSync(path.join(folder, `n${n}.md`), `zqaway${n}x stands here\n`);
    const { client } = daemon();
    const { base } = await client.call("base.create", { name: "notes" });
    const { source } = await client.call("source.add", { baseId: base.id, path: folder });
    const counts = async () => (await client.call("base.get", { baseId: base.id })).base.counts;
    await eventually(async () => ((await counts()).items > 100 ? true : undefined));
    renameSync(folder, path.join(home, "elsewhere"));
    const stateOf = async () => (await client.call("source.list", { baseId: base.id })).items[0]?.state;
    await eventually(async () => ((await stateOf()) === "unavailable" ? true : undefined));
    renameSync(path.join(home, "elsewhere"), folder);
    await eventually(async () => ((await stateOf()) === "watching" ? true : undefined));
    await client.call("source.sync", { sourceId: source.id });
    expect(await counts()).toMatchObject({ items: 400, completed: 400, failed: 0 });
  });

  it("K11.2 on a disk that is unmounted loses nothing, and is watched again when it is mounted", async ({
    skip,
  }) => {
    const folder = path.join(temporaryFolder(), "disk");
    mkdirSync(folder);
    const mount = (): void =>
      void execFileSync("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", folder], { stdio: "pipe" });
    const unmount = (): void => void execFileSync("umount", ["-l", folder], { stdio: "pipe" });
    try {
      mount();
    } catch {
      skip("mounting needs root");
    }
    onTestFinished(() => {
      try {
        unmount();
      } catch {
        // It is not mounted any more.
      }
    });
    for (let n = 0; n < 30; n++) writeFileSync(path.join(folder, `f${n}.md`), `zqdisk${n} on the disk\n`);
    const { client } = await startDaemon({ settings: { "ingest.graceMs": 0 } });
    const { base } = await watchFolder(client, folder);
    unmount();
    const stateOf = async () => (await client.call("source.list", { baseId: base.id })).items[0]?.state;
    await eventually(async () => ((await stateOf()) === "unavailable" ? true : undefined));
    expect((await client.call("base.get", { baseId: base.id })).base.counts.completed).toBe(30);
    expect(await pathsWith(client, "zqdisk7")).toEqual([path.join(folder, "f7.md")]);
  });

  it("leaves links, hidden files, node_modules and what .gitignore names alone, and takes a change of the rules at once", async () => {
    const home = temporaryFolder();
    const folder = path.join(home, "project");
    for (const part of ["src", "node_modules/pkg", ".git", "build", ".secret"])
      mkdirSync(path.join(folder, part), { recursive: true });
    writeFileSync(path.join(home, "outside.md"), "zqrule outside\n");
    symlinkSync(path.join(home, "outside.md"), path.join(folder, "link.md"));
    for (const file of ["src/a.md", "node_modules/pkg/b.md", ".git/c.md", "build/d.md", ".secret/e.md"])
      writeFileSync(path.join(folder, file), `zqrule ${file}\n`);
    writeFileSync(path.join(folder, ".gitignore"), "build/\n");
    const { client } = daemon();
    await watchFolder(client, folder);
    await untilFoundIn(client, "zqrule", [path.join(folder, "src/a.md")]);
    writeFileSync(path.join(folder, ".gitignore"), "src/\n");
    await untilFoundIn(client, "zqrule", [path.join(folder, "build/d.md")]);
  });

  it("lists a file that may not be read with its reason, and reads it once it may", async ({ skip }) => {
    if (process.getuid?.() === 0) skip("root may read everything");
    const folder = temporaryFolder();
    const file = path.join(folder, "locked.md");
    writeFileSync(file, "zqlocked\n", { mode: 0o000 });
    const { client } = daemon();
    const { base } = await watchFolder(client, folder);
    expect(await itemOf(client, base.id, file)).toMatchObject({ status: "failed" });
    chmodSync(file, 0o600);
    await untilFoundIn(client, "zqlocked", [file]);
  });

  it("follows a copied tree and a file that turns into a folder and back", async () => {
    const home = temporaryFolder();
    const folder = path.join(home, "notes");
    mkdirSync(path.join(home, "tree/x/y"), { recursive: true });
    mkdirSync(folder);
    for (let n = 0; n < 40; n++) writeFileSync(path.join(home, "tree/x/y", `n${n}.md`), `zqcopy${n}\n`);
    const { client } = daemon();
    await watchFolder(client, folder);
    cpSync(path.join(home, "tree"), path.join(folder, "tree"), { recursive: true });
    await untilFoundIn(client, "zqcopy39", [path.join(folder, "tree/x/y/n39.md")]);
    await untilFoundIn(client, "zqcopy0", [path.join(folder, "tree/x/y/n0.md")]);

    const swap = path.join(folder, "swap.md");
    writeFileSync(swap, "zqswap is a file\n");
    await untilFoundIn(client, "zqswap", [swap]);
    rmSync(swap);
    mkdirSync(swap);
    writeFileSync(path.join(swap, "inner.md"), "zqinner is in a folder of that name\n");
    await untilFoundIn(client, "zqinner", [path.join(swap, "inner.md")]);
    await untilFoundIn(client, "zqswap", []);
    rmSync(swap, { recursive: true });
    writeFileSync(swap, "zqswapped back\n");
    await untilFoundIn(client, "zqswapped", [swap]);
  });
});
