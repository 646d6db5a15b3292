import { execFileSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import {
  defer,
  type Followed,
  follow,
  knownOf,
  makeFolder,
  startFollowing,
  until,
  untilPaths,
} from "./watch-support.ts";

function makeRoot(): { root: string; aside: string } {
  const folder = makeFolder();
  const root = path.join(folder, "root");
  mkdirSync(path.join(root, "sub"), { recursive: true });
  for (const name of ["a.md", "b.md", "sub/c.md"]) writeFileSync(path.join(root, name), name);
  return { root, aside: path.join(folder, "aside") };
}

const all = ["a.md", "b.md", "sub/c.md"];

async function untilState(seen: Followed, state: string): Promise<void> {
  await until(
    () => seen.state()?.state === state,
    () => seen.state(),
  );
}

/** Nothing was concluded while it was away, and changes are followed again. */
async function isWellAgain(seen: Followed, root: string): Promise<void> {
  await untilState(seen, "watching");
  expect(seen.of("gone")).toEqual([]);
  writeFileSync(path.join(root, "sub/after.md"), "after");
  await untilPaths(seen, [...all, "sub/after.md"]);
}

describe("the root's supervisor", () => {
  const faults: Record<
    string,
    { spoil: (root: string, aside: string) => void; mend: (root: string, aside: string) => void }
  > = {
    "moved away": { spoil: renameSync, mend: (root, aside) => renameSync(aside, root) },
    "moved away and an empty folder put in its place": {
      spoil(root, aside) {
        renameSync(root, aside);
        mkdirSync(root);
      },
      mend(root, aside) {
        rmSync(root, { recursive: true });
        renameSync(aside, root);
      },
    },
    "another folder put in its place": {
      spoil(root, aside) {
        renameSync(root, aside);
        mkdirSync(root);
        for (let n = 0; n < 5; n++) writeFileSync(path.join(root, `foreign${n}.md`), "foreign");
      },
      mend(root, aside) {
        rmSync(root, { recursive: true });
        renameSync(aside, root);
      },
    },
    "a file put in its place": {
      spoil(root, aside) {
        renameSync(root, aside);
        writeFileSync(root, "file");
      },
      mend(root, aside) {
        unlinkSync(root);
        renameSync(aside, root);
      },
    },
    "deleted, and restored from a copy": {
      spoil(root, aside) {
        cpSync(root, aside, { recursive: true, preserveTimestamps: true });
        rmSync(root, { recursive: true });
      },
      mend(root, aside) {
        cpSync(aside, root, { recursive: true, preserveTimestamps: true });
      },
    },
  };

  for (const [fault, { spoil, mend }] of Object.entries(faults)) {
    it(`P6 K11.2 a root ${fault} is unavailable, loses no file, and is followed again when it is back`, async () => {
      const { root, aside } = makeRoot();
      const seen = await follow(root, { settings: { reconcileMs: 200 } });
      spoil(root, aside);
      await untilState(seen, "unavailable");
      expect(seen.state()?.reason).toBeTruthy();
      expect(seen.state()?.root).toBeNull();
      await expect(seen.watcher.scan(seen.sourceId)).rejects.toMatchObject({
        errorName: "SOURCE_UNAVAILABLE",
      });
      expect(seen.of("gone")).toEqual([]);
      mend(root, aside);
      await isWellAgain(seen, root);
    });
  }

  it("P6 a root that is away when it is added is unavailable until it comes", async () => {
    const { root, aside } = makeRoot();
    const first = await follow(root);
    const known = knownOf(first);
    const identity = first.state()?.root ?? null;
    await first.watcher.close();
    renameSync(root, aside);
    const seen = await follow(root, { known, identity });
    expect(seen.state()).toMatchObject({ state: "unavailable", reason: "The folder is not there." });
    renameSync(aside, root);
    await isWellAgain(seen, root);
  });

  it("P6 another folder at the path at the start is unavailable; one that holds the known files is recognised", async () => {
    const { root, aside } = makeRoot();
    const first = await follow(root);
    const known = knownOf(first);
    const identity = { dev: "1", ino: "1" };
    await first.watcher.close();
    const recognised = await follow(root, { known, identity });
    expect(recognised.state()).toMatchObject({ state: "watching", root: first.of("state").at(-1)?.root });
    await recognised.watcher.close();

    renameSync(root, aside);
    mkdirSync(root);
    writeFileSync(path.join(root, "foreign.md"), "foreign");
    const seen = await follow(root, { known, identity });
    expect(seen.state()?.reason).toBe("Another folder is at this path: it does not hold the known files.");
    expect(seen.paths()).toEqual(all);
  });

  it("P6 a root that comes back under another identity is recognised by forgotten files too", async () => {
    const { root, aside } = makeRoot();
    const seen = await follow(root);
    const paths = seen.paths();
    renameSync(root, aside);
    await untilState(seen, "unavailable");
    seen.watcher.forget(seen.sourceId, paths);
    cpSync(aside, root, { recursive: true });
    await untilState(seen, "watching");
    expect(seen.paths()).toEqual(paths);
    expect(seen.of("gone")).toEqual([]);
  });

  it("P6 a root that lost all its files is unavailable, and believed only after the hold", async () => {
    const { root } = makeRoot();
    const seen = await follow(root, { settings: { emptyRootFiles: 1, emptyRootHoldMs: 800 } });
    rmSync(path.join(root, "sub"), { recursive: true });
    await untilPaths(seen, ["a.md", "b.md"]);
    unlinkSync(path.join(root, "a.md"));
    unlinkSync(path.join(root, "b.md"));
    await untilState(seen, "unavailable");
    expect(seen.state()?.reason).toBe("The folder is empty but 2 files are known.");
    expect(seen.paths()).toEqual(["a.md", "b.md"]);
    await untilState(seen, "watching");
    expect(seen.paths()).toEqual([]);
    writeFileSync(path.join(root, "new.md"), "new");
    await untilPaths(seen, ["new.md"]);
  });

  it("a folder deleted and made again within a look is followed, and only its own files are gone", async () => {
    const { root } = makeRoot();
    const seen = await follow(root, { settings: { rootCheckMs: 300 } });
    rmSync(path.join(root, "sub"), { recursive: true });
    mkdirSync(path.join(root, "sub"));
    writeFileSync(path.join(root, "sub/d.md"), "d");
    await untilPaths(seen, ["a.md", "b.md", "sub/d.md"]);
    expect(seen.of("gone").flatMap(({ paths }) => paths)).toEqual(["sub/c.md"]);
  });

  it("a symlinked root that is pointed elsewhere is unavailable, unless the same files are there", async () => {
    const { root, aside } = makeRoot();
    const link = path.join(path.dirname(root), "link");
    symlinkSync(root, link);
    const seen = await follow(link);
    cpSync(root, aside, { recursive: true });
    unlinkSync(link);
    symlinkSync(aside, link);
    await until(() => seen.files.get("a.md")?.stamp.ino === String(statSync(path.join(aside, "a.md")).ino));
    await isWellAgain(seen, aside);
    expect(seen.of("state").at(-1)?.root?.ino).toBe(String(statSync(aside).ino));
  });
});

/** Null when tmpfs can't be mounted here (it takes root). */
function mountAt(folder: string): (() => void) | null {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], { stdio: "ignore" });
  } catch {
    return null;
  }
  return () => void execFileSync("umount", [folder], { stdio: "ignore" });
}

function canMount(): boolean {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false;
  const probe = "/tmp/knowd-watch-mount-probe";
  mkdirSync(probe, { recursive: true });
  const unmount = mountAt(probe);
  unmount?.();
  rmSync(probe, { recursive: true });
  return unmount !== null;
}

describe.skipIf(!canMount())("mounts (needs the right to mount)", () => {
  it("P6 an unmounted root is unavailable; mounted again with its files it is followed", async () => {
    const folder = makeFolder();
    const root = path.join(folder, "disk");
    mkdirSync(root);
    const unmount = mountAt(root);
    let mounted = true;
    defer(() => {
      if (mounted) unmount?.();
    });
    for (const name of all) {
      mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
      writeFileSync(path.join(root, name), name);
    }
    const seen = await follow(root);
    expect(seen.paths()).toEqual(all);
    unmount?.();
    mounted = false;
    await untilState(seen, "unavailable");
    expect(seen.of("gone")).toEqual([]);

    // A disk that comes back has its files, and here another device number.
    mountAt(root);
    mounted = true;
    mkdirSync(path.join(root, "sub"));
    for (const name of all) writeFileSync(path.join(root, name), name);
    await isWellAgain(seen, root);
  });

  it("P6 an unmounted disk inside a root takes no file with it, and is read again when it is back", async () => {
    const folder = makeFolder();
    const disk = path.join(folder, "disk");
    mkdirSync(path.join(disk), { recursive: true });
    writeFileSync(path.join(folder, "top.md"), "top");
    const unmount = mountAt(disk);
    let mounted = true;
    defer(() => {
      if (mounted) unmount?.();
    });
    for (let n = 0; n < 3; n++) writeFileSync(path.join(disk, `on-disk-${n}.md`), "disk");
    const seen = await follow(folder);
    expect(seen.files.size).toBe(4);
    unmount?.();
    mounted = false;
    const scan = await seen.watcher.scan(seen.sourceId);
    expect(scan).toMatchObject({ complete: false, gone: 0, files: 4 });
    expect(seen.of("scanned").at(-1)?.unreadable).toEqual(["disk"]);
    rmSync(disk, { recursive: true });
    expect(await seen.watcher.scan(seen.sourceId)).toMatchObject({ complete: false, gone: 0, files: 4 });
    unlinkSync(path.join(folder, "top.md"));
    writeFileSync(path.join(folder, "other.md"), "other");
    await untilPaths(seen, ["disk/on-disk-0.md", "disk/on-disk-1.md", "disk/on-disk-2.md", "other.md"]);

    mkdirSync(disk);
    mountAt(disk);
    mounted = true;
    for (let n = 0; n < 3; n++) writeFileSync(path.join(disk, `on-disk-${n}.md`), "disk");
    writeFileSync(path.join(disk, "new.md"), "new");
    await until(() => seen.files.has("disk/new.md"));
    expect(await seen.watcher.scan(seen.sourceId)).toMatchObject({ complete: true, files: 5 });
  });
});

it("a root that is not there at all is told so, and adding it does not fail", async () => {
  const seen = await startFollowing(path.join(makeFolder(), "nothing"));
  await untilState(seen, "unavailable");
  expect(seen.state()?.reason).toBe("The folder is not there.");
});
