import { execFileSync } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  openSync,
  closeSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { FileRefused, type OpenFileInput, readWholeFile } from "../../workers/parse/open-file.ts";
import { ReadProblem } from "../../workers/parse/reader.ts";
import { escapePath } from "../../workers/path-bytes.ts";
import { refusalOf } from "../../workers/watch/refusal.ts";
import { temporaryFolder } from "../support/temporary.ts";

const posix = process.platform !== "win32";

function problemOf(input: Omit<OpenFileInput, "maxBytes"> & { maxBytes?: number }): ReadProblem {
  try {
    readWholeFile({ maxBytes: 1_000_000, ...input });
  } catch (error) {
    if (error instanceof ReadProblem) return error;
    throw error;
  }
  throw new Error("it was read");
}

describe("opening a file", () => {
  it("a regular file is read whole, with the stamp that tells its state", () => {
    const path = join(temporaryFolder(), "a.txt");
    writeFileSync(path, "content");
    const content = readWholeFile({ path, root: null, maxBytes: 7 });
    expect(content).toMatchObject({
      kind: "read",
      stamp: { size: 7, mtimeNs: expect.stringMatching(/^\d{16,}$/) },
    });
    expect(content.kind === "read" && Buffer.from(content.bytes).toString()).toBe("content");
  });

  it("an empty file is read as no bytes", () => {
    const path = join(temporaryFolder(), "a.txt");
    closeSync(openSync(path, "w"));
    expect(readWholeFile({ path, root: null, maxBytes: 10 })).toMatchObject({
      kind: "read",
      bytes: Buffer.alloc(0),
    });
  });

  it.runIf(process.platform === "linux")("a name that is not UTF-8 is opened by its bytes", () => {
    const folder = temporaryFolder();
    const path = Buffer.concat([
      Buffer.from(`${folder}/`),
      Buffer.from([0x63, 0xe9, 0x2e, 0x74, 0x78, 0x74]),
    ]);
    writeFileSync(path, "latin");
    expect(readWholeFile({ path: escapePath(path), root: folder, maxBytes: 10 })).toMatchObject({
      kind: "read",
    });
  });

  it("a file that is not there is gone, which may change", () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "file"), "");
    expect(problemOf({ path: join(folder, "none"), root: null })).toMatchObject({
      failure: "gone",
      permanent: false,
    });
    expect(problemOf({ path: join(folder, "file", "x"), root: null })).toMatchObject({ failure: "gone" });
  });

  it("a file over the cap is refused with its size, the cap, the setting and its stamp", () => {
    const path = join(temporaryFolder(), "big");
    writeFileSync(path, Buffer.alloc(3 * 2 ** 20));
    const problem = problemOf({ path, root: null, maxBytes: 2 * 2 ** 20 });
    expect(problem).toMatchObject({ failure: "too_large", permanent: true });
    // The watcher, which sees most of them first, says the same.
    expect(problem.message).toBe(refusalOf(path, 3 * 2 ** 20, 2 * 2 ** 20));
    expect(problem.message).toMatch(/3 MB.*2 MB.*maxFileBytes/);
    expect(problem instanceof FileRefused && problem.stamp.size).toBe(3 * 2 ** 20);
  });

  it("a folder is no file", () => {
    expect(problemOf({ path: temporaryFolder(), root: null })).toMatchObject({
      failure: "not_regular",
      permanent: true,
    });
  });

  it.runIf(posix)("P9 a symbolic link is not followed", () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "target"), "x");
    symlinkSync("target", join(folder, "link"));
    symlinkSync("loop", join(folder, "loop"));
    expect(problemOf({ path: join(folder, "link"), root: folder }).failure).toBe("not_regular");
    expect(problemOf({ path: join(folder, "loop"), root: folder }).failure).toBe("not_regular");
  });

  it.runIf(posix)("P9 a named pipe does not block", () => {
    const path = join(temporaryFolder(), "pipe");
    execFileSync("mkfifo", [path]);
    expect(problemOf({ path, root: null }).failure).toBe("not_regular");
  });

  it.runIf(posix)("P9 a socket and a device are no files", async () => {
    const path = join(temporaryFolder(), "socket");
    const server = createServer().listen(path);
    onTestFinished(() => void server.close());
    await once(server, "listening");
    expect(problemOf({ path, root: null }).failure).toBe("not_regular");
    expect(problemOf({ path: "/dev/zero", root: null }).failure).toBe("not_regular");
  });

  it.runIf(posix)("P22 a folder on the way that links out of the root is found by the real path", () => {
    const folder = temporaryFolder();
    const root = join(folder, "root");
    const outside = join(folder, "rootless");
    for (const made of [root, outside]) mkdirSync(made);
    writeFileSync(join(outside, "secret"), "x");
    symlinkSync(outside, join(root, "inner"));
    const problem = problemOf({ path: join(root, "inner", "secret"), root });
    expect(problem).toMatchObject({ failure: "outside_root" });
    expect(readWholeFile({ path: join(root, "inner", "secret"), root: outside, maxBytes: 9 })).toMatchObject({
      kind: "read",
    });
  });

  it.runIf(posix && process.getuid?.() !== 0)(
    "a file that may not be read says how to allow it, and may change",
    () => {
      const path = join(temporaryFolder(), "it's mine");
      writeFileSync(path, "x");
      chmodSync(path, 0);
      const problem = problemOf({ path, root: null });
      expect(problem).toMatchObject({ failure: "permission", permanent: false });
      expect(problem.message).toContain("chmod u+r");
    },
  );

  it.runIf(process.platform === "linux")(
    "a file whose size is not what comes out of it is taken as changing",
    () => {
      expect(readWholeFile({ path: "/proc/self/status", root: null, maxBytes: 100_000 })).toEqual({
        kind: "changing",
      });
    },
  );

  it("the stamp of a file that was written to is another", () => {
    const path = join(temporaryFolder(), "a.txt");
    writeFileSync(path, "one");
    const first = readWholeFile({ path, root: null, maxBytes: 100 });
    appendFileSync(path, " two");
    const second = readWholeFile({ path, root: null, maxBytes: 100 });
    expect(first.kind === "read" && second.kind === "read" && first.stamp).not.toEqual(
      second.kind === "read" && second.stamp,
    );
  });
});
