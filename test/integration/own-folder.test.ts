import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { daemonEntry, homeEnvironment, startDaemon } from "../support/daemon.ts";
import { temporaryFolder } from "../support/temporary.ts";

describe("the daemon's own folder", () => {
  it.each(["data [of] mine!*", "..data", "#data"])(
    "named %s is left out of a watched folder that holds it",
    async (name) => {
      const home = temporaryFolder();
      const { client } = await startDaemon({ home, settings: { "data.dir": path.join(home, name) } });
      writeFileSync(path.join(home, "note.md"), "zqhome\n");
      const { base } = await client.call("base.create", { name: "home" });
      const { source } = await client.call("source.add", { baseId: base.id, path: home, hidden: true });
      await client.call("source.sync", { sourceId: source.id });
      const { items } = await client.call("item.list", { baseId: base.id, type: "file", limit: 100 });
      expect(items.map((item) => item.path)).toEqual([path.join(home, "note.md")]);
    },
  );

  it("is never copied into a base, by whatever name it is reached", async () => {
    const home = temporaryFolder();
    const disk = temporaryFolder();
    mkdirSync(path.join(disk, "data"));
    symlinkSync(path.join(disk, "data"), path.join(home, "data"));
    writeFileSync(path.join(disk, "note.md"), "zqdisk\n");
    const { client } = await startDaemon({ home });
    const { base } = await client.call("base.create", { name: "copies" });
    const whole = await client.call("item.add", { baseId: base.id, paths: [disk] });
    const name = path.basename(disk);
    expect(whole.failed).toEqual([]);
    expect(whole.added.map(({ conceptId }) => conceptId).toSorted()).toEqual(
      [name, `${name}/data`, `${name}/note.md`].toSorted(),
    );
    const catalog = path.join(disk, "data", "knowd", "catalog.sqlite");
    expect((await client.call("item.add", { baseId: base.id, paths: [catalog] })).failed).toEqual([
      { path: catalog, reason: "it lies in knowd's own data folder" },
    ]);
  });
});

describe("the daemon's command line", () => {
  it.each([
    [["--no-such-flag"], "--no-such-flag"],
    [["--socket"], "--socket"],
    [["--set", "ingest.settleMs"], "ingest.settleMs"],
  ])("answers %j with what is wrong in it and exit code 2", (flags, named) => {
    const { status, stderr } = spawnSync(process.execPath, [daemonEntry, ...flags], {
      env: homeEnvironment(temporaryFolder()),
      encoding: "utf8",
    });
    expect(stderr).toContain(named);
    expect(stderr).not.toContain("    at ");
    expect(status).toBe(2);
  });
});
