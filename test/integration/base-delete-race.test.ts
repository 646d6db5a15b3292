import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { startDaemon } from "../support/daemon.ts";
import { eventually } from "../support/eventually.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** Directories that a process watches, as Linux tells. */
function watchesOf(pid: number): number {
  const folder = `/proc/${pid}/fdinfo`;
  return readdirSync(folder).reduce((sum, descriptor) => {
    return sum + infoOf(path.join(folder, descriptor)).filter((line) => line.startsWith("inotify ")).length;
  }, 0);
}

function infoOf(file: string): string[] {
  try {
    return readFileSync(file, "utf8").split("\n");
  } catch (error) {
    // The process goes on: a descriptor may be closed after it was listed.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

describe.runIf(process.platform === "linux")("K3.5 a base that is deleted", () => {
  it("leaves no folder watched, also when one was added to it meanwhile", async () => {
    const { client, process: child } = await startDaemon();
    const pid = child.pid ?? 0;
    const before = watchesOf(pid);
    for (let round = 0; round < 8; round++) {
      const folder = temporaryFolder();
      for (let n = 0; n < 5; n++) mkdirSync(path.join(folder, `d${n}`));
      writeFileSync(path.join(folder, "d0", "a.md"), "text\n");
      const { base } = await client.call("base.create", { name: `round ${round}` });
      const adding = client.call("source.add", { baseId: base.id, path: folder }).catch(() => null);
      await new Promise((resolve) => setTimeout(resolve, round));
      await client.call("base.delete", { baseId: base.id });
      await adding;
    }
    await eventually(() => (watchesOf(pid) === before ? true : undefined));
    expect((await client.call("source.list", {})).items).toEqual([]);
  });
});
