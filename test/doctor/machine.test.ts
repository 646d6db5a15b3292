import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { locations } from "../../config/locations.ts";
import { settings } from "../../config/schema.ts";
import { checkClock, checkLogs } from "../../daemon/doctor/machine/check-data.ts";
import { checkDataFolder, checkRuntimeFolder } from "../../daemon/doctor/machine/check-folders.ts";
import { checkWatches } from "../../daemon/doctor/machine/check-limits.ts";
import { checkModelFiles } from "../../daemon/doctor/machine/check-model-files.ts";
import { checkNode, checkSqlite, checkWebAssembly } from "../../daemon/doctor/machine/check-runtime.ts";
import { checkConfigFile, checkKeys, checkPrograms } from "../../daemon/doctor/machine/check-settings.ts";
import { shellWord } from "../../daemon/doctor/machine/findings.ts";
import type { Check } from "../../rpc/contract/doctor.ts";
import { temporaryFolder } from "../support/temporary.ts";

const { packageRoot, embeddedModel } = locations;
const states = (checks: readonly Check[]) => Object.fromEntries(checks.map(({ id, state }) => [id, state]));
const of = (checks: readonly Check[], id: string) => checks.find((check) => check.id === id);

/** A folder in a temporary one, with a mode that no umask has a say in. */
function folderOfMode(mode: number): string {
  const folder = path.join(temporaryFolder(), "it's here");
  mkdirSync(folder);
  chmodSync(folder, mode);
  return folder;
}

describe("the doctor looks at the runtime", () => {
  it.each([
    ["18.20.0", "problem"],
    ["20.18.9", "problem"],
    ["20.19.0", "ok"],
    ["22.0.0", "ok"],
  ])("Node.js %s is a %s", (version, state) => {
    expect(checkNode(packageRoot, version)).toMatchObject({ id: "node", state });
  });

  it("finds SQLite with FTS5, sqlite-vec and SIMD where the tests run", async () => {
    expect(states([...(await checkSqlite(packageRoot)), checkWebAssembly()])).toEqual({
      sqlite: "ok",
      "sqlite-vec": "ok",
      webassembly: "ok",
    });
  });

  it("notes a vector extension that does not load, and says how to get it", async () => {
    const broken = path.join(temporaryFolder(), "vec0.so");
    writeFileSync(broken, "no library");
    const check = of(await checkSqlite(packageRoot, broken), "sqlite-vec");
    expect(check).toMatchObject({ state: "note", fix: "npm install sqlite-vec" });
  });

  it("finds a model file with one byte changed, and one that is missing", async () => {
    const files = Object.values(embeddedModel);
    expect(await checkModelFiles(files, packageRoot)).toMatchObject({ state: "ok" });
    const copy = path.join(temporaryFolder(), "related-words.bin");
    copyFileSync(embeddedModel.relatedPath, copy);
    const bytes = readFileSync(copy);
    bytes[1000] = bytes[1000]! ^ 1;
    writeFileSync(copy, bytes);
    const gone = path.join(temporaryFolder(), "static-en-128.bin");
    const check = await checkModelFiles([copy, gone], packageRoot);
    expect(check.state).toBe("problem");
    expect(check.found).toMatch(
      /related-words.bin is not the file.*static-en-128.bin can't be read \(ENOENT/,
    );
    expect(check.fix).toContain("workers/embed/model");
  });
});

describe("the doctor looks at folders and limits", () => {
  it.each([
    [0o700, "ok"],
    [0o755, "note"],
    [0o770, "problem"],
    [0o777, "problem"],
  ])("a data folder of mode %o is a %s, mended by the command that is named", (mode, state) => {
    const folder = folderOfMode(mode);
    const check = of(checkDataFolder(folder), "data-folder");
    expect(check).toMatchObject({
      state,
      fix: state === "ok" ? null : `chmod 700 '${folder.replace("'", String.raw`'\''`)}'`,
    });
  });

  it("a data folder that takes no file is a problem, as is a file in its place", () => {
    // Not even the superuser writes there.
    const unwritable = of(checkDataFolder("/proc/self/fdinfo"), "data-folder");
    expect(unwritable).toMatchObject({
      state: "problem",
      found: expect.stringContaining("nothing can be written"),
    });
    expect(unwritable?.fix).toContain("--data-dir");
    const file = path.join(temporaryFolder(), "file");
    writeFileSync(file, "");
    expect(of(checkDataFolder(file), "data-folder")).toMatchObject({ state: "problem" });
    expect(of(checkDataFolder(path.join(file, "below", "it")), "data-folder")).toMatchObject({
      state: "problem",
    });
  });

  it("a folder that is not there yet is well where it can be made", () => {
    const folder = path.join(temporaryFolder(), "a", "b");
    expect(states(checkDataFolder(folder))).toEqual({ "data-folder": "ok", disk: "ok" });
    expect(states(checkRuntimeFolder(path.join(folder, "x.sock")))).toEqual({ "runtime-folder": "ok" });
  });

  it("a runtime folder that lets others in, and what is no socket in the socket's place, are problems", () => {
    const open = folderOfMode(0o755);
    const check = of(checkRuntimeFolder(path.join(open, "knowd.sock")), "runtime-folder");
    expect(check?.state).toBe("problem");
    expect(check?.fix).toMatch(/^chmod 700 '/);
    const own = folderOfMode(0o700);
    writeFileSync(path.join(own, "knowd.sock"), "");
    expect(states(checkRuntimeFolder(path.join(own, "knowd.sock")))).toEqual({
      "runtime-folder": "ok",
      "socket-file": "problem",
    });
  });

  it("a write-ahead log that was not cut back is noted with its size", () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, "catalog.sqlite"), "");
    writeFileSync(path.join(folder, "catalog.sqlite-wal"), "");
    expect(checkLogs(folder)).toMatchObject({ state: "ok" });
    truncateSync(path.join(folder, "catalog.sqlite-wal"), 300 * 1024 * 1024);
    expect(checkLogs(folder)).toMatchObject({
      state: "note",
      found: expect.stringContaining("catalog.sqlite-wal has 300 MB"),
      fix: "knowd stop && knowd up",
    });
  });

  it("a catalogue from the future shows that the clock was put back", () => {
    const folder = temporaryFolder();
    const file = path.join(folder, "catalog.sqlite");
    writeFileSync(file, "");
    expect(checkClock(folder)).toMatchObject({ state: "ok" });
    const tomorrow = Date.now() / 1000 + 86_400;
    utimesSync(file, tomorrow, tomorrow);
    expect(checkClock(folder)).toMatchObject({ state: "note", fix: "sudo timedatectl set-ntp true" });
  });

  it.runIf(process.platform === "linux")(
    "watches that were refused are a problem with the command that raises the limit",
    () => {
      const [check] = checkWatches({ watched: 10, refused: 5 });
      expect(check).toMatchObject({ id: "inotify-watches", state: "problem" });
      expect(check?.found).toContain("10 of 15 folders are watched");
      expect(check?.fix).toMatch(/fs\.inotify\.max_user_watches=\d+ \| sudo tee .* && sudo sysctl -p/);
      expect(checkWatches({ watched: 100_000_000, refused: 0 })[0]).toMatchObject({ state: "note" });
      expect(checkWatches(null)[0]).toMatchObject({ state: "ok" });
    },
  );
});

describe("the doctor looks at the settings", () => {
  const withModel = (place: object) =>
    settings.parse({
      data: { dir: "/x" },
      socket: { path: "/x/s" },
      embedding: { models: [{ id: "far", url: "http://127.0.0.1:1/v1", model: "m", ...place }] },
    });

  it("a key that is missing is a problem, one that others can read is noted", async () => {
    expect(await checkKeys(withModel({}))).toEqual([]);
    expect(await checkKeys(withModel({ apiKeyEnv: "KNOWD_TEST_NO_SUCH_KEY" }))).toMatchObject([
      { state: "problem" },
    ]);
    const file = path.join(temporaryFolder(), "key");
    expect(await checkKeys(withModel({ apiKeyFile: file }))).toMatchObject([
      { state: "problem", fix: expect.stringContaining("install -m 600") },
    ]);
    writeFileSync(file, "sk-secret", { mode: 0o600 });
    expect(await checkKeys(withModel({ apiKeyFile: file }))).toMatchObject([{ state: "ok" }]);
    chmodSync(file, 0o644);
    const [open] = await checkKeys(withModel({ apiKeyFile: file }));
    expect(open).toMatchObject({ state: "note", fix: `chmod 600 ${file}` });
    expect(JSON.stringify(open)).not.toContain("sk-secret");
  });

  it.each([
    [["sh", "/etc/passwd", "{input}"], "ok"],
    [["no-such-program-here", "{input}"], "problem"],
    [["/etc/passwd", "{input}"], "problem"],
    [["sh", "/no/such/script.sh", "{input}"], "problem"],
  ])("the processor %j is a %s", (command, state) => {
    const config = settings.parse({
      data: { dir: "/x" },
      socket: { path: "/x/s" },
      processing: { processors: [{ id: "ocr", extensions: ["pdf"], command }] },
    });
    expect(checkPrograms(config)).toMatchObject([{ id: "processor", state }]);
  });

  it("a configuration file that others can write to is a problem: it names programs that are run", () => {
    const file = path.join(temporaryFolder(), "config.toml");
    writeFileSync(file, "");
    chmodSync(file, 0o666);
    expect(checkConfigFile(file)).toMatchObject({ state: "problem", fix: `chmod go-w ${file}` });
    chmodSync(file, 0o644);
    expect(checkConfigFile(file)).toMatchObject({ state: "ok" });
  });
});

it.each([
  ["/plain/path-1.md", "/plain/path-1.md"],
  ["two words", "'two words'"],
  ["it's $HOME `id`", String.raw`'it'\''s $HOME ${"`id`"}'`],
])("%s is written for a shell as %s", (text, word) => {
  expect(shellWord(text)).toBe(word);
});
