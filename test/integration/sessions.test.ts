import { describe, expect, it, onTestFinished } from "vitest";
import { connect, type Client } from "../../rpc/client.ts";
import type { ParamsInput } from "../../rpc/contract/index.ts";
import type { Change } from "../../rpc/contract/system.ts";
import { shareDaemon } from "../support/daemon.ts";
import { eventually } from "../support/eventually.ts";

const shared = shareDaemon();
const OUT = { errorName: "OUT_OF_SCOPE" };

async function connection(): Promise<Client> {
  const client = await connect(shared());
  onTestFinished(() => client.close());
  return client;
}

/** Two bases with a note each, and what makes sessions for them. */
async function start() {
  const owner = shared().client;
  const bases = [];
  for (const name of ["mine", "other"]) {
    const { base } = await owner.call("base.create", { name, embeddingModelId: null });
    await owner.call("item.add", { baseId: base.id, notes: [{ content: `# ${name}\n\nzqword of ${name}` }] });
    bases.push(base.id);
  }
  await eventually(async () => ((await owner.call("system.status", {})).idle ? true : undefined));
  const [mine, other] = bases as [string, string];
  const create = async (params: Partial<ParamsInput<"token.create">> = {}) => {
    const made = await owner.call("token.create", {
      name: "test",
      ...(params.all ? {} : { baseIds: [mine] }),
      ...params,
    });
    onTestFinished(async () => {
      await owner.call("token.revoke", { tokenId: made.token.id }).catch(() => undefined);
    });
    return made;
  };
  const session = async (params: Partial<ParamsInput<"token.create">> = {}) => {
    const made = await create(params);
    const client = await connection();
    const opened = await client.call("session.open", { token: made.secret });
    return { ...made, client, opened };
  };
  return { owner, mine, other, create, session };
}

const found = async (client: Client): Promise<string[]> =>
  (await client.call("kb.search", { query: "zqword" })).hits.map((hit) => hit.baseId);

describe("sessions", () => {
  it("K10.1 tell of the token's bases alone: lists, counts, searches and methods", async () => {
    const { mine, other, session } = await start();
    const { client, opened } = await session();
    expect(opened).toEqual({ scope: "restricted", baseIds: [mine], write: false, name: "test" });
    expect((await client.call("base.list", {})).items.map(({ id }) => id)).toEqual([mine]);
    expect((await client.call("kb.list", {})).items.map(({ baseId }) => baseId)).toEqual([mine]);
    expect(await client.call("system.status", {})).toMatchObject({
      bases: 1,
      items: { total: 1 },
      warnings: [],
    });
    expect(await found(client)).toEqual([mine]);
    expect((await client.call("kb.grep", { pattern: "zqword" })).matches.map(({ baseId }) => baseId)).toEqual(
      [mine],
    );
    for (const baseIds of [[other], [mine, other]])
      await expect(client.call("kb.search", { query: "zqword", baseIds })).rejects.toMatchObject(OUT);
    const { methods } = await client.call("system.methods", {});
    expect(methods.filter(({ access }) => access !== "read")).toEqual([]);
    expect(methods.filter(({ tool }) => tool).map(({ name }) => name)).toEqual(
      expect.arrayContaining(["kb.list", "kb.search", "kb.read", "kb.grep", "citation.verify"]),
    );
  });

  it("K10.1 are opened once, and never widened", async () => {
    const { create, session, mine } = await start();
    const { client, secret } = await session();
    const wide = await create({ all: true, write: true });
    await expect(client.call("session.open", { token: wide.secret })).rejects.toMatchObject(OUT);
    expect(await client.call("session.open", { token: secret })).toMatchObject({ baseIds: [mine] });
    expect(await found(client)).toEqual([mine]);
    await expect(client.call("token.create", { name: "x", all: true })).rejects.toMatchObject(OUT);
    await expect(client.call("token.list", {})).rejects.toMatchObject(OUT);
  });

  it("K10.1 K10.5 write only with a grant to write, and an unrestricted one is no owner", async () => {
    const { session, mine } = await start();
    const add = { action: "add" as const, baseId: mine, notes: [{ content: "zqnew" }] };
    const reading = await session();
    await expect(reading.client.call("kb.manage", add)).rejects.toMatchObject(OUT);
    const writing = await session({ write: true });
    expect((await writing.client.call("kb.manage", add)).added).toHaveLength(1);
    const all = await session({ all: true, write: true });
    expect(all.opened).toMatchObject({ scope: "unrestricted", baseIds: null, write: true });
    expect((await all.client.call("base.list", {})).items).toHaveLength(2);
    for (const [method, params] of Object.entries({
      "token.create": { name: "x", all: true },
      "token.list": {},
      "system.shutdown": {},
    }))
      await expect(all.client.callAny(method, params)).rejects.toMatchObject(OUT);
  });

  it.each([
    ["a revoked token", async (owner: Client, tokenId: string) => owner.call("token.revoke", { tokenId })],
    [
      "a base that was taken out of it",
      async (owner: Client, tokenId: string, baseId: string) =>
        owner.call("token.revoke", { tokenId, baseIds: [baseId] }),
    ],
    [
      "a deleted base",
      async (owner: Client, _tokenId: string, baseId: string) => owner.call("base.delete", { baseId }),
    ],
  ])("K10.1 after %s the very next call is told nothing, and no tools are offered", async (_what, take) => {
    const { owner, session, mine } = await start();
    const { client, token } = await session();
    expect(await found(client)).toEqual([mine]);
    await take(owner, token.id, mine);
    await expect(found(client)).rejects.toMatchObject(OUT);
    await expect(client.call("kb.list", {})).rejects.toMatchObject(OUT);
    await expect(client.call("base.get", { baseId: mine })).rejects.toMatchObject(OUT);
    const { methods } = await client.call("system.methods", {});
    expect(methods.filter(({ tool }) => tool)).toEqual([]);
  });

  it("K10.1 end when their token expires, and one that has expired is not made", async () => {
    const { owner, session, mine } = await start();
    const { client } = await session({ expiresAt: Date.now() + 400 });
    expect(await found(client)).toEqual([mine]);
    const refusal = await eventually(async () =>
      found(client).then(
        () => undefined,
        (error: unknown) => error,
      ),
    );
    expect(refusal).toMatchObject(OUT);
    const past = { name: "late", baseIds: [mine], expiresAt: 1 };
    await expect(owner.call("token.create", past)).rejects.toMatchObject({ errorName: "INVALID_FIELD" });
  });

  it("a token that is no good leaves the connection with nothing, not with all", async () => {
    await start();
    const client = await connection();
    await expect(client.call("session.open", { token: "knowd_guess" })).rejects.toMatchObject(OUT);
    await expect(client.call("base.list", {})).rejects.toMatchObject(OUT);
    await expect(client.call("kb.search", { query: "zqword" })).rejects.toMatchObject(OUT);
    expect((await shared().client.call("base.list", {})).items).toHaveLength(2);
  });

  it("K10.1 hear of changes in their bases alone, also when they subscribed before the session was opened", async () => {
    const { owner, create, mine, other } = await start();
    const { secret } = await create();
    const client = await connection();
    const heard: Change[] = [];
    client.on("events.change", (change) => void heard.push(change));
    const { seq } = await client.call("events.subscribe", {});
    await client.call("session.open", { token: secret });
    for (const baseId of [other, mine])
      await owner.call("item.add", { baseId, notes: [{ content: "zqmore" }] });
    await eventually(async () => heard.find(({ entity }) => entity === "item"));
    await owner.call("base.delete", { baseId: other });
    const { changes } = await client.call("changes.since", { seq });
    expect(new Set(changes.map(({ baseId }) => baseId))).toEqual(new Set([mine]));
    await owner.call("base.delete", { baseId: mine });
    await eventually(async () =>
      heard.find(({ entity, action }) => entity === "base" && action === "deleted"),
    );
    expect(new Set(heard.map(({ baseId }) => baseId))).toEqual(new Set([mine]));
  });
});

describe("tokens", () => {
  it("are listed without their secret, of which only a hash is kept, and revoked by id", async () => {
    const { owner, create, mine } = await start();
    const { token, secret } = await create({ name: " editor ", write: true });
    expect(token).toMatchObject({ name: "editor", baseIds: [mine], write: true, expiresAt: null });
    const listed = await owner.call("token.list", {});
    expect(listed.items).toEqual([token]);
    expect(JSON.stringify(listed)).not.toContain(secret);
    await owner.call("token.revoke", { tokenId: token.id });
    expect((await owner.call("token.list", {})).items).toEqual([]);
    await expect(owner.call("token.revoke", { tokenId: token.id })).rejects.toMatchObject({
      errorName: "TOKEN_NOT_FOUND",
    });
  });

  it.each([
    [{ name: "x" }, /bases/],
    [{ name: "x", all: true, baseIds: ["3f0f7f4e-7d3b-4b43-9d7e-6e8f6f6e2a10"] }, /bases/],
    [{ name: "x", baseIds: [] }, /baseIds/],
    [{ name: " ", all: true }, /name/],
    [{ name: "x", baseIds: ["3f0f7f4e-7d3b-4b43-9d7e-6e8f6f6e2a10"] }, /no such base/],
  ])("K10.1 are not made from %j", async (params, reason) => {
    await expect(shared().client.callAny("token.create", params)).rejects.toThrow(reason);
  });
});
