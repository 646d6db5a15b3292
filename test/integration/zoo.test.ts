import { execFile, execFileSync, spawn } from "node:child_process";
import { appendFileSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { escapePath } from "../../workers/path-bytes.ts";
import { cliEntry, homeEnvironment, startDaemon, watchFolder, type Daemon } from "../support/daemon.ts";
import { eventually } from "../support/eventually.ts";
import { filesOf, pathsWith, untilFoundIn } from "../support/questions.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** Names that a file system takes and that programs trip over. */
const oddNames: readonly Buffer[] = [
  "plain notes.md",
  "two\nlines.md",
  "tab\tand \u001B[31mred.md",
  `${"n".repeat(252)}.md`,
  `${"長".repeat(84)}.md`,
  "trailing dot.",
  "trailing space ",
  " leading space.md",
  "🐘.md",
  "°.md",
  "----.md",
  "-n",
  "#1 [draft].md",
  "100%.md",
  'a:b*c?d"e<f>g|h.md',
  String.raw`back\slash.md`,
  "quote's.md",
  "$(touch pwned) `x`.md",
  "caf\u00E9 twin.md",
  "cafe\u0301 twin.md",
  "Case.md",
  "case.md",
  "\uF7FF private use.md",
  "\u202Egnp.md",
  "con.md",
  "日本語のメモ.md",
  "0190a0b0-0000-7000-8000-000000000000",
]
  .map((name) => Buffer.from(name))
  .concat(
    Buffer.from("latin1 caf\xE9.md", "latin1"),
    Buffer.from("latin1 caf\xE8.md", "latin1"),
    Buffer.from([0xff, 0xfe, 0x80, 0x2e, 0x6d, 0x64]),
  );

const below = (folder: string, name: Buffer): Buffer => Buffer.concat([Buffer.from(`${folder}/`), name]);

const errorsIn = (daemon: Daemon): string[] =>
  daemon
    .log()
    .split("\n")
    .filter((line) => /"level":"(?:error|fatal)"/.test(line));

/** Runs the command line with an argument that need not be UTF-8, which Node can't pass by itself. */
async function readByCommand(home: string, folder: string, name: Buffer): Promise<string> {
  const octal = [...name].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
  const script = `name=$(printf '${octal}.'); exec "$1" "$2" read "./\${name%.}"`;
  const run = promisify(execFile)("sh", ["-c", script, "sh", process.execPath, cliEntry], {
    cwd: folder,
    env: homeEnvironment(home),
  });
  return (await run).stdout;
}

describe("P9 a zoo of files", () => {
  it("has every odd name indexed, found, and read by path, by concept id and by command", async () => {
    const home = temporaryFolder();
    const folder = path.join(home, "zoo");
    mkdirSync(folder);
    oddNames.forEach((name, n) => writeFileSync(below(folder, name), `zqodd${n}x stands in this file\n`));
    const daemon = await startDaemon({ home });
    const { client } = daemon;
    const { base } = await watchFolder(client, folder);
    expect(base.counts).toMatchObject({ completed: oddNames.length, failed: 0 });

    const files = await filesOf(client, base.id);
    expect(new Set(files.map((item) => item.conceptId)).size).toBe(oddNames.length);
    for (const [n, name] of oddNames.entries()) {
      const where = `${folder}/${escapePath(name)}`;
      expect(await pathsWith(client, `zqodd${n}x`)).toEqual([where]);
      expect((await client.call("kb.read", { path: where })).text).toContain(`zqodd${n}x`);
      const { conceptId } = files.find((item) => item.path === where) ?? { conceptId: "none" };
      expect((await client.call("kb.read", { baseId: base.id, conceptId })).text).toContain(`zqodd${n}x`);
    }
    // A process each, so only the names that an argument could lose.
    for (const name of [...oddNames.slice(-3), ...oddNames.slice(1, 3), ...oddNames.slice(10, 12)]) {
      expect(await readByCommand(home, folder, name)).toContain(`zqodd${oddNames.indexOf(name)}x`);
    }
    for (const [query, name] of [
      ["plain notes", "plain notes.md"],
      ["日本語", "日本語のメモ.md"],
      ["draft", "#1 [draft].md"],
    ] as const) {
      expect((await client.call("search.query", { query })).hits[0]?.path).toBe(`${folder}/${name}`);
    }
    expect((await client.call("base.check", { baseId: base.id })).problems).toEqual([]);
    expect(errorsIn(daemon)).toEqual([]);
  });

  it("has odd names copied into a base too, without what is no document and without the base itself", async () => {
    const home = temporaryFolder();
    const folder = path.join(home, "zoo");
    mkdirSync(path.join(folder, "node_modules"), { recursive: true });
    oddNames.forEach((name, n) => writeFileSync(below(folder, name), `zqodd${n}x stands in this file\n`));
    writeFileSync(path.join(folder, "node_modules/index.md"), "not a document of the user's\n");
    writeFileSync(path.join(folder, "sparse.md"), "");
    truncateSync(path.join(folder, "sparse.md"), 3 * 2 ** 30);
    execFileSync("mkfifo", [path.join(folder, "pipe.md")]);
    const daemon = await startDaemon({ home });
    const { client } = daemon;
    const { base } = await client.call("base.create", { name: "copies", embeddingModelId: null });
    const single = `${folder}/${escapePath(oddNames.at(-1) ?? Buffer.of())}`;
    // The home holds the daemon's own data, which must not be copied into itself.
    const result = await client.call("item.add", { baseId: base.id, paths: [home, single, `${folder}/.`] });
    expect(result.failed.map(({ path: place }) => path.basename(place)).sort()).toEqual([
      "sparse.md",
      "sparse.md",
    ]);
    expect(result.failed[0]?.reason).toMatch(/3.* more than/);
    const wanted = 2 * oddNames.length + 1;
    await eventually(async () => {
      const { counts } = (await client.call("base.get", { baseId: base.id })).base;
      expect(counts).toMatchObject({ completed: wanted, failed: 0, active: 0 });
      return true;
    });
    for (const added of result.added) expect(added.path).not.toMatch(/node_modules|knowd\/KnowledgeBase/);
    expect((await client.call("base.check", { baseId: base.id })).problems).toEqual([]);
    expect(errorsIn(daemon)).toEqual([]);
  });

  it("has good files indexed beside what is no document, deep down, and among thousands", async () => {
    const home = temporaryFolder();
    const folder = path.join(home, "zoo");
    const deep = path.join(folder, ...Array.from({ length: 300 }, () => "d"));
    mkdirSync(path.join(folder, "many"), { recursive: true });
    for (let at = folder.length; at < deep.length; at += 100)
      mkdirSync(deep.slice(0, at + 100).replace(/\/$/, ""), { recursive: true });
    mkdirSync(deep, { recursive: true });
    for (const name of ["pipe.md", ".gitignore"]) execFileSync("mkfifo", [path.join(folder, name)]);
    const server = createServer().listen(path.join(folder, "socket.md"));
    onTestFinished(() => void server.close());
    const devices =
      process.getuid?.() === 0 ? { "zero.md": ["c", "1", "5"], "block.md": ["b", "7", "0"] } : {};
    for (const [name, device] of Object.entries(devices))
      execFileSync("mknod", [path.join(folder, name), ...device]);
    const links = {
      dangling: "nowhere",
      loop: "loop",
      folderloop: ".",
      escape: "/etc/passwd",
      inside: "good.md",
    };
    for (const [name, target] of Object.entries(links)) symlinkSync(target, path.join(folder, `${name}.md`));
    writeFileSync(path.join(folder, "good.md"), "zqgood is an ordinary file\n");
    writeFileSync(path.join(deep, "deep.md"), "zqdeep lies under 300 folders\n");
    for (let n = 0; n < 2000; n++) writeFileSync(path.join(folder, "many", `f${n}.md`), `zqmany${n}x\n`);
    const bad = { "empty.md": 0, "sparse.md": 3 * 2 ** 30, "blank.md": 4 };
    for (const [name, size] of Object.entries(bad)) {
      writeFileSync(path.join(folder, name), " ".repeat(Math.min(size, 4)));
      truncateSync(path.join(folder, name), size);
    }

    const daemon = await startDaemon({ home, settings: { "ingest.settleEmptyMs": 0 } });
    const { client } = daemon;
    const { base } = await watchFolder(client, folder, { embeddingModelId: null });
    expect(base.counts).toMatchObject({ completed: 2002, failed: 3 });
    const failed = (await client.call("item.list", { baseId: base.id, status: "failed", type: "file" }))
      .items;
    const reasons = Object.fromEntries(failed.map((item) => [path.basename(item.path ?? ""), item.error]));
    expect(reasons).toEqual({
      "empty.md": expect.stringContaining("empty"),
      "blank.md": expect.stringContaining("white space"),
      "sparse.md": expect.stringContaining("maxFileBytes"),
    });
    await untilFoundIn(client, "zqgood", [path.join(folder, "good.md")]);
    await untilFoundIn(client, "zqdeep", [path.join(deep, "deep.md")]);
    await untilFoundIn(client, "zqmany1999x", [path.join(folder, "many/f1999.md")]);
    expect((await client.call("search.query", { query: "f1234" })).hits[0]?.path).toBe(
      path.join(folder, "many/f1234.md"),
    );
    expect(errorsIn(daemon)).toEqual([]);
  });

  it("has a file that never rests read between two writes", async () => {
    const home = temporaryFolder();
    const file = path.join(home, "logs", "restless.log");
    mkdirSync(path.dirname(file));
    writeFileSync(file, "zqfirst line\n");
    const writer = spawn("sh", ["-c", 'while :; do echo "zqmore of it" >> "$0"; sleep 0.02; done', file]);
    const gone = new Promise((resolve) => writer.once("exit", resolve));
    onTestFinished(async () => {
      writer.kill("SIGKILL");
      await gone;
    });
    const { client } = await startDaemon({ home, settings: { "ingest.settleMs": 80 } });
    const { base } = await client.call("base.create", { name: "logs", embeddingModelId: null });
    await client.call("source.add", { baseId: base.id, path: path.dirname(file) });
    await untilFoundIn(client, "zqfirst", [file]);
    appendFileSync(file, "zqlater line\n");
    await untilFoundIn(client, "zqlater", [file]);
  });
});
