import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { RpcError, connect, type Client } from "../../rpc/client.ts";
import { methodTable, type MethodName } from "../../rpc/contract/index.ts";
import { openEndpoint, sendVectors } from "../embedding/endpoint.ts";
import { startDaemon, watchFolder, type Daemon } from "../support/daemon.ts";
import { eventually } from "../support/eventually.ts";
import { configureModel } from "../support/paid-model.ts";
import { temporaryFolder } from "../support/temporary.ts";

const CONNECTIONS = 24;
/** So many of them compare each answer with the one about what is not there: two that may write, two that may read. */
const COMPARING = 4;

type Params = Readonly<Record<string, unknown>>;

/** What the fields that name something are filled with. */
interface Names {
  readonly baseId: string;
  readonly itemId: string;
  readonly sourceId: string;
  readonly jobId: number;
  readonly path: string;
}

interface Secret {
  readonly names: Names;
  /** What no answer may hold: ids, paths, names and words of the base. */
  readonly marks: readonly string[];
  readonly count: () => Promise<unknown>;
}

/** A base with a watched folder, notes, a job that waits, and words of its own. */
async function openSecret(daemon: Daemon): Promise<Secret> {
  const { client } = daemon;
  const folder = path.join(temporaryFolder(), "zqsecretfolder");
  mkdirSync(folder);
  writeFileSync(path.join(folder, "zqsecretfile.md"), "# zqsecrettitle\n\nzqshared zqsecretword\n");
  const { base, source } = await watchFolder(client, folder, {
    name: "zqsecretbase",
    embeddingModelId: null,
  });
  const { base: slow } = await client.call("base.create", { name: "zqsecretslow", embeddingModelId: "paid" });
  await client.call("item.add", { baseId: slow.id, notes: [{ content: "zqsecretnote waits" }] });
  const job = await eventually(async () => (await client.call("job.list", { baseId: slow.id })).items[0]);
  const { items } = await client.call("item.list", { baseId: base.id, limit: 100 });
  const file = items.find(({ type }) => type === "file")!;
  const ids = [base.id, slow.id, source.id, job.itemId, ...items.map(({ id }) => id)];
  return {
    names: { baseId: base.id, itemId: file.id, sourceId: source.id, jobId: job.id, path: file.path! },
    marks: [...ids, folder, "zqsecret"],
    count: async () => ({
      bases: (await client.call("base.list", {})).items.filter(({ name }) => name.startsWith("zqsecret"))
        .length,
      items: (await client.call("item.list", { baseId: base.id })).items.map(({ id, status }) => [
        id,
        status,
      ]),
      source: (await client.call("source.list", { baseId: base.id })).items.map(({ state }) => state),
      job: (await client.call("job.list", { baseId: slow.id })).items.map(({ id }) => id),
    }),
  };
}

/** An example of a method with these names in it: in the fields that it has, and with each other field that it could have. */
function attemptsOf(method: MethodName, names: Names): Params[] {
  const { example, params } = methodTable[method];
  const schema = z.toJSONSchema(params, { io: "input" }) as {
    properties?: Readonly<Record<string, unknown>>;
  };
  const valueOf: Readonly<Record<string, unknown>> = {
    ...names,
    baseIds: [names.baseId],
    itemIds: [names.itemId],
    paths: [names.path],
  };
  const fields = Object.keys(schema.properties ?? {}).filter((field) => field in valueOf);
  const given = Object.fromEntries(
    Object.entries(example as Params).map(([field, value]) => [field, valueOf[field] ?? value]),
  );
  const plain = Object.fromEntries(Object.entries(given).filter(([field]) => !(field in valueOf)));
  const each = fields.map((field) => ({ ...plain, [field]: valueOf[field] }));
  const words =
    "query" in plain
      ? [{ ...plain, query: "zqshared" }]
      : "pattern" in plain
        ? [{ ...plain, pattern: "zqs" }]
        : [];
  return [given, plain, ...each, ...words, ...words.map((one) => ({ ...one, baseIds: [names.baseId] }))];
}

interface Answer {
  readonly ok: boolean;
  /** What was said, with the names that were sent put out of sight. */
  readonly text: string;
}

async function ask(client: Client, method: MethodName, params: Params, names: Names): Promise<Answer> {
  const hide = (value: unknown): string =>
    [names.path, names.baseId, names.itemId, names.sourceId]
      .reduce((text, name) => text.replaceAll(name, "<sent>"), JSON.stringify(value))
      .replaceAll(`"jobId":${names.jobId}`, '"jobId":"<sent>"')
      // What time took is no matter of what was asked.
      .replaceAll(/"(tookMs|uptimeMs|rssBytes|loopDelayP99Ms|seq|addedAt)":[\d.]+/g, '"$1":0');
  try {
    return { ok: true, text: hide(await client.callAny(method, params)) };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return { ok: false, text: hide([error.code, error.errorName, error.message, error.data]) };
  }
}

const unknownNames = (): Names => ({
  baseId: randomUUID(),
  itemId: randomUUID(),
  sourceId: randomUUID(),
  jobId: 999_999,
  path: "/zq/nowhere/at-all.md",
});

/** Tries all methods; answers what was told that may not be, and what was answered otherwise than of what is not there. */
async function attack(client: Client, secret: Secret, compare: boolean): Promise<string[]> {
  const wrong: string[] = [];
  const unknown = unknownNames();
  for (const method of Object.keys(methodTable) as MethodName[]) {
    if (method === "session.open") continue;
    const twins = attemptsOf(method, unknown);
    for (const [at, params] of attemptsOf(method, secret.names).entries()) {
      const answer = await ask(client, method, params, secret.names);
      const sent = JSON.stringify(params);
      const told = secret.marks.filter((mark) => answer.text.includes(mark) && !sent.includes(mark));
      if (told.length > 0) wrong.push(`${method} ${sent} tells ${told.join(", ")}: ${answer.text}`);
      if (!compare || sent === JSON.stringify(twins[at]) || method === "item.add" || method === "kb.manage")
        continue;
      const twin = await ask(client, method, twins[at]!, unknown);
      if (twin.text !== answer.text)
        wrong.push(`${method} ${sent}: ${answer.text} but of nothing ${twin.text}`);
    }
  }
  return wrong;
}

it("K10.1 24 connections of different scopes get nothing out of a base that is in none of them, by no method and no error", async () => {
  const home = temporaryFolder();
  const { url } = await openEndpoint((asked) =>
    asked.texts.some((text) => text.includes("waits")) ? undefined : sendVectors(asked),
  );
  configureModel(home, { url, resume: "always" });
  const daemon = await startDaemon({ home });
  const owner = daemon.client;
  const secret = await openSecret(daemon);
  const own: string[] = [];
  for (let n = 0; n < 4; n++) {
    const { base } = await owner.call("base.create", { name: `own ${n}`, embeddingModelId: null });
    await owner.call("item.add", { baseId: base.id, notes: [{ content: `# Own ${n}\n\nzqshared` }] });
    own.push(base.id);
  }
  const { base: deleted } = await owner.call("base.create", { name: "deleted", embeddingModelId: null });
  const before = await secret.count();
  const heard: string[] = [];
  const clients: Client[] = [];
  for (let n = 0; n < CONNECTIONS; n++) {
    const client = await connect({
      ...daemon,
      onNotification: (_name, params) => void heard.push(JSON.stringify(params)),
    });
    onTestFinished(() => client.close());
    const baseIds = n % 8 === 7 ? [deleted.id] : own.filter((_, at) => at === n % 4 || at < n % 3);
    const { token, secret: key } = await owner.call("token.create", {
      name: `${n}`,
      baseIds,
      write: n % 2 === 0,
    });
    await client.call("session.open", { token: key });
    if (n % 8 === 6) await owner.call("token.revoke", { tokenId: token.id });
    clients.push(client);
  }
  await owner.call("base.delete", { baseId: deleted.id });

  const found = await Promise.all(clients.map((client, n) => attack(client, secret, n < COMPARING)));
  expect([...new Set(found.flat())]).toEqual([]);
  await Promise.all(clients.map((client) => client.call("events.subscribe", {}).catch(() => undefined)));
  for (const baseId of [secret.names.baseId, own[0]!])
    await owner.call("item.add", { baseId, notes: [{ content: "zqsecretlate" }] });
  await eventually(async () => heard.find((one) => one.includes(own[0]!)));
  expect(heard.filter((one) => secret.marks.some((mark) => one.includes(mark)))).toEqual([]);
  expect(await owner.call("kb.search", { query: "zqsecretword" })).toMatchObject({
    hits: [{ baseId: secret.names.baseId }],
  });
  const after = await secret.count();
  expect(after).toMatchObject({ ...(before as object), items: expect.any(Array) as unknown[] });
});

it("K10.1 what a scoped session adds by path is never a document of a base out of its scope", async () => {
  const daemon = await startDaemon();
  const owner = daemon.client;
  const folder = path.join(temporaryFolder(), "watched");
  mkdirSync(folder);
  writeFileSync(path.join(folder, "secret.md"), "zqsecretword");
  await watchFolder(owner, folder, { name: "theirs", embeddingModelId: null });
  const { base: kept } = await owner.call("base.create", { name: "kept", embeddingModelId: null });
  await owner.call("item.add", { baseId: kept.id, notes: [{ content: "zqsecretnote" }] });
  const raw = path.join(daemon.dataDir, "KnowledgeBase", kept.id, "raw");
  const note = path.join(raw, readdirSync(raw)[0]!);
  const { base: mine } = await owner.call("base.create", { name: "mine", embeddingModelId: null });
  const { secret } = await owner.call("token.create", { name: "x", baseIds: [mine.id], write: true });
  const client = await connect(daemon);
  onTestFinished(() => client.close());
  await client.call("session.open", { token: secret });
  const free = path.join(temporaryFolder(), "free.md");
  writeFileSync(free, "zqfree");
  const paths = [
    folder,
    path.join(folder, "secret.md"),
    path.dirname(folder),
    raw,
    note,
    daemon.dataDir,
    free,
  ];
  const { added, failed } = await client.call("kb.manage", { action: "add", baseId: mine.id, paths });
  expect(added.map((one) => one.path)).toEqual([free]);
  expect(failed.map((one) => one.path)).toEqual(paths.slice(0, -1));
});
