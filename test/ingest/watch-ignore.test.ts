import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { follow, makeFolder, takeAll, until, untilPaths } from "./watch-support.ts";

type Files = Readonly<Record<string, string>>;

function write(folder: string, files: Files): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
}

const hasGit = spawnSync("git", ["--version"]).status === 0;

/** What git would take of a folder, without what we leave out by name. */
function takenByGit(folder: string): string[] {
  execFileSync("git", ["init", "-q"], { cwd: folder });
  const listed = execFileSync("git", ["ls-files", "-z", "--others", "--exclude-standard"], {
    cwd: folder,
    env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" },
  });
  return listed.toString().split("\0").filter(Boolean).sort();
}

const tree = [
  "a.md",
  "a.log",
  "debug.log",
  "keep.log",
  "build/out.md",
  "build/keep.md",
  "src/build/x.md",
  "src/a.log",
  "src/deep/a.log",
  "src/deep/b.md",
  "docs/api/x.md",
  "docs/api/y.txt",
  "docs/guide/x.md",
  "docs/x.md",
  "we [ird] name/f.md",
  "we [ird] name/g.log",
  "trailing space /f.md",
  "#hash.md",
  "!bang.md",
  "Case.MD",
  "foo/bar/baz/q.md",
  "foo/q.md",
  "x/y/z/end.md",
];

const cases: Record<string, Files> = {
  "a plain name anywhere": { ".gitignore": "*.log\n" },
  "a later line takes back an earlier one": { ".gitignore": "*.log\n!keep.log\n" },
  "nothing below a folder left out comes back": { ".gitignore": "build/\n!build/keep.md\n" },
  "its contents left out one by one may come back": { ".gitignore": "build/*\n!build/keep.md\n" },
  "a leading slash anchors": { ".gitignore": "/build\n/a.log\n" },
  "a slash in the middle anchors": { ".gitignore": "src/a.log\ndocs/api\n" },
  "two stars cross folders": { ".gitignore": "**/deep/*.md\ndocs/**/x.md\nfoo/**\n" },
  "a deeper file decides over a higher one": {
    ".gitignore": "*.log\n",
    "src/.gitignore": "!a.log\n",
    "src/deep/.gitignore": "a.log\n",
  },
  "a deeper anchored pattern counts from its own folder": {
    "src/.gitignore": "/a.log\n/deep/b.md\n",
    "foo/.gitignore": "bar/baz\n",
  },
  "a folder taken back by a deeper file keeps its entries": {
    ".gitignore": "z/\n",
    "x/y/.gitignore": "!z/\n",
  },
  "a folder with special characters holds an ignore file": { "we [ird] name/.gitignore": "*.log\n/f.md\n" },
  "a folder whose name ends with a space holds one": { "trailing space /.gitignore": "f.md\n" },
  "escapes, comments, blank lines, trailing spaces, CRLF and a BOM": {
    ".gitignore": "\uFEFF# comment\r\n\r\n\\#hash.md\r\n\\!bang.md\r\na.log   \r\n",
  },
  "case counts": { ".gitignore": "case.md\n*.LOG\n" },
  "question marks and ranges": { ".gitignore": "?.log\ndocs/[a-b]*\n" },
  "a star alone in a deeper folder": { "docs/.gitignore": "*\n!guide/\n!guide/x.md\n!.gitignore\n" },
  "a lone slash and nonsense match nothing": { "docs/.gitignore": "/\n!\n\\\n[\n" },
};

describe.skipIf(!hasGit || process.platform !== "linux")(
  "ignore files (compared with git; skipped without it)",
  () => {
    for (const [name, ignoreFiles] of Object.entries(cases)) {
      it(`follow git: ${name}`, async () => {
        const folder = makeFolder();
        write(folder, Object.fromEntries(tree.map((file) => [file, file])));
        write(folder, ignoreFiles);
        // Hidden ones are left out by name, which git does not do.
        const expected = takenByGit(folder).filter((file) => !path.basename(file).startsWith("."));
        const seen = await follow(folder);
        expect(seen.paths()).toEqual(expected);
      });
    }
  },
);

describe("rules", () => {
  it("leave out hidden entries, node_modules, version control and editors' passing files by default", async () => {
    const folder = makeFolder();
    write(folder, {
      "a.md": "",
      ".hidden.md": "",
      ".obsidian/x.md": "",
      "node_modules/m/readme.md": "",
      "sub/node_modules/m/readme.md": "",
      ".git/config": "",
      "a.md~": "",
      "a.md.swp": "",
      "4913": "",
      "#a.md#": "",
      ".~lock.a.odt#": "",
      "~$a.docx": "",
      "video.crdownload": "",
      "video.part": "",
    });
    const seen = await follow(folder);
    expect(seen.paths()).toEqual(["a.md"]);
    // The root and `sub`: what is left out holds no watch.
    expect((await seen.watcher.stats()).watches).toBe(2);
    await seen.watcher.update(seen.sourceId, { ...takeAll, hidden: true });
    await untilPaths(seen, [".hidden.md", ".obsidian/x.md", "a.md"]);
  });

  it("take only what an include pattern matches, and leave out what an exclude pattern does", async () => {
    const folder = makeFolder();
    write(folder, {
      "a.md": "",
      "b.txt": "",
      "docs/c.md": "",
      "docs/d.txt": "",
      "drafts/e.md": "",
      "img/f.png": "",
    });
    const seen = await follow(folder, { rules: { include: ["*.md", "img/"], exclude: ["drafts/"] } });
    expect(seen.paths()).toEqual(["a.md", "docs/c.md", "img/f.png"]);
  });

  it("of .knowdignore decide over those of .gitignore beside it, and both can be turned off", async () => {
    const folder = makeFolder();
    write(folder, {
      ".gitignore": "*.log\n",
      ".knowdignore": "!keep.log\nsecret.md\n",
      "a.log": "",
      "keep.log": "",
      "secret.md": "",
    });
    const seen = await follow(folder);
    expect(seen.paths()).toEqual(["keep.log"]);
    await seen.watcher.update(seen.sourceId, { ...takeAll, useIgnoreFiles: false });
    await untilPaths(seen, ["a.log", "keep.log", "secret.md"]);
  });

  it("are applied again when an ignore file comes, changes and goes", async () => {
    const folder = makeFolder();
    write(folder, { "top.log": "", "d/a.log": "", "d/b.md": "", "d/e/c.log": "", "d/e/f.md": "" });
    const everything = ["d/a.log", "d/b.md", "d/e/c.log", "d/e/f.md", "top.log"];
    const seen = await follow(folder);
    expect(seen.paths()).toEqual(everything);

    write(folder, { "d/.gitignore": "*.log\n" });
    await untilPaths(seen, ["d/b.md", "d/e/f.md", "top.log"]);
    expect(seen.of("gone")).toEqual([]);
    expect(
      seen
        .of("excluded")
        .flatMap(({ paths }) => paths)
        .sort(),
    ).toEqual(["d/a.log", "d/e/c.log"]);

    write(folder, { "d/.gitignore.new": "e/\n" });
    renameSync(path.join(folder, "d/.gitignore.new"), path.join(folder, "d/.gitignore"));
    await untilPaths(seen, ["d/a.log", "d/b.md", "top.log"]);
    expect((await seen.watcher.stats()).watches).toBe(2);

    unlinkSync(path.join(folder, "d/.gitignore"));
    await untilPaths(seen, everything);
    write(folder, { "d/e/live.md": "" });
    await untilPaths(seen, [...everything, "d/e/live.md"]);
  });

  it("that came while nobody watched exclude what was known", async () => {
    const folder = makeFolder();
    write(folder, { "a.md": "", "b.log": "", "logs/c.md": "" });
    const first = await follow(folder);
    const known = [...first.files.values()];
    await first.watcher.close();
    write(folder, { ".knowdignore": "*.log\nlogs/\n" });
    const seen = await follow(folder, { known });
    expect(seen.paths()).toEqual(["a.md"]);
    expect(seen.of("gone")).toEqual([]);
  });

  it("in an ignore file that is no regular file are none, and such a file does not stop the scan", async () => {
    const folder = makeFolder();
    write(folder, { "a.md": "" });
    execFileSync("mkfifo", [path.join(folder, ".gitignore")]);
    const seen = await follow(folder);
    expect(seen.paths()).toEqual(["a.md"]);
    write(folder, { "b.md": "" });
    await until(() => seen.files.has("b.md"));
    expect(readdirSync(folder)).toContain(".gitignore");
  });
});
