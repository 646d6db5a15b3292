import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { connect, type Client } from "../../rpc/client.ts";
import { startDaemon, watchFolder } from "../support/daemon.ts";
import { eventually } from "../support/eventually.ts";
import { createRandom } from "../support/random.ts";
import { temporaryFolder } from "../support/temporary.ts";

const FILES = 800;
const CLIENTS = 24;
/** Long enough for some hundred calls; ten times as long says nothing new. */
const FOR_MS = 2500;

const textOf = (n: number, version: number): string =>
  `# Note ${n}\n\nzqnote${n}x stands here in version zqv${version}x, with garden and harbour and tower.\n`;

describe("many clients at once", () => {
  it(
    "P15 search, read and add while files change: no call fails, and nothing is lost",
    { timeout: 120_000 },
    async () => {
      const home = temporaryFolder();
      const folder = path.join(home, "notes");
      const loose = path.join(home, "loose");
      for (const made of [folder, loose]) mkdirSync(made);
      for (let n = 0; n < FILES; n++) writeFileSync(path.join(folder, `${n}.md`), textOf(n, 0));
      const daemon = await startDaemon({ home });
      const { base, source } = await watchFolder(daemon.client, folder);
      const copies = (await daemon.client.call("base.create", { name: "copies" })).base;

      const over = performance.now() + FOR_MS;
      const inTime = (): boolean => performance.now() < over;
      const failures: string[] = [];
      const added: string[] = [];
      let calls = 0;
      const attempt = async (call: () => Promise<unknown>): Promise<void> => {
        calls++;
        await call().catch((error: unknown) => failures.push(String(error)));
      };
      const act = async (client: Client, who: number, random: () => number): Promise<void> => {
        for (let turn = 0; inTime(); turn++) {
          const n = Math.floor(random() * FILES);
          const file = path.join(folder, `${n}.md`);
          const kind = (who + turn) % 6;
          if (kind < 2) await attempt(() => client.call("search.query", { query: `zqnote${n}x garden` }));
          else if (kind === 2) await attempt(() => client.call("kb.read", { path: file }));
          else if (kind === 3)
            await attempt(() => client.call("kb.grep", { pattern: `zqnote${n}x`, limit: 5 }));
          else if (kind === 4) await attempt(() => client.call("item.list", { baseId: base.id, limit: 50 }));
          else {
            const made = path.join(loose, `${who}-${turn}.md`);
            writeFileSync(made, `zqadded${who}t${turn}x was added by a client\n`);
            added.push(`zqadded${who}t${turn}x`);
            await attempt(() => client.call("item.add", { baseId: copies.id, paths: [made] }));
          }
        }
      };
      const version = new Map<number, number>();
      const change = async (): Promise<void> => {
        const random = createRandom(5);
        while (inTime()) {
          for (let step = 0; step < 20; step++) {
            const n = Math.floor(random() * FILES);
            const next = (version.get(n) ?? 0) + 1;
            version.set(n, next);
            const file = path.join(folder, `${n}.md`);
            // Half of the saves go by a temporary file.
            if (next % 2 === 0) writeFileSync(file, textOf(n, next));
            else {
              writeFileSync(`${file}~`, textOf(n, next));
              renameSync(`${file}~`, file);
            }
          }
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      };
      const clients = await Promise.all(
        Array.from({ length: CLIENTS }, () => connect({ socketPath: daemon.socketPath })),
      );
      onTestFinished(() => clients.forEach((client) => client.close()));
      await Promise.all([change(), ...clients.map((client, who) => act(client, who, createRandom(who)))]);
      expect(failures).toEqual([]);
      expect(calls).toBeGreaterThan(CLIENTS);

      await daemon.client.call("source.sync", { sourceId: source.id });
      const { client } = daemon;
      await eventually(async () => {
        const { counts } = (await client.call("base.get", { baseId: copies.id })).base;
        expect(counts).toMatchObject({ completed: added.length, failed: 0 });
        expect((await client.call("system.status", {})).queue).toMatchObject({ queued: 0, running: 0 });
        return true;
      }, 60_000);
      for (const id of [base.id, copies.id])
        expect((await client.call("base.check", { baseId: id })).problems).toEqual([]);
      const matches = await allMatches(client, base.id, String.raw`zqv\d+x`);
      const wrong = [...version].filter(([n, v]) => matches.get(path.join(folder, `${n}.md`)) !== `zqv${v}x`);
      expect(wrong).toEqual([]);
      const found = await allMatches(client, copies.id, String.raw`zqadded\w+`);
      expect([...found.values()].sort()).toEqual([...added].sort());
      expect(daemon.log()).not.toMatch(/"level":"(?:error|fatal)"/);
      rmSync(loose, { recursive: true });
    },
  );
});

/** The last match in each document, by its path or concept id. */
async function allMatches(client: Client, baseId: string, pattern: string): Promise<Map<string, string>> {
  const { matches, truncated } = await client.call("kb.grep", { pattern, baseIds: [baseId], limit: 5000 });
  expect(truncated).toBe(false);
  return new Map(matches.map((match) => [match.path ?? match.conceptId, match.match]));
}
