import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { connect as connectSocket } from "node:net";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { SearchResult } from "../../rpc/contract/search.ts";
import type { SystemStatus } from "../../rpc/contract/system.ts";
import { knowd } from "../support/command.ts";
import { cliEntry, homeEnvironment, shareDaemon, watchFolder } from "../support/daemon.ts";
import { temporaryFolder } from "../support/temporary.ts";

const daemon = shareDaemon();

/** A home with a folder of notes, and a daemon that is stopped when the test has finished. */
function newHome(): { home: string; notes: string } {
  const home = temporaryFolder();
  mkdirSync(path.join(home, "run"), { mode: 0o700 });
  onTestFinished(async () => {
    await knowd(home, ["stop"]);
  });
  return { home, notes: writeNotes(home) };
}

function writeNotes(folder: string): string {
  const notes = path.join(folder, "notes");
  mkdirSync(path.join(notes, "deep"), { recursive: true });
  writeFileSync(
    path.join(notes, "keys.md"),
    "# Keys\n\n## Rotation\n\nTo rotate the keys, run the rotation script each month.\n",
  );
  writeFileSync(path.join(notes, "deep/garden.txt"), "Tomatoes want sun.\nBeans want a pole.\n");
  writeFileSync(
    path.join(notes, "page.html"),
    "<html><body><h1>Compost</h1><p>Compost feeds the soil.</p></body></html>",
  );
  return notes;
}

const verbs = [
  ["search", "x"],
  ["read", "x"],
  ["grep", "x"],
  ["ls"],
  ["status"],
  ["stop"],
  ["call", "system.status"],
];

describe("command line", () => {
  it.each(verbs.map((args) => [args.join(" "), args] as const))(
    "knowd %s says plainly when there is no daemon, with exit code 3",
    async (_, args) => {
      const { code, stdout, stderr } = await knowd(temporaryFolder(), args);
      expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
      expect(stderr).toContain("no daemon answers at");
      expect(stderr).toContain("knowd up");
    },
  );

  it("says it when the working folder is gone", async () => {
    const home = temporaryFolder();
    const script = 'cd "$1" && rmdir "$1" && exec "$2" "$3" status';
    const gone = path.join(home, "gone");
    mkdirSync(gone);
    const ended = spawnSync("sh", ["-c", script, "sh", gone, process.execPath, cliEntry], {
      env: homeEnvironment(home),
      encoding: "utf8",
    });
    expect([ended.status, ended.stderr]).toEqual([1, expect.stringContaining("the working folder is gone")]);
  });

  it("takes a newcomer from a folder to an answer and back", async () => {
    const { home, notes } = newHome();
    const up = await knowd(home, ["up", "notes"], { cwd: home });
    expect(up.stderr).toBe("");
    expect(up.stdout).toContain("notes: 3 files");
    expect(up.stdout).toContain('knowd search "your question"');
    expect(up.stdout).toContain("knowd stop");

    const search = await knowd(home, ["search", "how do I rotate the keys"], { cwd: home });
    expect(search.code).toBe(0);
    expect(search.stdout).toContain("notes/keys.md:5");
    expect(search.stdout).toContain("rotate the keys");

    const asJson = await knowd(home, ["search", "--json", "tomatoes"]);
    const [hit] = (JSON.parse(asJson.stdout) as SearchResult).hits;
    expect(hit).toMatchObject({ path: path.join(notes, "deep/garden.txt"), rank: 1, untrusted: true });

    const read = await knowd(home, ["read", "notes/deep/garden.txt"], { cwd: home });
    expect(read.stdout).toContain("Beans want a pole.");
    const grep = await knowd(home, ["grep", "want a? ?\\w+"], { cwd: home });
    expect(grep.stdout.trim().split("\n").sort()).toEqual([
      "notes/deep/garden.txt:1:Tomatoes want sun.",
      "notes/deep/garden.txt:2:Beans want a pole.",
    ]);
    const tree = await knowd(home, ["ls", "notes"]);
    expect(tree.stdout).toMatch(/deep\/.*\n\s+garden\.txt/);
    const status = JSON.parse((await knowd(home, ["status", "--json"])).stdout) as SystemStatus;
    expect(status.items).toMatchObject({ completed: 3, failed: 0, active: 0 });

    expect((await knowd(home, ["stop"])).stdout).toContain("Stopped.");
    expect((await knowd(home, ["status"])).code).toBe(3);
  });

  it("watches a folder once, however often it is brought up, and gives a namesake a base of its own", async () => {
    const { home } = daemon();
    const folder = temporaryFolder();
    const notes = writeNotes(folder);
    mkdirSync(path.join(folder, "other/notes"), { recursive: true });
    await knowd(home, ["up", notes]);
    await knowd(home, ["up", notes, path.join(folder, "other/notes")]);
    const { stdout } = await knowd(home, ["ls", "--json"]);
    const { bases } = JSON.parse(stdout) as { bases: { name: string }[] };
    expect(bases.map((base) => base.name).sort()).toEqual(["notes", "notes 2"]);
  });

  it("takes more folders at once than a connection may have requests in flight, and lists their bases", async () => {
    const { home } = daemon();
    const cwd = temporaryFolder();
    const names = Array.from({ length: 20 }, (_, n) => `folder-${n}`);
    for (const name of names) mkdirSync(path.join(cwd, name));
    expect(await knowd(home, ["up", ...names], { cwd })).toMatchObject({ code: 0, stderr: "" });
    const { bases } = JSON.parse((await knowd(home, ["ls", "--json"])).stdout) as {
      bases: { name: string }[];
    };
    expect(bases.map((base) => base.name).sort()).toEqual(names.sort());
  });

  it("tells what was wrong with what was typed, by exit code and sentence", async () => {
    const { home } = daemon();
    expect(await knowd(home, ["up", "nowhere"], { cwd: home })).toMatchObject({ code: 4 });
    expect(await knowd(home, ["serach", "x"])).toMatchObject({ code: 2, stdout: "" });
    const unknownMethod = await knowd(home, ["call", "serach.query", "{}"]);
    expect(unknownMethod).toMatchObject({ code: 2 });
    expect(unknownMethod.stderr).toContain("search.query");
    const badParams = await knowd(home, ["call", "search.query", '{"qurey":"x"}']);
    expect(badParams).toMatchObject({ code: 2 });
    expect(badParams.stderr).toContain("query");
    expect(await knowd(home, ["call", "search.query", "{"])).toMatchObject({ code: 2 });
    expect(await knowd(home, ["call", "system.status", "5"])).toMatchObject({ code: 2 });
    expect(await knowd(home, ["search", "-b", "nobase", "x"])).toMatchObject({ code: 4 });
    expect(await knowd(home, ["search", "nothing has this"])).toMatchObject({ code: 4 });
    expect(await knowd(home, ["read", "/no/such/file"])).toMatchObject({ code: 4 });
  });
});

describe("raw socket", () => {
  const talk = (socketPath: string, text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      let answer = "";
      const socket = connectSocket(socketPath, () => socket.end(text));
      socket.setEncoding("utf8").on("data", (part: string) => (answer += part));
      socket.once("close", () => resolve(answer)).once("error", reject);
    });

  it("answers a line of JSON with a line of JSON, and a Content-Length message with another", async () => {
    const { client, socketPath } = daemon();
    const notes = writeNotes(temporaryFolder());
    await watchFolder(client, notes);
    const request = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "search.query",
      params: { query: "compost" },
    });

    const line = JSON.parse(await talk(socketPath, request)) as { id: number; result: SearchResult };
    expect(line.id).toBe(1);
    expect(line.result.hits[0]?.path).toBe(path.join(notes, "page.html"));

    const framed = await talk(socketPath, `Content-Length: ${Buffer.byteLength(request)}\r\n\r\n${request}`);
    const [, length, body] = /^Content-Length: (\d+)\r\n\r\n(.*)$/s.exec(framed) ?? [];
    expect(Buffer.byteLength(body ?? "")).toBe(Number(length));
    expect((JSON.parse(body ?? "") as { result: SearchResult }).result.hits[0]?.path).toBe(
      path.join(notes, "page.html"),
    );
  });

  it("P15 of seventeen requests at once on one connection the last is answered with OVERLOADED", async () => {
    const { socketPath } = daemon();
    const ask = (id: number) => JSON.stringify({ jsonrpc: "2.0", id, method: "system.status", params: {} });
    const text = Array.from({ length: 17 }, (_, id) => `${ask(id)}\n`).join("");
    const answers = (await talk(socketPath, text)).trim().split("\n");
    const refused = answers.filter((line) => line.includes("OVERLOADED"));
    expect(answers).toHaveLength(17);
    expect(refused.map((line) => (JSON.parse(line) as { id: number }).id)).toEqual([16]);
  });
});
