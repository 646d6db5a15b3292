import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { resolvePaths, type PathFlags } from "../../config/paths.ts";
import type { SystemEnvironment } from "../../config/platform-folders.ts";

const folder = mkdtempSync(join(tmpdir(), "knowd-paths-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const system = (over: Partial<SystemEnvironment> = {}): SystemEnvironment => ({
  env: {},
  platform: "linux",
  homeDir: "/home/ada",
  uid: 1000,
  cwd: "/folder",
  ...over,
});
const resolve = (over: Partial<SystemEnvironment> = {}, flags: PathFlags = {}) =>
  resolvePaths({ ...system(over), flags });

describe("where things are by default", () => {
  it.each([
    [
      "linux",
      {},
      "/home/ada/.local/share/knowd",
      "/home/ada/.local/state/knowd/run/knowd.sock",
      "/home/ada/.config/knowd",
    ],
    [
      "linux",
      { XDG_RUNTIME_DIR: "/run/user/1000", XDG_DATA_HOME: "/d", XDG_CONFIG_HOME: "/c" },
      "/d/knowd",
      "/run/user/1000/knowd/knowd.sock",
      "/c/knowd",
    ],
    [
      "linux",
      { XDG_DATA_HOME: "relative", XDG_RUNTIME_DIR: "" },
      "/home/ada/.local/share/knowd",
      "/home/ada/.local/state/knowd/run/knowd.sock",
      "/home/ada/.config/knowd",
    ],
    [
      "darwin",
      {},
      "/home/ada/Library/Application Support/knowd/data",
      "/home/ada/Library/Application Support/knowd/state/run/knowd.sock",
      "/home/ada/Library/Preferences/knowd",
    ],
  ] as const)("on %s with %j", async (platform, env, data, socket, config) => {
    const paths = await resolve({ platform, env });
    expect([paths.dataDir, paths.socketPath, paths.folders.config]).toEqual([data, socket, config]);
    expect(paths.configFile).toBeNull();
  });

  it("on Windows: local application data, and a pipe of the user's own", async () => {
    const env = {
      LOCALAPPDATA: "C:\\Users\\Ada\\AppData\\Local",
      APPDATA: "C:\\Users\\Ada\\AppData\\Roaming",
    };
    const paths = await resolve({
      platform: "win32",
      env,
      homeDir: "C:\\Users\\Ada",
      uid: null,
      cwd: "C:\\work",
    });
    expect(paths.dataDir).toBe("C:\\Users\\Ada\\AppData\\Local\\knowd\\data");
    expect(paths.folders.config).toBe("C:\\Users\\Ada\\AppData\\Roaming\\knowd");
    expect(paths.socketPath).toMatch(/^\\\\\.\\pipe\\knowd-[0-9a-f]{12}$/);
    const bob = await resolve({
      platform: "win32",
      env,
      homeDir: "C:\\Users\\Bob",
      uid: null,
      cwd: "C:\\work",
    });
    expect(bob.socketPath).not.toBe(paths.socketPath);
  });
});

describe("which layer weighs more", () => {
  const config = join(folder, "config.toml");
  writeFileSync(config, '[data]\ndir = "data-by-file"\n\n[socket]\npath = "s.sock"\n');

  it("variable over default, file over variable, flag over file", async () => {
    const env = { KNOWD_DATA_DIR: "by-variable", KNOWD_SOCKET: "/v.sock" };
    expect(await resolve({ env })).toMatchObject({ dataDir: "/folder/by-variable", socketPath: "/v.sock" });
    const withFile = await resolve({ env: { ...env, KNOWD_CONFIG: config } });
    expect(withFile).toMatchObject({
      dataDir: join(folder, "data-by-file"),
      socketPath: join(folder, "s.sock"),
    });
    expect(withFile.sources.dataDir).toEqual({ kind: "file", where: `${config}:2` });
    const flags = { dataDir: "~/by-flag", socket: "f.sock", config };
    expect(await resolve({ env }, flags)).toMatchObject({
      dataDir: "/home/ada/by-flag",
      socketPath: "/folder/f.sock",
    });
  });

  it("the usual place is looked at when no file is named", async () => {
    const home = join(folder, "home");
    mkdirSync(join(home, ".config/knowd"), { recursive: true });
    writeFileSync(join(home, ".config/knowd/config.json"), '{"data": {"dir": "/by-json"}}');
    expect((await resolve({ homeDir: home })).dataDir).toBe("/by-json");
    writeFileSync(join(home, ".config/knowd/config.toml"), 'data.dir = "/by-toml"');
    expect((await resolve({ homeDir: home })).dataDir).toBe("/by-toml");
  });
});

describe("the socket", () => {
  it("of a data folder other than the default is its own, and always the same", async () => {
    const env = { XDG_RUNTIME_DIR: "/run/user/1000" };
    const [a, b, again] = await Promise.all(
      ["/a", "/b", "/x/../a/"].map((dataDir) => resolve({ env }, { dataDir })),
    );
    expect(a!.socketPath).toMatch(/^\/run\/user\/1000\/knowd\/[0-9a-f]{12}\.sock$/);
    expect(b!.socketPath).not.toBe(a!.socketPath);
    expect(again!.socketPath).toBe(a!.socketPath);
  });

  it("is one for two names of one folder, before and after the folder is made", async () => {
    const real = join(folder, "real");
    const link = join(folder, "link");
    mkdirSync(real);
    symlinkSync(real, link);
    const before = await resolve({}, { dataDir: join(link, "data") });
    mkdirSync(join(real, "data"));
    const after = await resolve({}, { dataDir: join(real, "data") });
    expect(before.socketPath).toBe(after.socketPath);
  });

  it("of a long folder moves to a short one, so that it can be bound", async () => {
    const env = { XDG_RUNTIME_DIR: `/run/${"long/".repeat(30)}` };
    const { socketPath } = await resolve({ env });
    expect(socketPath).toMatch(/^\/tmp\/knowd-1000\/[0-9a-f]{12}\.sock$/);
    const other = await resolve({ env: { XDG_RUNTIME_DIR: `/run/${"gone/".repeat(30)}` } });
    expect(other.socketPath).not.toBe(socketPath);
  });

  it("that was asked for is refused, not cut, when it is too long", async () => {
    const fits = `/${"é".repeat(50)}12.sock`;
    expect(Buffer.byteLength(fits)).toBe(108);
    await expect(resolve({}, { socket: fits })).rejects.toThrow(
      "--socket: socket.path has 108 bytes, but must have 107 at most",
    );
    expect((await resolve({}, { socket: fits.replace("2", "") })).socketPath).toContain("1.sock");
    await expect(resolve({ platform: "darwin" }, { socket: `/${"s".repeat(103)}` })).rejects.toThrow(
      "103 at most",
    );
  });

  it.each([{ dataDir: "" }, { socket: "a\0b" }])("and the data folder must be paths: %j", async (flags) => {
    await expect(resolve({}, flags)).rejects.toThrow("must be a path");
  });

  it("must be a pipe on Windows", async () => {
    await expect(
      resolve({ platform: "win32", cwd: "C:\\", homeDir: "C:\\u" }, { socket: "C:\\s" }),
    ).rejects.toThrow("\\\\.\\pipe\\");
  });
});
