import { execFileSync } from "node:child_process";
import {
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { defer, follow, knownOf, makeFolder, until, untilPaths } from "./watch-support.ts";

describe("comparing", () => {
  it("tells nothing about an unchanged folder after a restart, and only the difference of a changed one", async () => {
    const folder = makeFolder();
    mkdirSync(path.join(folder, "d"));
    for (const name of ["a.md", "b.md", "d/c.md", "d/e.md"]) writeFileSync(path.join(folder, name), name);
    const first = await follow(folder);
    const known = knownOf(first);
    await first.watcher.close();

    const second = await follow(folder, { known });
    expect([second.of("changed"), second.of("gone"), second.of("excluded")]).toEqual([[], [], []]);
    expect(second.of("scanned")).toMatchObject([
      { request: null, files: 4, changed: 0, gone: 0, complete: true },
    ]);
    await second.watcher.close();

    unlinkSync(path.join(folder, "d/c.md"));
    writeFileSync(path.join(folder, "a.md"), "other");
    const third = await follow(folder, { known });
    expect(third.of("changed").flatMap(({ files }) => files.map((file) => file.path))).toEqual(["a.md"]);
    expect(third.of("gone")).toMatchObject([{ origin: "scan", paths: ["d/c.md"] }]);
  });

  it("P7 sees an edit whose size and mtime were put back", async () => {
    const folder = makeFolder();
    const file = path.join(folder, "a.md");
    writeFileSync(file, "one");
    const { atime, mtime } = statSync(file);
    const seen = await follow(folder);
    seen.clear();
    writeFileSync(file, "two");
    utimesSync(file, atime, mtime);
    await until(() => seen.of("changed").length > 0);
    expect(seen.files.get("a.md")?.stamp.size).toBe(3);
  });

  it("tells a file that changes again after it was told", async () => {
    const folder = makeFolder();
    const file = path.join(folder, "log.md");
    const seen = await follow(folder);
    for (const size of [1, 2, 3]) {
      writeFileSync(file, "x".repeat(size));
      await until(() => seen.files.get("log.md")?.stamp.size === size);
    }
    expect(seen.of("changed").length).toBeGreaterThanOrEqual(3);
  });

  it("keeps each hard link as a file of its own", async () => {
    const folder = makeFolder();
    writeFileSync(path.join(folder, "a.md"), "same");
    linkSync(path.join(folder, "a.md"), path.join(folder, "b.md"));
    const seen = await follow(folder);
    expect(seen.paths()).toEqual(["a.md", "b.md"]);
    expect(seen.files.get("a.md")?.stamp.ino).toBe(seen.files.get("b.md")?.stamp.ino);
    unlinkSync(path.join(folder, "a.md"));
    await untilPaths(seen, ["b.md"]);
  });

  it("an edit through one of a file's names is told of all of them, in whatever folders they are", async () => {
    const folder = makeFolder();
    for (const name of ["one", "two", "three"]) mkdirSync(path.join(folder, name));
    const names = ["one/a.md", "two/b.md", "three/c.md"];
    writeFileSync(path.join(folder, "one/a.md"), "same");
    writeFileSync(path.join(folder, "one/other.md"), "other");
    for (const name of names.slice(1)) linkSync(path.join(folder, "one/a.md"), path.join(folder, name));
    const seen = await follow(folder);
    writeFileSync(path.join(folder, "two/b.md"), "longer than before");
    await until(() => names.every((name) => seen.files.get(name)?.stamp.size === 18));
    expect(seen.of("scanned")).toHaveLength(1);
    expect(seen.files.get("one/other.md")?.stamp.size).toBe(5);
  });

  it("swaps a file for a folder of the same name, and back", async () => {
    const folder = makeFolder();
    const thing = path.join(folder, "thing");
    writeFileSync(thing, "file");
    const seen = await follow(folder);
    rmSync(thing);
    mkdirSync(thing);
    writeFileSync(path.join(thing, "inner.md"), "inner");
    await untilPaths(seen, ["thing/inner.md"]);
    rmSync(thing, { recursive: true });
    writeFileSync(thing, "file again");
    await untilPaths(seen, ["thing"]);
    expect(seen.of("gone").flatMap(({ paths }) => paths)).toContain("thing/inner.md");
  });

  it("never follows a symlink, and counts but does not tell what is no regular file", async () => {
    const folder = makeFolder();
    const outside = makeFolder();
    writeFileSync(path.join(outside, "secret.md"), "secret");
    symlinkSync(outside, path.join(folder, "link"));
    symlinkSync(path.join(outside, "secret.md"), path.join(folder, "secret.md"));
    symlinkSync("nowhere", path.join(folder, "dangling.md"));
    symlinkSync(".", path.join(folder, "loop"));
    execFileSync("mkfifo", [path.join(folder, "pipe.md")]);
    writeFileSync(path.join(folder, "real.md"), "real");
    const seen = await follow(folder);
    expect(seen.paths()).toEqual(["real.md"]);
    expect(await seen.watcher.stats()).toMatchObject({ files: 1, special: 1 });
    renameSync(path.join(folder, "real.md"), path.join(outside, "real.md"));
    symlinkSync(path.join(outside, "real.md"), path.join(folder, "real.md"));
    writeFileSync(path.join(folder, "other.md"), "other");
    await untilPaths(seen, ["other.md"]);
  });

  it("follows a root that is a symlink itself", async () => {
    const folder = makeFolder();
    const links = makeFolder();
    symlinkSync(folder, path.join(links, "root"));
    writeFileSync(path.join(folder, "a.md"), "a");
    const seen = await follow(path.join(links, "root"));
    expect(seen.paths()).toEqual(["a.md"]);
    writeFileSync(path.join(folder, "b.md"), "b");
    await untilPaths(seen, ["a.md", "b.md"]);
  });

  it("lists a file over the size limit with a sentence that names size and setting, and takes it when the limit rises", async () => {
    const folder = makeFolder();
    writeFileSync(path.join(folder, "big.md"), "");
    truncateSync(path.join(folder, "big.md"), 3 * 1024 * 1024);
    writeFileSync(path.join(folder, "small.md"), "small");
    const rules = { maxFileBytes: 1024 * 1024 };
    const seen = await follow(folder, { rules });
    expect(seen.files.get("small.md")?.refused).toBeNull();
    expect(seen.files.get("big.md")?.refused).toBe(
      "The file has 3 MB, more than the 1 MB that the source's setting maxFileBytes allows.",
    );
    await seen.watcher.update(seen.sourceId, {
      include: [],
      exclude: [],
      useIgnoreFiles: true,
      hidden: false,
      maxFileBytes: 4 * 1024 * 1024,
    });
    await until(() => seen.files.get("big.md")?.refused === null);
  });

  it("P9 indexes what it can reach of a tree deeper than a path may be long, and says where it stopped", async () => {
    const folder = makeFolder();
    const script = `
      const fs = require("node:fs"); process.chdir(process.argv[1]);
      for (let n = 0; n < 400; n++) { fs.mkdirSync("a-long-folder-name"); process.chdir("a-long-folder-name"); fs.writeFileSync("f.md", "x"); }`;
    execFileSync(process.execPath, ["-e", script, folder]);
    defer(() => void execFileSync("rm", ["-rf", folder]));
    writeFileSync(path.join(folder, "top.md"), "top");
    const seen = await follow(folder);
    expect(seen.files.size).toBeGreaterThan(150);
    const [scanned] = seen.of("scanned");
    expect(scanned).toMatchObject({ complete: false, files: seen.files.size });
    expect(scanned?.unreadable.length).toBeGreaterThan(0);
    writeFileSync(path.join(folder, "later.md"), "later");
    await until(() => seen.files.has("later.md"));
  });

  it.skipIf(process.getuid?.() === 0)(
    "P6 concludes nothing about a folder that can't be read, and reads it when it can (not as root: root may read all)",
    async () => {
      const folder = makeFolder();
      const locked = path.join(folder, "locked");
      mkdirSync(locked);
      writeFileSync(path.join(locked, "a.md"), "a");
      const seen = await follow(folder);
      execFileSync("chmod", ["000", locked]);
      defer(() => void execFileSync("chmod", ["-R", "u+rwX", folder]));
      const scan = await seen.watcher.scan(seen.sourceId);
      expect(scan.complete).toBe(false);
      expect(seen.paths()).toEqual(["locked/a.md"]);
      expect(seen.of("scanned").at(-1)?.unreadable).toContain("locked");
      execFileSync("chmod", ["700", locked]);
      writeFileSync(path.join(locked, "b.md"), "b");
      await untilPaths(seen, ["locked/a.md", "locked/b.md"]);
    },
  );

  it("looks again at what it is told to forget: changed, gone or excluded", async () => {
    const folder = makeFolder();
    writeFileSync(path.join(folder, "a.md"), "a");
    mkdirSync(path.join(folder, "d"));
    writeFileSync(path.join(folder, "d/b.md"), "b");
    const seen = await follow(folder, { rules: { exclude: ["*.log"] } });
    seen.clear();
    seen.watcher.forget(seen.sourceId, ["a.md", "d/b.md", "was/never/here.md", "out.log", "d"]);
    writeFileSync(path.join(folder, "out.log"), "log");
    await until(
      () => seen.of("gone").flatMap(({ paths }) => paths).length === 2,
      () => seen.messages,
    );
    const told = seen.of("changed").flatMap(({ files }) => files.map((file) => file.path));
    expect(told.sort()).toEqual(["a.md", "d/b.md"]);
    expect(
      seen
        .of("gone")
        .flatMap(({ paths }) => paths)
        .sort(),
    ).toEqual(["d", "was/never/here.md"]);
    await until(() => seen.of("excluded").length > 0);
    expect(seen.of("excluded")).toMatchObject([{ paths: ["out.log"] }]);
  });
});
