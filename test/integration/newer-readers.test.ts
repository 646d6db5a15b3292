import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, it } from "vitest";
import type { Client } from "../../rpc/client.ts";
import { startDaemon, watchFolder } from "../support/daemon.ts";
import { eventually } from "../support/eventually.ts";
import { temporaryFolder } from "../support/temporary.ts";

const untilIdle = (client: Client) =>
  eventually(async () => ((await client.call("system.status", {})).idle ? true : undefined));

describe("a daemon with other readers than the last one", () => {
  it("P26 reads again what a newer reader reads, and what no reader could, once, and nothing else", async () => {
    const home = temporaryFolder();
    const folder = path.join(home, "notes");
    mkdirSync(folder);
    writeFileSync(path.join(folder, "page.html"), "<h1>Page</h1><p>zqpage</p>");
    writeFileSync(path.join(folder, "note.md"), "# Note\n\nzqnote\n");
    writeFileSync(path.join(folder, "photo.png"), Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"));
    const first = await startDaemon({ home });
    const { base } = await watchFolder(first.client, folder);
    const changes = async (client: Client): Promise<Record<string, number>> => {
      const { items } = await client.call("item.list", { baseId: base.id, type: "file" });
      return Object.fromEntries(items.map((item) => [path.basename(item.conceptId), item.updatedAt]));
    };
    await untilIdle(first.client);
    const before = await changes(first.client);
    await first.end();

    const database = new Sqlite(path.join(home, "data", "knowd", "catalog.sqlite"));
    const readers = database.prepare("SELECT readers FROM catalog_state").pluck().get() as string;
    expect(readers).toMatch(/(?:^| )html@\d+(?: |$)/);
    database
      .prepare("UPDATE catalog_state SET readers = ?")
      .run(readers.replace(/(^| )html@\d+/, "$1html@0"));
    database.close();

    const second = await startDaemon({ home });
    const after = await eventually(async () => {
      const now = await changes(second.client);
      return now["page.html"] !== before["page.html"] && now["photo.png"] !== before["photo.png"]
        ? now
        : undefined;
    });
    await untilIdle(second.client);
    expect((await changes(second.client))["note.md"]).toBe(before["note.md"]);
    await second.end();

    const third = await startDaemon({ home });
    await untilIdle(third.client);
    expect(await changes(third.client)).toEqual(after);
  });
});
