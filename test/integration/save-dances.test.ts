import {
  closeSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { shareDaemon, watchFolder } from "../support/daemon.ts";
import { itemOf, untilFoundIn } from "../support/questions.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** How three kinds of editors put a new text in the place of an old one. */
const dances: Record<string, (file: string, text: string) => void> = {
  "vim: the old file becomes a backup, the new one is written under its name": (file, text) => {
    const swap = path.join(path.dirname(file), `.${path.basename(file)}.swp`);
    writeFileSync(swap, "swap");
    renameSync(file, `${file}~`);
    writeFileSync(file, text);
    unlinkSync(`${file}~`);
    unlinkSync(swap);
  },
  "truncate and write, in pieces": (file, text) => {
    const descriptor = openSync(file, "w");
    for (const piece of text.match(/.{1,20}/gs) ?? []) writeSync(descriptor, piece);
    closeSync(descriptor);
  },
  "atomic: a temporary file is written and renamed over the old one": (file, text) => {
    const temporary = path.join(path.dirname(file), `${path.basename(file)}.tmp-8371`);
    writeFileSync(temporary, text);
    renameSync(temporary, file);
  },
};

describe("editors' save dances", () => {
  const daemon = shareDaemon();

  it.each(Object.entries(dances))(
    "%s: the item stays the same one, and old and new text never answer together",
    async (_, save) => {
      const folder = temporaryFolder();
      const file = path.join(folder, "note.md");
      writeFileSync(file, "# Note\n\nthe old wording zqold stands here\n");
      const { client } = daemon();
      const { base } = await watchFolder(client, folder);
      const before = await itemOf(client, base.id, file);
      await untilFoundIn(client, "zqold", [file]);

      for (let round = 1; round <= 3; round++) {
        save(file, `# Note\n\nround ${round} has the wording zqnew${round} now\n`);
        await untilFoundIn(client, `zqnew${round}`, [file]);
        await untilFoundIn(client, round === 1 ? "zqold" : `zqnew${round - 1}`, []);
      }
      const after = await itemOf(client, base.id, file);
      expect(after).toMatchObject({ id: before.id, status: "completed", refreshError: null });
      expect((await client.call("base.get", { baseId: base.id })).base.counts).toMatchObject({
        items: 1,
        failed: 0,
      });
    },
  );

  it("a file that is being written is not indexed before it is complete", async () => {
    const folder = temporaryFolder();
    const { client } = daemon();
    const { base } = await watchFolder(client, folder);
    const file = path.join(folder, "growing.md");
    const descriptor = openSync(file, "w");
    for (let part = 0; part < 20; part++) {
      writeSync(descriptor, `line ${part} of a text that grows\n`);
      await new Promise((resolve) => setTimeout(resolve, 30));
      const { counts } = (await client.call("base.get", { baseId: base.id })).base;
      expect(counts.completed).toBe(0);
    }
    writeSync(descriptor, "zqcomplete is the last word\n");
    closeSync(descriptor);
    await untilFoundIn(client, "zqcomplete", [file]);
  });

  it("K11.1 a rename and a move keep the item, and the new name answers", async () => {
    const folder = temporaryFolder();
    mkdirSync(path.join(folder, "archive"));
    const [first, second, third] = ["draft.md", "proposal.md", "archive/proposal.md"].map((name) =>
      path.join(folder, name),
    ) as [string, string, string];
    writeFileSync(first, "zqmoved is a word of this text\n");
    const { client } = daemon();
    const { base } = await watchFolder(client, folder);
    const { id } = await itemOf(client, base.id, first);
    renameSync(first, second);
    await untilFoundIn(client, "zqmoved", [second]);
    renameSync(second, third);
    await untilFoundIn(client, "zqmoved", [third]);
    expect((await itemOf(client, base.id, third)).id).toBe(id);
    const { hits } = await client.call("search.query", { query: "proposal" });
    expect(hits[0]?.path).toBe(third);
    rmSync(third);
    await untilFoundIn(client, "zqmoved", []);
  });
});
