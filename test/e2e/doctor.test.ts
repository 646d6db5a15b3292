import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, it } from "vitest";
import type { Check } from "../../rpc/contract/doctor.ts";
import { knowd } from "../support/command.ts";
import { cliEntry, homeEnvironment, shareDaemon, startDaemon, watchFolder } from "../support/daemon.ts";
import { eventually } from "../support/eventually.ts";
import { temporaryFolder } from "../support/temporary.ts";

interface Report {
  readonly ok: boolean;
  readonly checks: readonly Check[];
}

/** What `knowd doctor --json` says, by the checks' names. */
async function doctor(home: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
  const { code, stdout, stderr } = await knowd(home, ["doctor", "--json", ...args], { env });
  expect(stderr).toBe("");
  const { ok, checks } = JSON.parse(stdout) as Report;
  expect(code).toBe(ok ? 0 : 1);
  expect(ok).toBe(checks.every((check) => check.state !== "problem"));
  return (id: string) => checks.find((check) => check.id === id);
}

function newHome(): string {
  const home = temporaryFolder();
  mkdirSync(path.join(home, "run"), { mode: 0o700 });
  return home;
}

function writeConfig(home: string, text: string): string {
  const file = path.join(home, "config/knowd/config.toml");
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

describe("knowd doctor without a daemon", () => {
  it("looks at the machine, says what it could not look at, and makes nothing", async () => {
    const home = newHome();
    const { code, stdout } = await knowd(home, ["doctor"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/note {5}daemon +no daemon runs: .*were not looked at\n +→ knowd up\n/);
    expect(stdout).toMatch(/ok {7}sqlite +SQLite 3/);
    expect(stdout.trim().split("\n").at(-1)).toBe("No problems.");
    expect(stdout).toContain("is not there yet");
    expect(readdirSync(home)).toEqual(["run"]);
  });

  it.each([
    ["[data\ndir = 1", /config\.toml:1: not valid TOML/, /\$\{EDITOR:-vi\}" \+1 .*config\.toml/],
    ["[ingest]\nthreats = 2\n", /ingest\.threats.*threads/s, /\+2 /],
  ])("goes on with a configuration that is broken: %j", async (text, found, fix) => {
    const home = newHome();
    writeConfig(home, text);
    const check = await doctor(home);
    expect(check("config")).toMatchObject({ state: "problem" });
    expect(check("config")?.found).toMatch(found);
    expect(check("config")?.fix).toMatch(fix);
    expect(check("sqlite")?.state).toBe("ok");
  });

  it("goes on with paths that can't be used", async () => {
    const home = newHome();
    const check = await doctor(home, ["--socket", `/tmp/${"x".repeat(200)}`]);
    expect(check("config")?.found).toContain("must have");
    expect((await doctor(home, ["--config", path.join(home, "no.toml")]))("config")?.state).toBe("problem");
  });

  it("says it when the SQLite module was built for another Node.js, and how to build it", async () => {
    const home = newHome();
    const hook = path.join(home, "hook.cjs");
    writeFileSync(
      hook,
      "const load = process.dlopen; process.dlopen = (m, file, ...more) => { if (file.includes('better_sqlite3')) throw new Error('was compiled against a different Node.js version'); return load.call(process, m, file, ...more); };",
    );
    const check = await doctor(home, [], { NODE_OPTIONS: `--require ${hook}` });
    expect(check("sqlite")).toMatchObject({
      state: "problem",
      found: expect.stringContaining("different Node.js"),
    });
    expect(check("sqlite")?.fix).toMatch(/^cd .* && npm rebuild better-sqlite3$/);
  });

  it("notes a Node.js without WebAssembly", () => {
    const home = newHome();
    const { stdout } = spawnSync(process.execPath, ["--jitless", cliEntry, "doctor", "--json"], {
      env: homeEnvironment(home),
      encoding: "utf8",
    });
    const { checks } = JSON.parse(stdout) as Report;
    expect(checks.find(({ id }) => id === "webassembly")?.state).toBe("note");
  });

  it.runIf(process.platform === "linux")("a low limit of open files is a problem", () => {
    const home = newHome();
    const script = 'ulimit -n 200; exec "$1" "$2" doctor --json';
    const { status, stdout } = spawnSync("sh", ["-c", script, "sh", process.execPath, cliEntry], {
      env: homeEnvironment(home),
      encoding: "utf8",
    });
    const { checks } = JSON.parse(stdout) as Report;
    expect(checks.find(({ id }) => id === "open-files")).toMatchObject({
      state: "problem",
      fix: "ulimit -n 4096 && knowd stop && knowd up",
    });
    expect(status).toBe(1);
  });
});

describe("knowd doctor and a daemon that is not where it should be", () => {
  it("tells a daemon at another socket, one whose socket was deleted, and one that died and left its socket and lock", async () => {
    const daemon = await startDaemon();
    const { home, socketPath } = daemon;
    const elsewhere = await doctor(home, ["--socket", path.join(home, "run", "other.sock")]);
    expect(elsewhere("daemon")).toMatchObject({ state: "problem", fix: `export KNOWD_SOCKET=${socketPath}` });
    renameSync(socketPath, `${socketPath}.away`);
    expect((await doctor(home))("daemon")).toMatchObject({
      state: "problem",
      fix: `kill ${daemon.process.pid} && knowd up`,
    });
    renameSync(`${socketPath}.away`, socketPath);
    await daemon.end("SIGKILL");
    const check = await doctor(home);
    expect(check("daemon")).toMatchObject({ state: "note", fix: "knowd up" });
    expect(check("daemon")?.found).toContain("left its socket and its lock");
  });
});

describe("knowd doctor with a daemon", () => {
  const daemon = shareDaemon({ "watch.maxWatches": 2 }, (home) => {
    writeConfig(home, '[[embedding.models]]\nid = "far"\nurl = "http://127.0.0.1:9/v1"\nmodel = "m"\n');
  });

  it("finds all well, says which pid answers, and asks no endpoint unless told to", async () => {
    const { home, process: child, client } = daemon();
    const notes = temporaryFolder();
    writeFileSync(path.join(notes, "a.md"), "# Doctor\n\nAll is well.\n");
    await watchFolder(client, notes);
    const check = await doctor(home, ["--deep"]);
    expect(check("daemon")?.found).toContain(`pid ${child.pid}`);
    for (const id of [
      "processes",
      "sources",
      "bases",
      "items",
      "jobs",
      "index",
      "data-folder",
      "socket-file",
    ])
      expect([id, check(id)?.state]).toEqual([id, "ok"]);
    expect(check("endpoint")).toBeUndefined();
    const { checks } = await client.call("system.doctor", { online: true });
    const endpoints = checks.filter(({ id }) => id === "endpoint");
    expect(endpoints.map(({ state }) => state)).toEqual(["ok", "problem"]);
    expect(endpoints[1]?.found).toContain("far does not answer");
  });

  it("finds a folder that is away, folders without a watch, and files that could not be read", async () => {
    const { home, client } = daemon();
    const place = temporaryFolder();
    for (const name of ["a", "b", "c", "d"]) mkdirSync(path.join(place, "many", name), { recursive: true });
    writeFileSync(path.join(place, "many", "bad.pdf"), "%PDF-1.7\nbroken");
    mkdirSync(path.join(place, "gone"));
    await watchFolder(client, path.join(place, "many"));
    const { source } = await watchFolder(client, path.join(place, "gone"));
    renameSync(path.join(place, "gone"), path.join(place, "away"));
    await client.call("source.rescan", { sourceId: source.id }).catch(() => undefined);
    await eventually(async () => {
      const { items } = await client.call("source.list", {});
      return items.some((one) => one.state === "unavailable") ? true : undefined;
    });
    const check = await doctor(home);
    expect(check("sources")).toMatchObject({ state: "problem", fix: `ls -ld ${path.join(place, "gone")}` });
    expect(check("inotify-watches")?.state).toBe("problem");
    expect(check("items")).toMatchObject({ state: "note", fix: "knowd status --failed" });
  });

  it.each([[[]], [["--deep"]]])(
    "finds a text that was changed in the index (%j), and names the base",
    async (args) => {
      const { home, client, dataDir } = daemon();
      const notes = temporaryFolder();
      writeFileSync(path.join(notes, "a.md"), "# Rust\n\nIt never sleeps.\n");
      const { base } = await watchFolder(client, notes, { name: "my notes" });
      const database = new Sqlite(path.join(dataDir, "KnowledgeBase", base.id, ".cherry", "index.sqlite"));
      database.exec("UPDATE content SET text = replace(text, 'never', 'often')");
      database.close();
      expect((await doctor(home, args))("index")).toMatchObject({
        state: "problem",
        found: expect.stringContaining("my notes"),
        fix: "knowd reindex --base 'my notes'",
      });
    },
  );
});
