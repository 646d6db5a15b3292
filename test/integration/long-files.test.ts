import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, it } from "vitest";
import type { Client } from "../../rpc/client.ts";
import { openEndpoint, sendVectors } from "../embedding/endpoint.ts";
import { startDaemon, watchFolder, type Daemon } from "../support/daemon.ts";
import { eventually } from "../support/eventually.ts";
import { configureModel } from "../support/paid-model.ts";
import { itemOf, pathsWith, untilFoundIn } from "../support/questions.ts";
import { temporaryFolder } from "../support/temporary.ts";

const LINES = 56_000;
const TIMEOUT_MS = 120_000;

/** A log of six segments, each line by itself; marks stand at its beginning, in its middle and at its end. */
function longLog(salt = ""): string[] {
  const lines = Array.from(
    { length: LINES },
    (_, at) =>
      `2026-11-02 10:00 worker ${salt}${at}: request ${at} took ${(at * 7) % 997} ms, queue ${(at * 31) % 4096} of 4096 pages, fine`,
  );
  const middle = LINES / 2;
  lines[2] += " zqbegin";
  lines[middle] += " zqmiddle";
  lines[LINES - 2] += " zqend";
  return lines;
}

async function setUp(model: string | null, home = temporaryFolder()) {
  const folder = path.join(home, "logs");
  mkdirSync(folder);
  const daemon = await startDaemon({ home });
  const { base } = await watchFolder(daemon.client, folder, { name: "logs", embeddingModelId: model });
  return { home, folder, file: path.join(folder, "service.log"), daemon, baseId: base.id };
}

const untilIdle = (client: Client) =>
  eventually(async () => ((await client.call("system.status", {})).idle ? true : undefined), 60_000);

/** Rows of the index, read beside the daemon. */
function rowsOf(daemon: Daemon, baseId: string, sql: string): number {
  const file = path.join(daemon.dataDir, "KnowledgeBase", baseId, ".cherry/index.sqlite");
  const raw = new Sqlite(file, { readonly: true });
  try {
    return raw.prepare(sql).pluck().get() as number;
  } finally {
    raw.close();
  }
}

const STAGED = "SELECT count(*) FROM content_segment JOIN unseen_material USING (material_id)";

/** Waits until so many segments of a revision that is not there yet are written. */
const untilStaged = (daemon: Daemon, baseId: string, segments: number) =>
  eventually(() => (rowsOf(daemon, baseId, STAGED) >= segments ? true : undefined), 60_000);

async function expectSound({ client }: Daemon, baseId: string): Promise<void> {
  await eventually(async () => {
    expect((await client.call("base.check", { baseId })).problems).toEqual([]);
    return true;
  });
}

describe("a long file", () => {
  it(
    "K7.1 K10.4 is searched, read, grepped and listed by the offsets and lines of the whole, and deleted",
    async () => {
      const { file, daemon, baseId } = await setUp(null);
      const { client } = daemon;
      const lines = longLog();
      const whole = `${lines.join("\n")}\n`;
      writeFileSync(file, whole);
      await untilFoundIn(client, "zqmiddle", [file]);
      for (const [word, line] of [
        ["zqbegin", 3],
        ["zqmiddle", LINES / 2 + 1],
        ["zqend", LINES - 1],
      ] as const) {
        const { hits } = await client.call("search.query", { query: word, topK: 1 });
        const [hit] = hits;
        expect(hit?.text).toContain(word);
        expect(whole.slice(hit?.charStart, hit?.charEnd)).toBe(hit?.text);
        const read = await client.call("kb.read", {
          path: file,
          charStart: hit?.charStart,
          charEnd: hit?.charEnd,
        });
        expect(read).toMatchObject({
          text: hit?.text,
          contentHash: hit?.contentHash,
          totalChars: whole.length,
        });
        const { matches } = await client.call("kb.grep", { pattern: word });
        expect(matches).toMatchObject([{ line, lineText: lines[line - 1] }]);
        expect(whole.slice(matches[0]?.charStart, matches[0]?.charEnd)).toBe(word);
        const found = await client.call("kb.read", { path: file, pattern: word });
        expect(found).toMatchObject({ matches: [{ line }], totalChars: whole.length });
      }
      // A window over the end of the first segment.
      const item = await itemOf(client, baseId, file);
      const charStart = rowsOf(daemon, baseId, "SELECT char_start FROM content_segment WHERE seq = 1") - 5000;
      const window = await client.call("kb.read", {
        itemId: item.id,
        charStart,
        charEnd: charStart + 10_000,
      });
      expect(window.text).toBe(whole.slice(charStart, charStart + 10_000));
      const cursor = `chunk-${item.chunkCount - 3}`;
      const page = await client.call("item.chunks", { itemId: item.id, cursor });
      for (const chunk of page.items) expect(whole.slice(chunk.charStart, chunk.charEnd)).toBe(chunk.text);
      expect(page.items.at(-1)?.unitIndex).toBe(item.chunkCount - 1);
      await expectSound(daemon, baseId);

      rmSync(file);
      await client.call("item.delete", { itemIds: [item.id] });
      await eventually(
        () => (rowsOf(daemon, baseId, "SELECT count(*) FROM content") === 0 ? true : undefined),
        60_000,
      );
      expect(await pathsWith(client, "zqmiddle")).toEqual([]);
      await expectSound(daemon, baseId);
    },
    TIMEOUT_MS,
  );

  it(
    "K8.5 an append embeds only what is new, and the revision before answers until it is there",
    async () => {
      const endpoint = await openEndpoint((asked) => void sendVectors(asked));
      const home = temporaryFolder();
      configureModel(home, { url: endpoint.url, resume: "always" });
      const { file, daemon, baseId } = await setUp("paid", home);
      writeFileSync(file, `${longLog().join("\n")}\n`);
      await untilFoundIn(daemon.client, "zqend", [file]);
      await untilIdle(daemon.client);
      const embedded = endpoint.asked.flatMap((asked) => asked.texts).length;
      expect(embedded).toBeGreaterThan(1000);
      const units = "SELECT count(*) FROM unit_number";
      const before = rowsOf(daemon, baseId, units);
      appendFileSync(file, "2026-11-02 11:00 worker: zqappended, and no more\n");
      await untilStaged(daemon, baseId, 1);
      expect(await pathsWith(daemon.client, "zqmiddle")).toEqual([file]);
      await untilFoundIn(daemon.client, "zqappended", [file]);
      await untilIdle(daemon.client);
      const asked = endpoint.asked.flatMap(({ texts }) => texts).slice(embedded);
      const documents = asked.filter((text) => text.includes("worker"));
      expect(documents.length).toBeLessThan(5);
      await eventually(() => {
        expect(rowsOf(daemon, baseId, units)).toBeLessThan(before + 5);
        return true;
      });
      await expectSound(daemon, baseId);
    },
    TIMEOUT_MS,
  );

  it(
    "P1 K8.5 a daemon that is killed while one is staged leaves nothing of it, and what answered before answers",
    async () => {
      const { file, home, daemon, baseId } = await setUp(null);
      writeFileSync(file, `${longLog().join("\n")}\n`);
      await untilStaged(daemon, baseId, 3);
      await daemon.end("SIGKILL");

      const second = await startDaemon({ home });
      await untilFoundIn(second.client, "zqmiddle", [file]);
      await untilIdle(second.client);
      await expectSound(second, baseId);
      writeFileSync(file, `${longLog("new ").join("\n")}\nzqreplaced\n`);
      await untilStaged(second, baseId, 3);
      await second.end("SIGKILL");

      const third = await startDaemon({ home });
      expect(await pathsWith(third.client, "zqmiddle")).toEqual([file]);
      await untilFoundIn(third.client, "zqreplaced", [file]);
      await untilIdle(third.client);
      await expectSound(third, baseId);
      await eventually(() =>
        rowsOf(third, baseId, "SELECT count(*) FROM unseen_material") === 0 ? true : undefined,
      );
      const { counts } = (await third.client.call("base.get", { baseId })).base;
      expect(rowsOf(third, baseId, "SELECT count(*) FROM search_unit")).toBe(counts.chunks);
    },
    TIMEOUT_MS,
  );

  it(
    "P7 one that changes while it is read is read again, and one that is deleted meanwhile leaves nothing",
    async () => {
      const { file, daemon, baseId } = await setUp(null);
      const { client } = daemon;
      writeFileSync(file, `${longLog().join("\n")}\n`);
      await untilStaged(daemon, baseId, 2);
      writeFileSync(file, readFileSync(file, "utf8").replace("zqmiddle", "zqchanged"));
      await untilFoundIn(client, "zqchanged", [file]);
      expect(await pathsWith(client, "zqmiddle")).toEqual([]);
      writeFileSync(file, `${longLog("other ").join("\n")}\n`);
      await untilStaged(daemon, baseId, 2);
      const { id } = await itemOf(client, baseId, file);
      rmSync(file);
      await client.call("item.delete", { itemIds: [id] });
      await eventually(
        () => (rowsOf(daemon, baseId, "SELECT count(*) FROM material") === 0 ? true : undefined),
        60_000,
      );
      expect(rowsOf(daemon, baseId, "SELECT count(*) FROM content")).toBe(0);
      await expectSound(daemon, baseId);
    },
    TIMEOUT_MS,
  );
});
