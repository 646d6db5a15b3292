import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { connect } from "../../rpc/client.ts";
import { methodTable, type MethodName } from "../../rpc/contract/index.ts";
import { openEndpoint, sendVectors } from "../embedding/endpoint.ts";
import { serveHttp } from "../support/canary.ts";
import { startDaemon, watchFolder, type Daemon } from "../support/daemon.ts";
import { eventually } from "../support/eventually.ts";
import { configureModel } from "../support/paid-model.ts";
import { itemOf } from "../support/questions.ts";
import { article } from "../support/site.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** What these take away is asked for by the others first. */
const LAST: readonly MethodName[] = [
  "source.remove",
  "item.delete",
  "base.delete",
  "token.revoke",
  "system.shutdown",
];

/** A user's daemon, and what is there in place of what the examples name. */
async function openHome(): Promise<{ daemon: Daemon; standIns: ReadonlyMap<unknown, unknown> }> {
  const home = temporaryFolder();
  // It answers what it is tried with, and never what it is paid for: work on it can be cancelled.
  const { url } = await openEndpoint((asked) =>
    asked.texts.some((text) => text.includes("waits")) ? undefined : sendVectors(asked),
  );
  configureModel(home, { url, resume: "always" });
  const port = await serveHttp(article("Guide", "to the keys"));
  const settings = { "snapshot.allowPrivate": "true", "snapshot.ports": `[${port}]` };
  const daemon = await startDaemon({ home, settings });
  const { client } = daemon;
  const [watched, more] = [path.join(home, "watched"), path.join(home, "more")];
  const keys = path.join(watched, "keys.md");
  const paper = path.join(home, "paper.txt");
  for (const folder of [watched, more]) mkdirSync(folder);
  writeFileSync(keys, "# Keys\n\nCall rotate_keys() to rotate the keys each month.\n");
  writeFileSync(paper, "A paper.\n");
  const { base, source } = await watchFolder(client, watched, { embeddingModelId: null });
  const item = await itemOf(client, base.id, keys);
  const { base: slow } = await client.call("base.create", { name: "slow", embeddingModelId: "paid" });
  await client.call("item.add", { baseId: slow.id, notes: [{ content: "waits for its vector" }] });
  const job = await eventually(async () => (await client.call("job.list", { baseId: slow.id })).items[0]);
  const standIns = new Map<unknown, unknown>([
    ["3f0f7f4e-7d3b-4b43-9d7e-6e8f6f6e2a10", base.id],
    ["01932c07-4a3f-7b6e-9a52-0c5f0e9d7a11", item.id],
    ["01932c07-4a3f-7b6e-9a52-0c5f0e9d7a12", source.id],
    ["/home/me/notes", more],
    ["/home/me/notes/keys.md", keys],
    ["/home/me/paper.pdf", paper],
    ["https://example.org/guide", `http://127.0.0.1:${port}/guide`],
  ]);
  const { token, secret } = await client.call("token.create", { name: "all", all: true });
  standIns.set("01932c07-4a3f-7b6e-9a52-0c5f0e9d7a13", token.id).set("token", secret);
  return { daemon, standIns: standIns.set("jobId", job.id) };
}

it("the example of every method is answered, and as the contract says", async () => {
  const { daemon, standIns } = await openHome();
  const real = (value: unknown, key = ""): unknown => {
    if (Array.isArray(value)) return value.map((one) => real(one));
    if (typeof value !== "object" || value === null) return standIns.get(key) ?? standIns.get(value) ?? value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, real(one, name)]));
  };
  const first = (Object.keys(methodTable) as MethodName[]).filter((name) => !LAST.includes(name));
  for (const name of [...first, ...LAST]) {
    const { example, result } = methodTable[name];
    // A connection with a session may do less than the others ask for.
    const client = name === "session.open" ? await connect(daemon) : daemon.client;
    const answer = await client.callAny(name, real(example)).catch((error: unknown) => {
      throw new Error(`${name} was not answered`, { cause: error });
    });
    expect(result.safeParse(answer).error, `${name}: ${JSON.stringify(answer)}`).toBeUndefined();
  }
});
