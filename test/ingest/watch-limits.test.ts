import { mkdirSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { exhaustedReason, wantedWatches } from "../../workers/watch/watch-limits.ts";
import type { WatchMessage } from "../../workers/watch/contract.ts";
import { openWatcher } from "../../daemon/ingest/watcher.ts";
import {
  defer,
  follow,
  knownOf,
  makeFolder,
  quick,
  silent,
  startFollowing,
  takeAll,
  threadUrl,
  until,
} from "./watch-support.ts";

function makeFolders(count: number): string {
  const folder = makeFolder();
  for (let n = 0; n < count; n++) {
    mkdirSync(path.join(folder, `d${n}`));
    writeFileSync(path.join(folder, `d${n}/a.md`), `${n}`);
  }
  return folder;
}

for (const backend of ["directory", "chokidar"] as const) {
  describe(`when watches run out (${backend})`, () => {
    it("P17 the rest is polled, the command that ends it is named, and every edit is found", async () => {
      const folder = makeFolders(30);
      const seen = await follow(folder, { settings: { backend, maxWatches: 10, pollMs: 50 } });
      expect(seen.files.size).toBe(30);
      expect(seen.state()?.state).toBe("polling");
      expect(seen.state()?.reason).toMatch(/sudo sysctl fs\.inotify\.max_user_watches=\d+$/);
      expect(await seen.watcher.stats()).toMatchObject({ watches: 10, refused: 21, files: 30 });
      for (let n = 0; n < 30; n++) writeFileSync(path.join(folder, `d${n}/a.md`), `edited ${n}`);
      for (let n = 0; n < 30; n += 3) unlinkSync(path.join(folder, `d${n}/a.md`));
      await until(
        () => seen.files.size === 20 && [...seen.files.values()].every(({ stamp }) => stamp.size > 7),
        () => seen.paths(),
      );
    });

    it("P17 watches that become free are used, and the state is watching again", async () => {
      const folder = makeFolders(12);
      const seen = await follow(folder, { settings: { backend, maxWatches: 10, pollMs: 50 } });
      expect(seen.state()?.state).toBe("polling");
      for (let n = 0; n < 6; n++) rmSync(path.join(folder, `d${n}`), { recursive: true });
      await until(
        () => seen.state()?.state === "watching",
        () => seen.state(),
      );
      expect(await seen.watcher.stats()).toMatchObject({ watches: 7, refused: 0 });
    });
  });
}

describe("the reason for polling", () => {
  it("names the system's limit, the need and a command with room for twice the need", () => {
    expect(wantedWatches(20_000, 8_192)).toBe(40_000);
    expect(wantedWatches(100, 8_192)).toBe(16_384);
    expect(exhaustedReason({ code: "ENOSPC", directories: 300_000, maxWatches: null })).toContain(
      "sudo sysctl fs.inotify.max_user_watches=600000",
    );
    expect(exhaustedReason({ code: "EMFILE", directories: 10, maxWatches: null })).toMatch(
      /sudo sysctl fs\.inotify\.max_user_instances=\d+$/,
    );
  });
});

describe("bounds", () => {
  it("more dirty folders at once than the limit are found by one scan", async () => {
    const folder = makeFolders(40);
    const seen = await follow(folder, { settings: { maxDirtyDirectories: 8, compareDelayMs: 500 } });
    seen.clear();
    for (let n = 0; n < 40; n++) writeFileSync(path.join(folder, `d${n}/b.md`), "b");
    await until(() => seen.files.size === 80 && seen.of("scanned").length > 0);
    expect(seen.of("scanned")[0]).toMatchObject({ request: null, complete: true });
  });

  it("P7 a burst over the limit of events is followed by a complete scan", async () => {
    const folder = makeFolders(2);
    const seen = await follow(folder, { settings: { burstEvents: 200 } });
    seen.clear();
    for (let n = 0; n < 300; n++) writeFileSync(path.join(folder, `d${n % 2}/f${n}.md`), "x");
    await until(() => seen.of("scanned").length > 0 && seen.files.size === 302);
    expect(seen.of("scanned")[0]).toMatchObject({ request: null, complete: true });
  });

  it("the thread is never more than a few messages ahead of main, and nothing is lost by waiting", async () => {
    const folder = makeFolder();
    for (let n = 0; n < 2_000; n++) writeFileSync(path.join(folder, `f${n}.md`), "");
    let release: (() => void) | undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    let begun = 0;
    const seen = await startFollowing(folder, {
      onMessage: async (message) => {
        begun++;
        if (message.type === "changed") await gate;
      },
    });
    await until(() => begun === 2);
    writeFileSync(path.join(folder, "while-waiting.md"), "");
    // Main is stuck in its first `changed`: the others must not have begun.
    await seen.watcher.stats();
    expect(begun).toBe(2);
    release?.();
    await until(() => seen.files.size === 2_001);
    for (const { files } of seen.of("changed")) expect(files.length).toBeLessThanOrEqual(500);
  });

  it("a message that main rejects is delivered again, before those that follow", async () => {
    const folder = makeFolder();
    writeFileSync(path.join(folder, "a.md"), "a");
    let failures = 1;
    const seen = await follow(folder, {
      onMessage: (message) => {
        if (message.type === "changed" && failures-- > 0) throw new Error("the disk is full");
      },
    });
    expect(seen.paths()).toEqual(["a.md"]);
    expect(seen.messages.map(({ type }) => type)).toEqual(["state", "changed", "scanned", "state"]);
  });

  it("K11.1 a scan that is asked for while the known files are still handed in waits for the last of them", async () => {
    const folder = makeFolders(3);
    const first = await follow(folder);
    const known = knownOf(first);
    await first.watcher.close();
    const messages: WatchMessage[] = [];
    const watcher = openWatcher({
      threadUrl,
      log: silent,
      settings: { ...quick, backend: "directory" },
      onMessage: (message) => void messages.push(message),
    });
    defer(() => watcher.close());
    const root = { sourceId: "source", path: folder, rules: takeAll, identity: null };
    let scan: Promise<unknown> | undefined;
    async function* handedIn() {
      yield known.slice(0, 1);
      scan = watcher.scan("source");
      // Many answers later the thread would be done with it.
      for (let n = 0; n < 500; n++) await watcher.stats();
      yield known.slice(1);
    }
    await watcher.add(root, handedIn());
    expect(await scan).toMatchObject({ files: 3, changed: 0, gone: 0, complete: true });
    expect(messages.filter(({ type }) => type === "changed")).toEqual([]);
  });

  it("requests for scans are answered after their messages, each with its own number", async () => {
    const folder = makeFolder();
    const seen = await follow(folder);
    writeFileSync(path.join(folder, "a.md"), "a");
    const results = await Promise.all([seen.watcher.scan(seen.sourceId), seen.watcher.scan(seen.sourceId)]);
    expect(seen.paths()).toEqual(["a.md"]);
    for (const result of results) expect(result).toMatchObject({ files: 1, complete: true });
    const requests = seen.of("scanned").map(({ request }) => request);
    expect(requests).toHaveLength(3);
    expect(new Set(requests).size).toBe(3);
  });

  it("a source that is removed says nothing more; unknown ones are refused; a closed watcher answers nothing", async () => {
    const folder = makeFolders(3);
    const seen = await follow(folder);
    await seen.watcher.remove(seen.sourceId);
    seen.clear();
    writeFileSync(path.join(folder, "d1/new.md"), "new");
    expect(await seen.watcher.stats()).toEqual({ watches: 0, refused: 0, files: 0, special: 0 });
    await expect(seen.watcher.scan(seen.sourceId)).rejects.toMatchObject({ errorName: "SOURCE_NOT_FOUND" });
    expect(seen.messages).toEqual([]);
    await seen.watcher.close();
    await expect(seen.watcher.stats()).rejects.toMatchObject({ errorName: "HOST_UNAVAILABLE" });
  });
});

it("an edit in a folder of thousands is found by its name, while the others stay untold", async () => {
  const folder = makeFolder();
  for (let n = 0; n < 1_500; n++) writeFileSync(path.join(folder, `f${n}.md`), "");
  const seen = await follow(folder);
  seen.clear();
  writeFileSync(path.join(folder, "f1234.md"), "edited");
  await until(() => seen.of("changed").length > 0);
  expect(seen.of("changed").flatMap(({ files }) => files.map((file) => file.path))).toEqual(["f1234.md"]);
});
