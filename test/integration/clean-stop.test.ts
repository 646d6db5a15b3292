import { existsSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { startDaemon, watchFolder } from "../support/daemon.ts";
import { untilFoundIn } from "../support/questions.ts";
import { temporaryFolder } from "../support/temporary.ts";

it("P24 a clean stop leaves no log beside the databases, also of an index that was searched", async () => {
  const daemon = await startDaemon();
  const folder = temporaryFolder();
  writeFileSync(path.join(folder, "note.md"), "the kingfisher dives for fish\n");
  await watchFolder(daemon.client, folder);
  await untilFoundIn(daemon.client, "kingfisher", [path.join(folder, "note.md")]);
  const databases = readdirSync(daemon.dataDir, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".sqlite"),
  );
  const logs = databases.map((name) => path.join(daemon.dataDir, `${name}-wal`));
  expect(logs.filter((log) => existsSync(log)).length).toBeGreaterThanOrEqual(2);
  expect(await daemon.end()).toBe(0);
  expect(logs.filter((log) => existsSync(log))).toEqual([]);
});
