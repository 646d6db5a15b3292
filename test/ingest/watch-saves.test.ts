import { copyFileSync, renameSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type Followed, follow, makeFolder, until } from "./watch-support.ts";

/** How programs save `file`; each leaves `text` in it. */
const dances: Record<string, (file: string, text: string) => void> = {
  "vim (backup by rename, probe file, new file)": (file, text) => {
    const folder = path.dirname(file);
    writeFileSync(path.join(folder, "4913"), "");
    unlinkSync(path.join(folder, "4913"));
    writeFileSync(path.join(folder, ".note.md.swp"), "swap");
    renameSync(file, `${file}~`);
    writeFileSync(file, text);
    unlinkSync(`${file}~`);
    unlinkSync(path.join(folder, ".note.md.swp"));
  },
  "vim with backupcopy (copy, truncate, write)": (file, text) => {
    copyFileSync(file, `${file}~`);
    writeFileSync(file, text);
    unlinkSync(`${file}~`);
  },
  "VS Code (truncate and write)": (file, text) => {
    writeFileSync(file, "");
    writeFileSync(file, text);
  },
  "atomic (write aside, rename over)": (file, text) => {
    writeFileSync(`${file}.kate-swp~`, text);
    renameSync(`${file}.kate-swp~`, file);
  },
  "swap (aside, old away, new in)": (file, text) => {
    writeFileSync(path.join(path.dirname(file), ".#new"), text);
    renameSync(file, path.join(path.dirname(file), ".#old"));
    renameSync(path.join(path.dirname(file), ".#new"), file);
    unlinkSync(path.join(path.dirname(file), ".#old"));
  },
  "delete and write again at once": (file, text) => {
    unlinkSync(file);
    writeFileSync(file, text);
  },
};

async function isTold(seen: Followed, file: string): Promise<void> {
  await until(
    () => {
      const { ino, size } = statSync(file, { bigint: true });
      const stamp = seen.files.get(path.basename(file))?.stamp;
      return stamp?.ino === String(ino) && stamp.size === Number(size);
    },
    () => seen.messages,
  );
}

describe("editors' save dances", () => {
  for (const [name, save] of Object.entries(dances)) {
    it(`${name} never drops the file, and tells its last state`, async () => {
      const folder = makeFolder();
      const file = path.join(folder, "note.md");
      writeFileSync(file, "first");
      const seen = await follow(folder);
      for (let round = 1; round <= 5; round++) {
        save(file, `round ${round} `.repeat(round));
        await isTold(seen, file);
      }
      expect(seen.paths()).toEqual(["note.md"]);
      expect(seen.of("gone")).toEqual([]);
      expect(new Set(seen.of("changed").flatMap(({ files }) => files.map((each) => each.path)))).toEqual(
        new Set(["note.md"]),
      );
    });
  }

  it("one save that is many events is one change", async () => {
    const folder = makeFolder();
    const file = path.join(folder, "note.md");
    writeFileSync(file, "first");
    const seen = await follow(folder, { settings: { compareDelayMs: 200 } });
    seen.clear();
    for (let n = 0; n < 20; n++) writeFileSync(file, `save ${n}`);
    await isTold(seen, file);
    await seen.watcher.scan(seen.sourceId);
    expect(seen.of("changed")).toHaveLength(1);
  });

  it("a path that is away for less than the time of confirmation is not gone", async () => {
    const folder = makeFolder();
    const file = path.join(folder, "note.md");
    writeFileSync(file, "first");
    const seen = await follow(folder, { settings: { goneConfirmMs: 1_000 } });
    renameSync(file, `${file}~`);
    // Long enough for the comparison to miss it, well within the confirmation.
    await new Promise((resolve) => setTimeout(resolve, 150));
    writeFileSync(file, "second, by a slow editor");
    await isTold(seen, file);
    await seen.watcher.scan(seen.sourceId);
    expect(seen.of("gone")).toEqual([]);
  });
});
