import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import type { Client } from "../../rpc/client.ts";
import { startDaemon, watchFolder } from "../support/daemon.ts";
import { eventually } from "../support/eventually.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** Ninety Chinese words; each note says eight of them. */
const words = Array.from({ length: 90 }, (_, at) => String.fromCharCode(0x4e00 + 2 * at, 0x4e01 + 2 * at));

function note(at: number): string {
  const said = Array.from({ length: 8 }, (_, step) => words[(at * 37 + step * (11 + (at % 7) * 6)) % 90]);
  return `# ${at}\n\n${said.join("，")}\n`;
}

async function untilLatent(client: Client, baseId: string): Promise<void> {
  await eventually(async () => {
    const { hits } = await client.call("search.query", {
      query: words[5]!,
      baseIds: [baseId],
      explain: true,
    });
    if (!hits.some(({ lanes }) => lanes?.latent !== undefined)) throw new Error("no hit by latent vectors");
    return true;
  });
}

it("P1 a watched folder of 200 notes gets latent vectors by itself, and has them after a kill", async () => {
  const home = temporaryFolder();
  const folder = temporaryFolder();
  for (let at = 0; at < 210; at++) writeFileSync(path.join(folder, `${at}.md`), note(at));
  const first = await startDaemon({ home });
  const { base } = await watchFolder(first.client, folder);
  await untilLatent(first.client, base.id);
  await first.end("SIGKILL");
  const { client } = await startDaemon({ home });
  await untilLatent(client, base.id);
  expect((await client.call("base.check", { baseId: base.id })).problems).toEqual([]);
});
