import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { RpcError } from "../../rpc/client-errors.ts";
import { startDaemon, type Daemon } from "../support/daemon.ts";
import { eventually } from "../support/eventually.ts";
import { pathsWith } from "../support/questions.ts";
import { createRandom } from "../support/random.ts";
import { temporaryFolder } from "../support/temporary.ts";

const MIB = 2 ** 20;

/** A file system of 24 MB of which 8 are taken; false where mounting is not permitted. */
function mountSmall(folder: string): boolean {
  mkdirSync(folder, { recursive: true });
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=24m,mode=0700", "tmpfs", folder], { stdio: "pipe" });
  } catch {
    // Mounting needs root.
    return false;
  }
  onTestFinished(() => void execFileSync("umount", ["-l", folder], { stdio: "pipe" }));
  writeFileSync(path.join(folder, "ballast"), Buffer.alloc(8 * MIB));
  return true;
}

/** Notes of 20 KB of words that no two share. */
function writeNotes(folder: string, from: number, count: number): void {
  mkdirSync(folder, { recursive: true });
  const random = createRandom(from + 1);
  const word = (): string => Math.floor(random() * 1e9).toString(36);
  for (let n = from; n < from + count; n++) {
    const words = Array.from({ length: 3000 }, word).join(" ");
    writeFileSync(path.join(folder, `${n}.md`), `# Note zqfull${n}x\n\n${words}\n`);
  }
}

const errorsIn = (daemon: Daemon): string[] =>
  daemon
    .log()
    .split("\n")
    .filter((line) => /"level":"(?:error|fatal)"/.test(line));

describe("a full disk", () => {
  it.for([
    ["that indexing fills: it stops short of the end", 0],
    ["that somebody else fills to the last byte meanwhile", 24],
  ] as const)(
    "P4 %s: nothing breaks, reads go on, writing resumes by itself",
    { timeout: 60_000 },
    async (kind, test) => {
      const extraMiB = kind[1];
      const home = temporaryFolder();
      if (!mountSmall(path.join(home, "data"))) test.skip("mounting needs root");
      const notes = path.join(home, "notes");
      writeNotes(notes, 0, 20);
      const daemon = await startDaemon({ home });
      const { client } = daemon;
      const { base } = await client.call("base.create", { name: "notes", embeddingModelId: null });
      const { source } = await client.call("source.add", { baseId: base.id, path: notes });
      await client.call("source.sync", { sourceId: source.id });
      if (extraMiB > 0) fill(path.join(home, "data/more"), extraMiB);
      writeNotes(notes, 20, 400);

      await eventually(async () => {
        const { warnings } = await client.call("system.status", {});
        return warnings.some((warning) => warning.includes("is full")) ? true : undefined;
      });
      expect(await pathsWith(client, "zqfull7x")).toEqual([path.join(notes, "7.md")]);
      expect((await client.call("kb.read", { path: path.join(notes, "7.md") })).text).toContain("zqfull7x");
      const refusal =
        extraMiB === 0
          ? "DISK_FULL"
          : await client.call("base.create", { name: "another" }).catch((error: RpcError) => error.errorName);
      expect(refusal).toBe("DISK_FULL");
      const before = (await client.call("base.get", { baseId: base.id })).base.counts.completed;
      expect(before).toBeLessThan(420);
      expect((await client.call("base.check", { baseId: base.id })).problems).toEqual([]);

      rmSync(path.join(home, "data/more"), { force: true });
      rmSync(path.join(home, "data/ballast"));
      await eventually(async () => {
        const { counts } = (await client.call("base.get", { baseId: base.id })).base;
        return counts.completed > before ? true : undefined;
      }, 25_000);
      expect((await client.call("base.check", { baseId: base.id })).problems).toEqual([]);
      expect(errorsIn(daemon)).toEqual([]);
      expect(await daemon.end()).toBe(0);
    },
  );
});

function fill(file: string, megabytes: number): void {
  const { bavail, bsize } = statfsSync(path.dirname(file));
  const free = bavail * bsize;
  expect(free).toBeLessThan(megabytes * MIB);
  writeFileSync(file, Buffer.alloc(free));
}
