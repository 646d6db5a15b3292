import { appendFileSync, mkdirSync, renameSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { escapePath } from "../../workers/path-bytes.ts";
import { follow, makeFolder, until, untilPaths } from "./watch-support.ts";

for (const backend of ["directory", "chokidar"] as const) {
  describe(`following with the ${backend} backend`, () => {
    it("tells new, edited and deleted files of a live folder", async () => {
      const folder = makeFolder();
      writeFileSync(path.join(folder, "old.md"), "old");
      const seen = await follow(folder, { settings: { backend } });
      expect(seen.paths()).toEqual(["old.md"]);
      expect(seen.state()).toMatchObject({ state: "watching", reason: null });

      writeFileSync(path.join(folder, "new.md"), "new");
      await untilPaths(seen, ["new.md", "old.md"]);

      const before = seen.files.get("old.md")?.stamp;
      appendFileSync(path.join(folder, "old.md"), " and more");
      await until(() => seen.files.get("old.md")?.stamp.size === 12);
      expect(seen.files.get("old.md")?.stamp.ino).toBe(before?.ino);

      unlinkSync(path.join(folder, "new.md"));
      await untilPaths(seen, ["old.md"]);
      expect(seen.of("gone")).toEqual([
        { type: "gone", sourceId: seen.sourceId, origin: "event", paths: ["new.md"] },
      ]);
    });

    it("finds a file written in the same moment as the folders above it", async () => {
      const folder = makeFolder();
      const seen = await follow(folder, { settings: { backend } });
      for (let n = 0; n < 20; n++) {
        mkdirSync(path.join(folder, `a${n}/b/c`), { recursive: true });
        writeFileSync(path.join(folder, `a${n}/b/c/file.md`), "deep");
      }
      await untilPaths(
        seen,
        Array.from({ length: 20 }, (_, n) => `a${n}/b/c/file.md`),
      );
      writeFileSync(path.join(folder, "a7/b/c/later.md"), "later");
      await until(() => seen.files.has("a7/b/c/later.md"));
      expect(seen.files.size).toBe(21);
    });

    it("goes on following a folder that was deleted and made again", async () => {
      const folder = makeFolder();
      mkdirSync(path.join(folder, "d/e"), { recursive: true });
      writeFileSync(path.join(folder, "d/e/one.md"), "one");
      const seen = await follow(folder, { settings: { backend } });
      for (let round = 0; round < 3; round++) {
        rmSync(path.join(folder, "d"), { recursive: true });
        mkdirSync(path.join(folder, "d/e"), { recursive: true });
        writeFileSync(path.join(folder, `d/e/round${round}.md`), "again");
        await untilPaths(seen, [`d/e/round${round}.md`]);
        writeFileSync(path.join(folder, "d/e/extra.md"), `extra ${round}`);
        await until(() => seen.files.has("d/e/extra.md"));
        unlinkSync(path.join(folder, "d/e/extra.md"));
        await untilPaths(seen, [`d/e/round${round}.md`]);
        expect(seen.state()?.state).toBe("watching");
      }
    });

    it("follows a folder that is moved in, inside and out", async () => {
      const folder = makeFolder();
      const outside = makeFolder();
      mkdirSync(path.join(outside, "box/inner"), { recursive: true });
      writeFileSync(path.join(outside, "box/inner/a.md"), "a");
      mkdirSync(path.join(folder, "sub"));
      writeFileSync(path.join(folder, "keep.md"), "keep");
      const seen = await follow(folder, { settings: { backend } });

      renameSync(path.join(outside, "box"), path.join(folder, "box"));
      await untilPaths(seen, ["box/inner/a.md", "keep.md"]);

      renameSync(path.join(folder, "box"), path.join(folder, "sub/moved"));
      await untilPaths(seen, ["keep.md", "sub/moved/inner/a.md"]);
      writeFileSync(path.join(folder, "sub/moved/inner/b.md"), "b");
      await untilPaths(seen, ["keep.md", "sub/moved/inner/a.md", "sub/moved/inner/b.md"]);

      renameSync(path.join(folder, "sub/moved"), path.join(outside, "back"));
      await untilPaths(seen, ["keep.md"]);
      // The root and `sub`: what left holds no watch.
      expect((await seen.watcher.stats()).watches).toBe(2);
    });

    it("P7 a burst of 5,000 events on 50 files ends in their last state", async () => {
      const folder = makeFolder();
      const seen = await follow(folder, { settings: { backend } });
      for (let n = 0; n < 100; n++) {
        // Appended: truncating makes ext4 write each file out.
        for (let file = 0; file < 50; file++) appendFileSync(path.join(folder, `f${file}.md`), "x");
      }
      await until(
        () => seen.files.size === 50 && [...seen.files.values()].every(({ stamp }) => stamp.size === 100),
        () => seen.files.size,
      );
      const told = seen.of("changed").reduce((sum, { files }) => sum + files.length, 0);
      expect(told).toBeLessThan(5_000 / 4);
    });

    it("takes names that are not UTF-8, or hold a newline, for what they are", async () => {
      const folder = makeFolder();
      const odd = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff, 0xfe, 0x61])]);
      writeFileSync(Buffer.concat([odd, Buffer.from(".md")]), "bytes");
      mkdirSync(odd);
      writeFileSync(Buffer.concat([odd, Buffer.from("/in\nside.md")]), "line");
      const name = escapePath(Buffer.from([0xff, 0xfe, 0x61]));
      const seen = await follow(folder, { settings: { backend } });
      expect(seen.paths()).toEqual([`${name}.md`, `${name}/in\nside.md`].sort());

      writeFileSync(Buffer.concat([odd, Buffer.from("/live.md")]), "live");
      await until(() => seen.files.has(`${name}/live.md`));
      unlinkSync(Buffer.concat([odd, Buffer.from(".md")]));
      await until(() => !seen.files.has(`${name}.md`));
    });

    it.skipIf(process.platform === "win32")(
      "follows folders whose names look like paths or patterns",
      async () => {
        const folder = makeFolder();
        const names = ["back\\slash", "[ab]", "*", "{a,b}", "!not", " blank ", "~"];
        for (const name of names) mkdirSync(path.join(folder, name));
        const seen = await follow(folder, { settings: { backend } });
        for (const name of names) writeFileSync(path.join(folder, name, "live.md"), "live");
        await until(
          () => seen.files.size === names.length,
          () => seen.paths(),
        );
        expect(seen.paths()).toEqual(names.map((name) => `${name}/live.md`).sort());
      },
    );
  });
}
