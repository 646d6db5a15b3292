import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { knowd } from "../support/command.ts";
import { shareDaemon } from "../support/daemon.ts";
import { eventually } from "../support/eventually.ts";
import { article as page, sends as send, useSite } from "../support/site.ts";
import { tinyPdf } from "../support/tiny-pdf.ts";

const web = useSite();
const site = web.answers;

const shared = shareDaemon({}, (home) => {
  const folder = path.join(home, "config", "knowd");
  mkdirSync(folder, { recursive: true });
  const host = `[[snapshot.hosts]]\nhost = "127.0.0.1"\ncookie = "session=zq"\nheaders = ["X-Key: k"]\n`;
  writeFileSync(path.join(folder, "config.toml"), `[snapshot]\nports = [${web.port}]\n${host}`);
});

async function start() {
  const { client, dataDir, home } = shared();
  const { base } = await client.call("base.create", { name: "base" });
  const raw = path.join(dataDir, "KnowledgeBase", base.id, "raw");
  const urlOf = (at: string): string => `http://127.0.0.1:${web.port}${at}`;
  return {
    client,
    base,
    raw,
    urlOf,
    kept: () => (existsSync(raw) ? readdirSync(raw).sort() : []),
    capture: (at: string, more: object = {}) =>
      client.call("snapshot.capture", { baseId: base.id, url: urlOf(at), allowPrivate: true, ...more }),
    found: async (query: string) =>
      (await client.call("search.query", { query })).hits.filter((hit) => hit.text.includes(query)),
    untilIdle: () =>
      eventually(async () => ((await client.call("system.status", {})).idle ? true : undefined)),
    knowd: (...args: string[]) => knowd(home, args),
  };
}

describe("snapshots", () => {
  it("K6.1, K6.3 a page is captured, named after its heading, and found by its words", async () => {
    const { capture, client, raw, kept, found, untilIdle, urlOf } = await start();
    site.set("/keys", page("Rotating keys", "zqrotor"));
    const { item, warnings } = await capture("/keys");
    expect(item).toMatchObject({
      type: "url",
      title: "Rotating keys",
      conceptId: "Rotating keys.md",
      url: urlOf("/keys"),
    });
    expect(warnings).toEqual([]);
    await untilIdle();
    expect(kept()).toEqual(["Rotating keys.md"]);
    expect(readFileSync(path.join(raw, "Rotating keys.md"), "utf8")).toMatch(
      /^---\ntype: "URL"\ntitle: "Rotating keys"\nresource: "http:[^"]+"\ntimestamp: "[^"]+"\n---\n# Rotating keys\n/,
    );
    expect(await found("zqrotor")).toMatchObject([
      { itemId: item.id, title: "Rotating keys", source: urlOf("/keys") },
    ]);
    const { text } = await client.call("kb.read", { itemId: item.id });
    expect(text).toMatch(/^# Rotating keys/);
  });

  it("K6.4 nothing is kept of what can't be captured, and the reason is said", async () => {
    const { capture, client, base, kept, urlOf } = await start();
    site.set("/blank", (_request, response) =>
      response.writeHead(200, { "content-type": "text/html" }).end("<p> </p>"),
    );
    site.set("/image", (_request, response) =>
      response.writeHead(200, { "content-type": "image/png" }).end("x"),
    );
    await expect(capture("/blank")).rejects.toMatchObject({
      errorName: "URL_REFUSED",
      data: { reason: expect.stringContaining("no text") },
    });
    await expect(capture("/image")).rejects.toMatchObject({
      errorName: "URL_REFUSED",
      data: { reason: expect.stringContaining("image/png") },
    });
    await expect(capture("/nowhere")).rejects.toMatchObject({
      errorName: "URL_FAILED",
      data: { reason: expect.stringContaining("404") },
    });
    const inside = client.call("snapshot.capture", { baseId: base.id, url: urlOf("/keys") });
    await expect(inside).rejects.toMatchObject({
      errorName: "URL_REFUSED",
      data: { reason: expect.stringContaining("allowPrivate") },
    });
    expect(kept()).toEqual([]);
    expect((await client.call("item.list", { baseId: base.id })).items).toEqual([]);
  });

  it("a PDF and a Markdown text are captured as files, with their own front matter", async () => {
    const { capture, kept, client, untilIdle, found } = await start();
    site.set("/manual.pdf", send("application/pdf", Buffer.from(tinyPdf({ pages: [["zqmanual of keys"]] }))));
    site.set("/notes.md", send("text/plain; charset=utf-8", "---\ntags: [zqtag]\n---\n# Locks\n\nzqlocks\n"));
    await capture("/manual.pdf");
    const { item } = await capture("/notes.md");
    await untilIdle();
    expect(kept()).toEqual(["127.0.0.1-manual.pdf", "Locks.md"]);
    expect(await found("zqmanual")).toHaveLength(1);
    expect(
      await client.call("search.query", { query: "zqlocks", filters: { tags: ["zqtag"] } }),
    ).toMatchObject({
      hits: [{ itemId: item.id }],
    });
  });

  it("a page without an article says so in its item's warnings", async () => {
    const { capture, client, untilIdle } = await start();
    const links = Array.from({ length: 40 }, (_, at) => `<li><a href="/${at}">Entry ${at}</a></li>`).join("");
    site.set("/list", (_request, response) =>
      response.writeHead(200, { "content-type": "text/html" }).end(`<title>All</title><ul>${links}</ul>`),
    );
    const { item, warnings } = await capture("/list");
    expect(warnings).toEqual([expect.stringContaining("No article")]);
    await untilIdle();
    expect((await client.call("item.get", { itemId: item.id })).item).toMatchObject({
      status: "completed",
      warnings,
    });
  });

  it("K5.4 a URL conflicts by its exact trimmed text: rename, detect, replace", async () => {
    const { capture, client, base, kept, untilIdle, found, urlOf } = await start();
    site.set("/twice", page("Twice", "zqfirst"));
    const { item } = await capture("/twice");
    await untilIdle();
    expect((await capture("/twice")).item.conceptId).toBe("Twice_1.md");
    await expect(capture("/twice", { onConflict: "detect" })).rejects.toMatchObject({
      errorName: "ITEM_CONFLICT",
      data: { itemId: item.id },
    });
    const add = {
      baseId: base.id,
      urls: [` ${urlOf("/twice")} `, urlOf("/twice?")],
      onConflict: "detect" as const,
    };
    expect(await client.call("item.add", add)).toMatchObject({
      added: [],
      conflicts: [{ path: urlOf("/twice"), itemId: item.id }],
    });
    site.set("/twice", page("Twice", "zqsecond"));
    expect((await capture("/twice", { onConflict: "replace" })).item.conceptId).toBe("Twice.md");
    await untilIdle();
    expect(kept()).toEqual(["Twice.md", "Twice_1.md"]);
    expect(await found("zqsecond")).toHaveLength(1);
    site.delete("/twice");
    await expect(capture("/twice", { onConflict: "replace" })).rejects.toMatchObject({
      errorName: "URL_FAILED",
    });
    expect(kept()).toEqual(["Twice.md", "Twice_1.md"]);
  });

  it("item.add takes URLs beside notes; one that is refused fails no other", async () => {
    const { client, base, urlOf } = await start();
    const answer = await client.call("item.add", {
      baseId: base.id,
      urls: [urlOf("/x"), "nonsense"],
      notes: [{ content: "# Note" }],
    });
    expect(answer.added).toMatchObject([{ conceptId: "Note.md" }]);
    expect(answer.failed).toMatchObject([
      { path: urlOf("/x"), reason: expect.stringContaining("allowPrivate") },
      { path: "nonsense", reason: expect.stringContaining("no URL") },
    ]);
  });

  it("K6.3 refresh honours ETags, writes onto the same path, and keeps the text of what is gone or fails", async () => {
    const { capture, client, kept, untilIdle, found } = await start();
    let version = 1;
    let notModified = 0;
    site.set("/living", (request, response) => {
      if (request.headers["if-none-match"] === `"${version}"`) {
        notModified++;
        response.writeHead(304).end();
      } else {
        response.setHeader("etag", `"${version}"`);
        page("Living", `zqversion${version}`)(request, response);
      }
    });
    const { item } = await capture("/living");
    await untilIdle();
    const refresh = async () => (await client.call("snapshot.refresh", { itemIds: [item.id] })).items[0];
    expect(await refresh()).toMatchObject({ outcome: "unchanged", reason: null });
    expect(notModified).toBe(1);
    version = 2;
    expect(await refresh()).toMatchObject({ outcome: "changed" });
    await untilIdle();
    expect([await found("zqversion1"), (await found("zqversion2")).length]).toEqual([[], 1]);
    site.set("/living", (_request, response) => response.writeHead(503).end());
    expect(await refresh()).toMatchObject({ outcome: "failed", reason: expect.stringContaining("503") });
    site.delete("/living");
    expect(await refresh()).toMatchObject({ outcome: "gone", reason: expect.stringContaining("404") });
    const { item: now } = await client.call("item.get", { itemId: item.id });
    expect(now).toMatchObject({ status: "completed", refreshError: expect.stringContaining("404") });
    expect((await client.call("system.status", {})).warnings).toEqual([
      expect.stringContaining("1 captured URL"),
    ]);
    expect(await found("zqversion2")).toHaveLength(1);
    site.set("/living", page("Renamed", "zqversion3"));
    expect(await refresh()).toMatchObject({ outcome: "changed" });
    await untilIdle();
    expect(kept()).toEqual(["Living.md"]);
    expect((await client.call("item.get", { itemId: item.id })).item).toMatchObject({
      title: "Renamed",
      refreshError: null,
    });
  });

  it("refresh tells of ids that are no captured URL", async () => {
    const { client, base } = await start();
    const { added } = await client.call("item.add", { baseId: base.id, notes: [{ content: "a note" }] });
    const unknown = "01932c07-4a3f-7b6e-9a52-0c5f0e9d7a11";
    const itemIds = [added[0]!.itemId, unknown, unknown];
    expect(await client.call("snapshot.refresh", { itemIds })).toEqual({
      items: [],
      notFound: [added[0]!.itemId, unknown],
    });
  });

  it("sends the configured cookies and headers to their host", async () => {
    const { capture } = await start();
    const seen: (string | undefined)[] = [];
    site.set("/private", (request, response) => {
      seen.push(request.headers.cookie, String(request.headers["x-key"]), request.headers["user-agent"]);
      page("Private", "x")(request, response);
    });
    await capture("/private");
    expect(seen).toEqual(["session=zq", "k", "knowd (local snapshots)"]);
  });

  it("a capture that is cancelled ends, and leaves nothing", async () => {
    const { client, base, kept, urlOf } = await start();
    const arrived = new Promise<void>((resolve) => site.set("/never", () => resolve()));
    const cancel = new AbortController();
    const params = { baseId: base.id, url: urlOf("/never"), allowPrivate: true };
    const answer = client.call("snapshot.capture", params, { signal: cancel.signal });
    const ended = answer.then(
      () => "answered",
      (error: Error) => error.name,
    );
    await arrived;
    cancel.abort();
    expect(await ended).not.toBe("answered");
    expect(kept()).toEqual([]);
    expect((await client.call("item.list", { baseId: base.id })).items).toEqual([]);
  });

  it("K3.4 a restored base has the snapshots, and refreshes them", async () => {
    const { capture, client, base, untilIdle } = await start();
    site.set("/restored", page("Restored", "zqrestored"));
    await capture("/restored");
    await untilIdle();
    const restored = await client.call("base.restore", { baseId: base.id, embeddingModelId: null });
    expect(restored).toMatchObject({ added: 1, skipped: 0 });
    await untilIdle();
    const { items } = await client.call("item.list", { baseId: restored.base.id });
    expect(items).toMatchObject([{ type: "url", status: "completed", conceptId: "Restored.md" }]);
    expect(await client.call("snapshot.refresh", { itemIds: [items[0]!.id] })).toMatchObject({
      items: [{ outcome: "unchanged" }],
    });
  });

  it("knowd snapshot captures and refreshes from a shell, and says what became of each URL", async () => {
    const { knowd: run, urlOf, untilIdle } = await start();
    site.set("/shell", page("From a shell", "zqshell"));
    const first = await run("snapshot", "--allow-private", urlOf("/shell"), urlOf("/missing"));
    expect(first.code).toBe(1);
    expect(first.stdout).toMatch(/^\+ From a shell\.md {2}in base\n! http:\S+\/missing: .*404/);
    await untilIdle();
    expect(await run("snapshot", "--refresh")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^unchanged .*\/shell\n$/),
    });
    const json = await run("snapshot", "--refresh", "--json", "--every", "1d", urlOf("/shell"));
    expect(JSON.parse(json.stdout)).toMatchObject({
      items: [{ outcome: "unchanged", url: urlOf("/shell") }],
      notFound: [],
    });
    expect(await run("snapshot", "--refresh", urlOf("/other"))).toMatchObject({ code: 4 });
    expect(await run("snapshot", "--every", "soon", urlOf("/shell"))).toMatchObject({ code: 2 });
    expect((await run("snapshot", urlOf("/shell"))).stdout).toContain("--allow-private");
    expect((await run("ls", "base")).stdout).toContain(`From a shell.md  ${urlOf("/shell")}`);
  });
});
