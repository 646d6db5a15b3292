import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { startDaemon, watchFolder, type Daemon } from "../support/daemon.ts";
import { eventually } from "../support/eventually.ts";
import { itemOf, pathsWith, untilFoundIn } from "../support/questions.ts";
import { temporaryFolder } from "../support/temporary.ts";

const PARAGRAPHS = 32_000;

/** A saved page with over two million characters of text: its format is read whole. */
function longPage(salt: string): string {
  const paragraphs = Array.from(
    { length: PARAGRAPHS },
    (_, n) => `<p>Paragraph ${n} of ${salt} says what it says in some words, and then it is over.</p>`,
  );
  paragraphs[2] = `<p>zqbegin${salt} stands here.</p>`;
  // Far behind the first cut, and far before what is asked for.
  paragraphs[PARAGRAPHS / 2] = "<h2>Second half</h2>";
  paragraphs[PARAGRAPHS - 3] = `<p>zqend${salt} stands here.</p>`;
  return `<html><head><title>Long page</title></head><body><h1>Long</h1>${paragraphs.join("\n")}</body></html>`;
}

const controlFiles = (daemon: Daemon, baseId: string): string[] =>
  readdirSync(path.join(daemon.dataDir, "KnowledgeBase", baseId, ".cherry")).filter(
    (name) => !name.startsWith("index.sqlite"),
  );

it("K7.1 K8.5 a long text of a format that is read whole is found from its beginning to its end, changed and deleted", async () => {
  const home = temporaryFolder();
  const folder = path.join(home, "pages");
  mkdirSync(folder);
  const file = path.join(folder, "long.html");
  writeFileSync(file, longPage("one"));
  writeFileSync(path.join(folder, "short.md"), "# Short\n\nzqshort stands here.\n");
  const daemon = await startDaemon({ home });
  const { client } = daemon;
  const { base } = await watchFolder(client, folder);
  await untilFoundIn(client, "zqendone", [file]);
  const item = await itemOf(client, base.id, file);
  expect(item).toMatchObject({ status: "completed", title: "Long page", warnings: [] });
  for (const [word, headings] of [
    ["zqbeginone", ["Long"]],
    ["zqendone", ["Long", "Second half"]],
  ] as const) {
    const [hit] = (await client.call("search.query", { query: word, topK: 1 })).hits;
    expect(hit?.headings).toEqual(headings);
    const { charStart, charEnd } = hit ?? {};
    expect(await client.call("kb.read", { path: file, charStart, charEnd })).toMatchObject({
      text: hit?.text,
    });
    expect((await client.call("kb.grep", { pattern: word })).matches).toHaveLength(1);
  }
  expect((await client.call("base.check", { baseId: base.id })).problems).toEqual([]);

  writeFileSync(file, longPage("two"));
  await untilFoundIn(client, "zqendtwo", [file]);
  expect(await pathsWith(client, "zqbeginone")).toEqual([]);
  expect(await pathsWith(client, "zqshort")).toEqual([path.join(folder, "short.md")]);

  // Killed while it is read, or written: what comes after knows nothing of what was set down.
  writeFileSync(file, longPage("three"));
  await eventually(() => (controlFiles(daemon, base.id).length > 0 ? true : undefined), 20_000);
  await daemon.end("SIGKILL");
  const again = await startDaemon({ home });
  await untilFoundIn(again.client, "zqendthree", [file]);
  expect(controlFiles(again, base.id)).toEqual([]);
  expect((await again.client.call("base.check", { baseId: base.id })).problems).toEqual([]);

  writeFileSync(file, "<p>zqbrief is all that is left.</p>");
  await untilFoundIn(again.client, "zqbrief", [file]);
  expect(await pathsWith(again.client, "zqendthree")).toEqual([]);
});
