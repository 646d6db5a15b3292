import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { cliEntry, homeEnvironment, shareDaemon, watchFolder } from "../support/daemon.ts";
import { connectMcp } from "../support/mcp.ts";

// The last inspector that runs on Node 20. Its package exports nothing, so its command is named by its place.
const inspector = fileURLToPath(
  new URL("../../node_modules/@modelcontextprotocol/inspector-cli/build/index.js", import.meta.url),
);

const readme = readFileSync(fileURLToPath(new URL("../../README.md", import.meta.url)), "utf8");

interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const daemon = shareDaemon();

function inspect(args: readonly string[]): unknown {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [inspector, process.execPath, cliEntry, "mcp", ...args],
    { env: homeEnvironment(daemon().home), encoding: "utf8", timeout: 20_000 },
  );
  if (status !== 0) throw new Error(`the inspector ended with ${status}: ${stdout}${stderr}`);
  return JSON.parse(stdout);
}

describe("the protocol's own inspector", () => {
  it.skipIf(!existsSync(inspector))(
    "lists tools and resources, calls a tool and reads a document (where it is installed)",
    async () => {
      const folder = path.join(daemon().home, "notes");
      mkdirSync(folder);
      writeFileSync(path.join(folder, "keys.md"), "# Keys\n\nTo rotate them run zqinspect.\n");
      const { base } = await watchFolder(daemon().client, folder, { embeddingModelId: null });
      const listed = inspect(["--method", "tools/list"]) as { tools: { name: string }[] };
      expect(listed.tools.map(({ name }) => name)).toContain("kb_search");
      const query = ["--tool-name", "kb_search", "--tool-arg", "query=zqinspect keys"];
      expect(inspect(["--method", "tools/call", ...query])).toMatchObject({
        structuredContent: { hits: [{ conceptId: "notes/keys.md" }] },
      });
      const uri = `knowd://${base.id}/notes/keys.md`;
      expect(inspect(["--method", "resources/list"])).toMatchObject({ resources: [{ uri }] });
      expect(inspect(["--method", "resources/read", "--uri", uri])).toMatchObject({
        contents: [{ text: "# Keys\n\nTo rotate them run zqinspect.\n" }],
      });
    },
  );
});

describe("a client", () => {
  it("is started by each configuration that README gives for a client", async () => {
    const { home } = daemon();
    const programs = path.join(home, "programs");
    mkdirSync(programs, { recursive: true });
    rmSync(path.join(programs, "knowd"), { force: true });
    symlinkSync(cliEntry, path.join(programs, "knowd"));
    const configurations = [...readme.matchAll(/```json\n(.*?)```/gs)].map(
      ([, text]) => JSON.parse(text ?? "") as Record<string, Record<string, Launch>>,
    );
    const launches = configurations.map(
      (one) => one["mcpServers"] ?? one["servers"] ?? one["context_servers"],
    );
    expect(launches).toHaveLength(3);
    for (const launch of launches) {
      const { command, args, env } = launch?.["knowd"] ?? { command: "", args: [] };
      const searchPath = `${programs}${path.delimiter}${process.env["PATH"] ?? ""}`;
      const { client } = await connectMcp(home, args, { command, env: { ...env, PATH: searchPath } });
      expect(client.getServerVersion()?.name).toBe("knowd");
    }
  });
});
