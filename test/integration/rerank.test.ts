import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { openEndpoint, send } from "../embedding/endpoint.ts";
import { sendScores } from "../rerank/reranking-endpoint.ts";
import { startDaemon, watchFolder } from "../support/daemon.ts";
import { temporaryFolder } from "../support/temporary.ts";

function configure(home: string, text: string): void {
  mkdirSync(path.join(home, "config", "knowd"), { recursive: true });
  writeFileSync(path.join(home, "config", "knowd", "config.toml"), text);
}

it("K9.4 a base that is given a reranker is searched with it; when it is down or gone the answer is the one before, and says so", async () => {
  const home = temporaryFolder();
  const folder = temporaryFolder();
  writeFileSync(path.join(folder, "a.md"), "# Keys\n\nzqkeys zqkeys zqkeys of the house\n");
  writeFileSync(
    path.join(folder, "b.md"),
    "# Locks\n\nzqkeys are turned in the lock of the old garden door\n",
  );
  let isDown = false;
  const endpoint = await openEndpoint((asked) => {
    if (isDown) send(asked, 500, { error: "gpu lost" });
    else void sendScores((text) => (text.includes("garden") ? 0.9 : 0.1))(asked);
  });
  configure(home, `[[rerank.models]]\nid = "local"\nurl = "${endpoint.url}"\n`);
  const first = await startDaemon({ home });
  const { base } = await watchFolder(first.client, folder, { embeddingModelId: null });
  const search = async (client: typeof first.client) => {
    const answer = await client.call("search.query", { query: "zqkeys" });
    return { files: answer.hits.map((hit) => path.basename(hit.path ?? "")), ...answer };
  };
  expect((await search(first.client)).files).toEqual(["a.md", "b.md"]);
  expect(endpoint.asked).toEqual([]);

  await expect(
    first.client.call("base.update", { baseId: base.id, rerankModelId: "other" }),
  ).rejects.toMatchObject({
    data: { field: "rerankModelId", reason: expect.stringContaining("local") as string },
  });
  await first.client.call("base.update", { baseId: base.id, rerankModelId: "local" });
  const reranked = await search(first.client);
  expect(reranked.files).toEqual(["b.md", "a.md"]);
  expect(reranked.hits[0]).toMatchObject({ score: 0.9, scoreKind: "relevance" });
  expect(reranked.degraded).toBeUndefined();

  const explained = await first.client.call("search.explain", { query: "zqkeys" });
  expect(explained.bases[0]?.passages.map(({ rank, lanes }) => [rank, lanes.reranked])).toEqual([
    [2, { score: 0.1, before: { rank: 1, score: expect.any(Number) as number } }],
    [1, { score: 0.9, before: { rank: 2, score: expect.any(Number) as number } }],
  ]);

  isDown = true;
  const down = await search(first.client);
  expect(down.files).toEqual(["a.md", "b.md"]);
  expect(down.degraded).toContain("not reranked: local gave no scores");
  expect(down.degraded).toContain("gpu lost");
  const asked = endpoint.asked.length;
  expect((await search(first.client)).degraded).toContain("it is asked again in");
  expect(endpoint.asked).toHaveLength(asked);
  await first.end();

  configure(home, "");
  const { client } = await startDaemon({ home });
  const gone = await search(client);
  expect(gone.files).toEqual(["a.md", "b.md"]);
  expect(gone.degraded).toBe("not reranked: the reranker local is not configured");
  expect((await client.call("system.status", {})).warnings.join()).toContain(
    "the reranker local is not configured",
  );
});
