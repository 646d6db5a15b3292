import { describe, expect, it } from "vitest";
import { createBatch, MAX_FILES_PER_MESSAGE } from "../../workers/watch/batch.ts";
import { createChokidarBackend } from "../../workers/watch/chokidar-backend.ts";
import type { WatchMessage } from "../../workers/watch/contract.ts";
import { createDirectoryBackend } from "../../workers/watch/directory-backend.ts";
import { createDirty } from "../../workers/watch/dirty.ts";
import { costlyPatterns, createPatternSet, patternsBelow } from "../../workers/watch/ignore-patterns.ts";
import { isLeftOut } from "../../workers/watch/left-out.ts";
import { createOutbox } from "../../workers/watch/outbox.ts";
import { deviceOfKey, keyOfStamp, sizeOfKey, UNKNOWN_STAMP } from "../../workers/watch/stamp.ts";
import { makeFolder } from "./watch-support.ts";

const numbered = (number: number): WatchMessage => ({
  type: "excluded",
  sourceId: "s",
  paths: [String(number)],
});

describe("the outbox", () => {
  it("lets no more messages out than main may be behind, and keeps their order", async () => {
    const posted: WatchMessage[] = [];
    const outbox = createOutbox((message) => void posted.push(message), 4);
    const sent = Array.from({ length: 10 }, (_, number) => outbox.send(numbered(number)));
    await Promise.all(sent.slice(0, 4));
    expect(posted).toHaveLength(4);
    outbox.acknowledge();
    await sent[4];
    expect(posted).toHaveLength(5);
    for (let n = 0; n < 9; n++) outbox.acknowledge();
    await Promise.all(sent);
    expect(posted).toEqual(Array.from({ length: 10 }, (_, number) => numbered(number)));
  });
});

describe("a closed backend", () => {
  it.each([
    ["chokidar", createChokidarBackend],
    ["directory", createDirectoryBackend],
  ])("watches nothing more, though a comparison may still ask it to: %s", async (_, createBackend) => {
    const folder = makeFolder();
    const backend = createBackend();
    backend.close();
    expect(await backend.watch(folder, () => undefined, 0)).toEqual({ kind: "absent" });
    expect(backend.count()).toBe(0);
  });
});

describe("batches", () => {
  it("hold 500 files at most, one kind and origin each, in the order of the findings", async () => {
    const sent: WatchMessage[] = [];
    const batch = createBatch("s", async (message) => void sent.push(message));
    for (let n = 0; n < MAX_FILES_PER_MESSAGE + 1; n++) batch.gone("scan", `g${n}`);
    batch.gone("event", "live");
    batch.excluded("out");
    batch.gone("event", "later");
    expect(batch.isFull()).toBe(true);
    await batch.send(false);
    expect(sent.map(({ type }) => type)).toEqual(["gone", "gone", "gone", "excluded"]);
    await batch.send(true);
    expect(sent.map((message) => ("paths" in message ? message.paths.length : 0))).toEqual([500, 1, 1, 1, 1]);
  });
});

describe("dirty directories", () => {
  it("are due in the order of their first event, each once, with its names", () => {
    const dirty = createDirty(0);
    dirty.mark("b", "1");
    dirty.mark("a", "1");
    dirty.mark("b", "2");
    dirty.markAll("a");
    const now = Number.POSITIVE_INFINITY;
    expect(dirty.take(now)).toEqual({ path: "b", names: new Set(["1", "2"]) });
    expect(dirty.take(now)).toEqual({ path: "a", names: null });
    expect(dirty.take(now)).toBeUndefined();
  });

  it("are compared as a whole when too many names are dirty, and not before they are due", () => {
    const dirty = createDirty(60_000);
    for (let n = 0; n < 1_001; n++) dirty.mark("a", String(n));
    expect(dirty.take(performance.now())).toBeUndefined();
    expect(dirty.take(Number.POSITIVE_INFINITY)).toEqual({ path: "a", names: null });
  });
});

describe("stamps", () => {
  it("keep size and device within the key, and the unknown one equals none", () => {
    const key = keyOfStamp({ size: 5, mtimeNs: "2", ctimeNs: "3", ino: "18446744073709551615", dev: "66" });
    expect([sizeOfKey(key), deviceOfKey(key)]).toEqual([5, "66"]);
    expect([sizeOfKey(UNKNOWN_STAMP), deviceOfKey(UNKNOWN_STAMP)]).toEqual([0, ""]);
    expect(key).not.toBe(UNKNOWN_STAMP);
  });
});

describe("patterns of a deeper folder", () => {
  it.each([
    ["*.log", "/a/b/**/*.log"],
    ["!*.log", "!/a/b/**/*.log"],
    ["build/", "/a/b/**/build/"],
    ["/build", "/a/b/build"],
    ["docs/x.md", "/a/b/docs/x.md"],
    ["**/x.md", "/a/b/**/x.md"],
    ["name\\ ", "/a/b/**/name\\ "],
    ["name   ", "/a/b/**/name"],
  ])("%s is written as %s", (pattern, below) => {
    expect(patternsBelow("a/b", pattern)).toEqual([below]);
  });

  it("that could take for ever are dropped, wherever their file is; their time does not grow with them", () => {
    const costly = `${"**/*a*/".repeat(40)}b`;
    const usual = "/docs/**/draft/**/*.md";
    const text = `# ** ** ** ** **\n${costly}\n!${costly}\n${usual}`;
    expect(costlyPatterns(text)).toEqual([costly, `!${costly}`]);
    for (const folder of ["", "sub"]) {
      const set = createPatternSet([]).with(folder, text);
      expect(set.matches(`${"a/".repeat(100)}c`, false)).toBe(false);
      const prefix = folder === "" ? "" : `${folder}/`;
      expect(set.matches(`${prefix}docs/a/draft/b/c.md`, false)).toBe(true);
    }
  });

  it("that match nothing are dropped", () => {
    expect(patternsBelow("a", "# comment\n\n/\n!\n")).toEqual([]);
  });
});

describe("names left out", () => {
  it.each([
    ["readme.md", false, false],
    [".env", false, true],
    ["node_modules", true, true],
    ["node_modules", false, false],
    ["a.md~", false, true],
    ["a.swf", false, false],
    ["a.md.swp", false, true],
    ["49130", false, false],
  ])("%s (directory: %s) → %s", (name, isDirectory, leftOut) => {
    expect(isLeftOut(name, isDirectory, false)).toBe(leftOut);
  });

  it("with hidden entries taken, those of version control and editors still are", () => {
    expect(isLeftOut(".env", false, true)).toBe(false);
    expect(isLeftOut(".git", true, true)).toBe(true);
    expect(isLeftOut(".git", false, true)).toBe(true);
    expect(isLeftOut(".note.md.swn", false, true)).toBe(true);
    expect(isLeftOut(".#note.md", false, true)).toBe(true);
  });
});
