import { mkdirSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { sourcesNow } from "../../rpc/cli/progress.ts";
import type { Source } from "../../rpc/contract/sources.ts";
import { startDaemon } from "../support/daemon.ts";
import { temporaryFolder } from "../support/temporary.ts";

it("the progress of a base follows all of its folders, more than one page of them too", async () => {
  const { client } = await startDaemon();
  const { base } = await client.call("base.create", { name: "many", embeddingModelId: null });
  const root = temporaryFolder();
  const added: Source[] = [];
  for (let n = 0; n <= 100; n++) {
    const folder = path.join(root, String(n));
    mkdirSync(folder);
    added.push((await client.call("source.add", { baseId: base.id, path: folder })).source);
  }
  const followed = await sourcesNow(client, added);
  expect(followed.map(({ id }) => id).sort()).toEqual(added.map(({ id }) => id).sort());
  const [first] = added;
  if (first) await client.call("source.remove", { sourceId: first.id });
  expect(await sourcesNow(client, added)).toHaveLength(100);
  client.close();
});
